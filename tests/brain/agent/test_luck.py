"""The best alpha is held against all trials on its data, not against those of its session alone."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.brain.agent.desk import Desk, ScriptedPolicy, by_text, improves, opens
from tests.brain.scripted import Scripted

from assay.base import Operator
from assay.brain.agent import Improvement, SessionReport, session_report
from assay.ledger import Draft, decode_series
from assay.metrics import deflated_sharpe, moments_of

ANSWERS = (opens("close", "volume"), improves("open"), Improvement(converged=True))


def session(root: Path) -> tuple[Desk, SessionReport]:
    platform = Scripted(figures=by_text(close=1.6, volume=0.4, open=0.9))
    desk = Desk(root, ScriptedPolicy(ANSWERS), platform)
    return desk, desk.start()


def trial(desk: Desk, number: int, data: str) -> Draft:
    body = {
        "fingerprint": f"f{number}", "config_hash": "c", "expression": "x", "data": data, "universe": None,
        "period": "search", "bars": 100, "sharpe": 0.01 * number, "series": None, "desk": "judge",
        "control": False,
    }  # fmt: skip
    return Draft("trial", body)


def test_n_and_the_deflated_ratio_are_of_all_trials_on_the_data(tmp_path: Path) -> None:
    desk, first = session(tmp_path)
    assert first.luck is not None
    assert first.luck.n == 3
    ledger = desk.ledger
    run = ledger.run("judged")
    run.start("judge", Operator.human(), "c", {"data:scripted": "d"})
    run.append_many([trial(desk, number, "scripted") for number in range(7)])
    run.append_many([trial(desk, 50, "another")])
    run.stop("finished")
    again = session_report(ledger.run("s1"))
    assert again.luck is not None
    assert again.luck.n == 10
    best = first.best
    assert best is not None
    bodies = [entry.body for entry in ledger.run("s1").entries(kind="round")]
    name = next(b["series"] for b in bodies if b["outcome"] == "result" and b["result"]["job"] == best.job)
    trials = [entry.body for entry in ledger.entries(kind="trial")]
    sharpes = [body["sharpe"] for body in trials if body["data"] == "scripted"]
    moments = moments_of(np.asarray(decode_series(ledger.get(name)).values))
    wanted = deflated_sharpe(moments, 10, float(np.var(sharpes, ddof=1)))
    assert again.luck.dsr == pytest.approx(wanted.value)
    assert again.luck.by_luck == pytest.approx(wanted.threshold * math.sqrt(252.0))
    assert again.luck.dsr is not None
    assert first.luck.dsr is not None


def test_where_n_cannot_be_given_it_is_said_why(tmp_path: Path) -> None:
    desk, _ = session(tmp_path)
    desk.ledger.run("open").start("judge", Operator.human(), "c", {"data:scripted": "d"})
    found = session_report(desk.ledger.run("s1")).luck
    assert found is not None
    assert (found.n, found.dsr) == (None, None)
    assert "open" in found.note


def test_a_session_without_a_trial_says_nothing_of_luck(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ScriptedPolicy(()), Scripted())
    assert desk.with_settings(stall_rounds=1).start().luck is None
