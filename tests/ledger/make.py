"""Records as desks write them, for the tests of what is counted."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from assay.base import Operator
from assay.ledger import Entry, Ledger, Look, TrialKey, encode_series

PERSON = Operator.human("ann")
INPUTS = {"data:cn": "a1", "prompts": "b2"}
SCORE = (date(2022, 1, 3), date(2022, 12, 30))


def key(name: str, config: str = "c1") -> TrialKey:
    return TrialKey(name, config)


def trial_body(name: str, *, config: str = "c1", **changes: Any) -> dict[str, Any]:
    body = {
        "fingerprint": name,
        "config_hash": config,
        "expression": f"rank({name})",
        "data": "cn",
        "universe": None,
        "period": "search",
        "bars": 500,
        "sharpe": 0.05,
        "series": None,
        "desk": "evolve",
        "control": False,
    }
    return body | changes


def trial(ledger: Ledger, name: str, *, run: str | None = None, **changes: Any) -> Entry:
    return ledger.append("trial", trial_body(name, **changes), run=run)


def put_series(ledger: Ledger, values: np.ndarray, first: str = "2020-01-01") -> str:
    days = np.datetime64(first, "D") + np.arange(len(values))
    return ledger.put([encode_series(days, values)])[0]


def start(ledger: Ledger, run: str, *, desk: str = "evolve", **changes: Any) -> Entry:
    given: dict[str, Any] = {"operator": PERSON, "config_hash": "c1", "inputs": INPUTS}
    return ledger.run(run).start(desk, **(given | changes))


def look(ledger: Ledger, name: str = "f", *, period: Any = "score", budget: int = 3, **changes: Any) -> Look:
    given: dict[str, Any] = {"data": "cn", "budget": budget, "key": key(name), "operator": PERSON}
    return ledger.charge_look(period, SCORE, **(given | changes))


def new_ledger(folder: Path) -> Ledger:
    return Ledger.create(folder / "ledger")
