from __future__ import annotations

from pathlib import Path

from tests.brain.agent.desk import Desk, ScriptedPolicy, by_text, improves, opens, proposal
from tests.brain.scripted import Scripted

from assay.brain.agent import Creative, Improvement, NewDirection, Task


def test_creative_success_leads_to_improvement_at_once(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), improves("rank(open)"), improves("rank(high)")])
    report = Desk(tmp_path, policy, Scripted(figures=by_text(close=0.5, open=0.6, high=0.7))).start()
    assert [line.phase for line in report.rounds[:3]] == ["creative", "improvement", "improvement"]
    assert [briefing.phase for briefing in policy.heard[:4]] == [
        "research", "creative", "improvement", "improvement",
    ]  # fmt: skip
    assert [line.best_sharpe for line in report.rounds[:3]] == [0.5, 0.6, 0.7]
    assert report.stop == "stalled"


def test_without_an_idea_the_policy_finds_one(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)")], idea="low turnover pays")
    report = Desk(tmp_path, policy).with_settings(stall_rounds=1).start(Task())
    assert report.idea == "low turnover pays"
    assert policy.heard[0].idea == "low turnover pays"
