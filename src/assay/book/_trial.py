from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assay.book._reasons import UNKNOWN_TRIAL
from assay.errors import Refusal
from assay.ledger import Ledger

OPEN: Final = "search"
"""The period whose trials agents may know the figures of."""


@dataclass(frozen=True, slots=True)
class TrialFound:
    """A trial of a workspace's ledger; ``n`` are the distinct trials on its data set."""

    fingerprint: str
    config_hash: str
    expression: str
    data: str | None
    sharpe: float | None
    n: int


def find_trial(ledger: Ledger, fingerprint: str, config_hash: str | None) -> TrialFound:
    """The latest trial of a fingerprint on the search period, and of a configuration if one is named.

    What a person tried on hidden dates is not found: its figures would tell of them.

    Raises
    ------
    Refusal
        ``unknown_trial``.
    """
    with ledger.index() as index:
        fitting = [
            row
            for row in index.trials()
            if row.fingerprint == fingerprint and config_hash in (None, row.config_hash)
        ]
        for row in reversed(fitting):
            body = next(index.entries(kind="trial", start=row.line)).body
            if body.get("period") == OPEN:
                n = len({trial.key for trial in index.trials(data=row.data)})
                expression = str(body["expression"])
                return TrialFound(row.fingerprint, row.config_hash, expression, row.data, row.sharpe, n)
    raise Refusal(UNKNOWN_TRIAL, where="fingerprint")
