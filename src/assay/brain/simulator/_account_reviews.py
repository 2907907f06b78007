"""What the platform does with an alpha that is looked at again: checks, correlations, submission."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from assay.base import Clock
from assay.brain._platform import CorrelationKind
from assay.brain._wire import Check, Correlations, Stats
from assay.brain.simulator._account_alpha import checks_of, wire_checks
from assay.brain.simulator._account_alphas import Alphas, Document, request_of
from assay.brain.simulator._account_types import platform_time
from assay.brain.simulator._correlation import prod_correlation, self_correlation
from assay.brain.simulator._outcome import Correlated, Daily, Peer

ALREADY_SUBMITTED: Final = (Check(name="ALREADY_SUBMITTED", result="FAIL"),)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a submission ended: the checks, and whether the alpha was taken."""

    taken: bool
    checks: tuple[Check, ...]


class Reviews:
    """Checks and submissions of one account's alphas.

    Either takes one look that begins it and at least ``wait`` seconds.
    """

    def __init__(self, alphas: Alphas, clock: Clock, wait: float) -> None:
        self._alphas, self._clock, self._wait = alphas, clock, wait
        self._lock = threading.RLock()
        self._checking: dict[str, datetime] = {}
        self._submitting: dict[str, datetime] = {}
        self._untold: dict[str, Verdict] = {}
        self._peers: dict[str, Daily] = {}

    def check(self, document: Document) -> tuple[Check, ...] | None:
        """All checks of an alpha, none of them PENDING; None while they run."""
        with self._lock:
            if is_submitted(document):
                return ALREADY_SUBMITTED
            name = document["id"]
            if self._begins(self._checking, name) or not self._over(self._checking, name):
                return None
            return self._resolve(name)

    def submit(self, document: Document) -> Verdict | None:
        """Begin a submission, or look at the one that was begun; None while it runs.

        An alpha that fails a check already is refused at once. One that is submitted stays so.
        """
        with self._lock:
            name, checks = document["id"], checks_of(document)
            if is_submitted(document):
                return Verdict(True, checks)
            if name not in self._submitting and _fails(checks):
                return Verdict(False, checks)
            if self._begins(self._submitting, name):
                return None
            return self._end(name)

    def verdict(self, document: Document) -> Verdict | None:
        """How a submission ended; None while it runs. It is told once.

        Raises
        ------
        LookupError
            None was begun, or its end was told.
        """
        with self._lock:
            name = document["id"]
            if name in self._submitting and self._end(name) is None:
                return None
            return self._untold.pop(name)

    def correlations(self, name: str, kind: CorrelationKind) -> Correlations:
        """Correlations with the account's other submitted alphas.

        There is nobody else here, so these stand for ``prod``, too; a pool of power alphas there is not.
        """
        if kind == "power-pool":
            return Correlations(kind=kind)
        return self._correlated(name, kind).correlations

    def _begins(self, begun: dict[str, datetime], name: str) -> bool:
        if name in begun:
            return False
        begun[name] = self._clock.now()
        return True

    def _over(self, begun: dict[str, datetime], name: str) -> bool:
        return (self._clock.now() - begun[name]).total_seconds() >= self._wait

    def _end(self, name: str) -> Verdict | None:
        if not self._over(self._submitting, name):
            return None
        checks = self._resolve(name)
        verdict = Verdict(not _fails(checks), checks)
        if verdict.taken:
            self._alphas.change(name, self._submitted)
        # only now: what could not be kept is looked at again
        del self._submitting[name]
        self._untold[name] = verdict
        return verdict

    def _submitted(self, document: Document) -> Document:
        now = platform_time(self._clock.now())
        return {**document, "stage": "OS", "status": "ACTIVE", "dateSubmitted": now, "dateModified": now}

    def _resolve(self, name: str) -> tuple[Check, ...]:
        """Answer the checks that are about other alphas, and keep the answers."""
        answers = {
            check.name: check
            for check in (self._correlated(name, "self").check, self._correlated(name, "prod").check)
        }

        def resolved(document: Document) -> Document:
            checks = [answers.get(check.name, check) for check in checks_of(document)]
            figures = {
                **document["is"],
                "checks": wire_checks(checks),
                "selfCorrelation": answers["SELF_CORRELATION"].value,
            }
            return {**document, "is": figures}

        return checks_of(self._alphas.change(name, resolved))

    def _correlated(self, name: str, kind: CorrelationKind) -> Correlated:
        document = self._alphas.get(name)
        assert document is not None
        others = [self._peer(one) for one in self._alphas.all() if is_submitted(one) and one["id"] != name]
        correlate = self_correlation if kind == "self" else prod_correlation
        return correlate(self._alphas.daily(name), document["is"]["sharpe"], others)

    def _peer(self, document: Document) -> Peer:
        name = document["id"]
        if name not in self._peers:
            self._peers[name] = self._alphas.daily(name)
        stats = Stats.model_validate(document["is"])
        return Peer(name, request_of(document), stats, self._peers[name], document["name"])


def is_submitted(document: Document) -> bool:
    """Whether an alpha is out of sample: taken by the platform."""
    return bool(document["stage"] == "OS")


def _fails(checks: Iterable[Check]) -> bool:
    return any(check.result in ("FAIL", "ERROR") for check in checks)
