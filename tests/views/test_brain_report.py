"""The page of a session on BRAIN: all its parts, escaped, and shown for every way to stop."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any, get_args

import numpy as np
import pytest

from assay.brain import Check, DailyPnl, Failure, JobResult, Place, Proposal, SimulationRequest, Stats
from assay.brain.agent import (
    Direction,
    Funnel,
    HeldFigures,
    KnowledgeEntry,
    Luck,
    RoundLine,
    SessionReport,
    StopReason,
)
from assay.views import brain_report
from assay.views._brain_charts import plot_course, plot_pnl

EVIL = "</script><script>alert(1)</script>\u202e<b>x</b>"


def _job(number: int, direction: str, sharpe: float | None, **changes: Any) -> JobResult:
    request = SimulationRequest(regular=f"rank(ts_mean(returns, {number}))")
    stats = None
    if sharpe is not None:
        stats = Stats(
            sharpe=sharpe, fitness=sharpe * 0.8, turnover=0.2, returns=0.06, drawdown=0.04, margin=6e-4
        )
    proposal = Proposal(request, direction, "why", changes.pop("replaces", None), "hypothesis")
    return replace(
        JobResult(f"j{number:04d}", proposal, "completed", f"A{number}", stats, fingerprint=str(number)),
        **changes,
    )


def _report(**changes: Any) -> SessionReport:
    jobs = (
        _job(1, "d1", 0.6, checks=(Check(name="LOW_SHARPE", result="FAIL", limit=1.25, value=0.6),)),
        _job(2, "d1", 1.4, replaces="j0001", checks=(Check(name="LOW_SHARPE", result="PASS"),)),
        _job(
            3,
            "d2",
            None,
            status="failed",
            alpha=None,
            failure=Failure('Attempted to use unknown variable "clsoe"', Place(line=1, start=5, end=10)),
        ),
    )
    days = tuple(np.datetime_as_string(np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]")))
    made = SessionReport(
        run="b-1",
        idea="Momentum combined with low volatility",
        platform="local:sim",
        simulated=True,
        policy="sampler",
        stop="converged",
        level="minimum",
        unmet=(),
        limits={"sharpe": 1.25, "fitness": 1.0, "min_turnover": 0.01, "max_turnover": 0.7},
        rounds=(RoundLine(1, "creative", 2, 1, 1, 0.6), RoundLine(2, "improvement", 1, 1, 0, 1.4, "better")),
        directions=(
            Direction("d1", "低波动的股票涨得更多", "LOW_SHARPE", "smooth it", 1, 2, 1, 1.4),
            Direction("d2", "a second one", abandoned=True),
        ),
        results=jobs,
        funnel=Funnel(5, 1, 1, 3, 1, 1, 1, 0),
        check_failures={"LOW_SHARPE": 1},
        best=jobs[1],
        pnl={"j0002": DailyPnl(days, tuple(float(i % 7 - 2) * 1e4 for i in range(len(days))))},
        held={"j0002": HeldFigures(Stats(sharpe=1.4, returns=0.1), Stats(sharpe=0.31, returns=0.02))},
        trials=2,
        simulations=3,
        budget=60,
        knowledge=(KnowledgeEntry("k", "turnover", "smoothing helps", ("turnover",)),),
    )
    return replace(made, **changes)


class _Text(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.feed(page.replace("<wbr>", ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_all_parts_are_there() -> None:
    text = _Text(brain_report(_report())).text
    for wanted in (
        "Momentum combined with low volatility",
        "The session ended by its criteria.",
        "Simulated data.",
        "低波动的股票涨得更多",
        "All figures but those of the held year are in sample",
        "The held year",
        "0.31",
        "LOW_SHARPE",
        'Attempted to use unknown variable "clsoe" (line 1, character 6)',
        "smoothing helps",
        "1 invalid and 1 repeats",
    ):
        assert wanted in text, wanted


def test_what_speaks_against_the_best_stands_beside_the_end() -> None:
    page = brain_report(_report(luck=Luck(25, 1.95, 0.43)))
    text = _Text(page).text
    assert "of N = 25 trials on this data the best reaches a Sharpe ratio of 1.95 by luck alone" in text
    assert "deflated Sharpe ratio is 43%, below 95%." in text
    assert "In the held year its Sharpe ratio is 0.31, below the limit." in text
    assert '<div class="verdict caution">' in page
    held = {"j0002": HeldFigures(Stats(sharpe=1.4), Stats(sharpe=1.3))}
    page = brain_report(_report(luck=Luck(25, 0.5, 0.97), held=held))
    assert '<div class="verdict passed">' in page
    assert "by luck alone" not in page
    assert "below the limit" not in page
    assert "by luck alone" not in brain_report(_report(luck=Luck(25, 1.95, 0.43), stop="budget"))


def test_one_of_a_kind_is_no_plural_and_no_model_has_no_tokens() -> None:
    text = _Text(brain_report(_report())).text
    for wanted in ("2 rounds", "best Sharpe 1.40, 1 improvement,", "2 directions"):
        assert wanted in text, wanted
    assert "tokens" not in text
    text = _Text(brain_report(_report(tokens=1200, rounds=_report().rounds[:1]))).text
    assert "1,200 tokens of models" in text
    assert "1 round " in text


def test_long_names_of_checks_break_at_an_underscore() -> None:
    page = brain_report(_report(check_failures={"LOW_SUB_UNIVERSE_SHARPE": 1}))
    assert "LOW_<wbr>SUB_<wbr>UNIVERSE_<wbr>SHARPE" in page


def test_an_improvement_stands_below_what_it_improves() -> None:
    page = brain_report(_report())
    tree = page.split('<div class="scroll tree">')[1].split("</table>")[0]
    assert tree.index("j0001") < tree.index("j0002")
    assert "margin-left:0px" in tree
    assert "margin-left:14px" in tree


def test_text_from_outside_is_no_markup() -> None:
    jobs = list(_report().results)
    jobs[2] = replace(jobs[2], failure=Failure(EVIL), proposal=replace(jobs[2].proposal, origin=EVIL))
    page = brain_report(
        _report(
            idea=EVIL,
            policy=EVIL,
            unmet=(EVIL,),
            results=tuple(jobs),
            directions=(Direction("d1", EVIL, EVIL, EVIL),),
            check_failures={EVIL: 2},
            knowledge=(KnowledgeEntry("k", EVIL, EVIL, (EVIL,)),),
        )
    )
    assert "script" not in _Text(page).tags
    assert "\u202e" not in page


@pytest.mark.parametrize("stop", get_args(StopReason))
def test_every_way_to_stop_is_told(stop: StopReason) -> None:
    text = _Text(brain_report(_report(stop=stop, unmet=("sharpe",)))).text
    assert stop in text
    assert "Not met: sharpe." in text


def test_the_best_is_shown_beside_luck() -> None:
    text = _Text(brain_report(_report(luck=Luck(40, 1.1, 0.83)))).text
    assert "deflated Sharpe 83% luck alone: 1.10 of N = 40" in text
    assert (
        "that this session added to N"
        in _Text(brain_report(_report(luck=Luck(None, None, None, "open")))).text
    )


def test_a_session_without_anything_is_a_page() -> None:
    empty = _report(
        rounds=(), directions=(), results=(), funnel=Funnel(), check_failures={}, best=None, pnl={}, held={},
        knowledge=(), simulations=0, trials=0, stop="paused",
    )  # fmt: skip
    text = _Text(brain_report(empty)).text
    assert "Nothing was simulated." in text
    assert "The held year" not in text
    assert "All figures are in sample" in text


def test_the_same_report_is_the_same_page() -> None:
    assert brain_report(_report()) == brain_report(_report())


def test_the_course_shows_the_best_so_far_and_the_limit() -> None:
    axes = plot_course(_report().results, 1.25).axes[0]
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    assert list(np.asarray(lines["best so far"].get_ydata())) == [0.6, 1.4]
    assert list(np.asarray(lines["limit 1.25"].get_ydata())) == [1.25, 1.25]
    assert list(np.asarray(lines["passes all checks"].get_ydata())) == [1.4]


def test_pnl_is_summed_up_in_millions() -> None:
    pnl = DailyPnl(("2020-01-01", "2020-01-02", "2020-01-03"), (1e6, -2e6, 4e6))
    axes = plot_pnl({"j0001": pnl}).axes[0]
    line = next(line for line in axes.get_lines() if line.get_label() == "j0001")
    assert list(np.asarray(line.get_ydata())) == [1.0, -1.0, 3.0]
