from __future__ import annotations

import pytest

from assay.brain import JobResult
from assay.brain.templates import Decision, decide
from assay.config import BrainPipelineSettings

from .runners import failed, result

THRESHOLDS = BrainPipelineSettings()


def verdict(*results: JobResult, asked: int | None = None, **changes: float) -> Decision:
    thresholds = BrainPipelineSettings(**changes)  # type: ignore[arg-type]
    return decide("TPL_A_V1", "core", len(results) if asked is None else asked, results, thresholds)


@pytest.mark.parametrize(
    ("results", "expected", "reason"),
    [
        ([result(1.2), result(1.0)], "EXPAND", "mean Sharpe ratio 1.10 over 2 probes"),
        ([result(1.0), result(0.6)], "WATCH", "mean Sharpe ratio 0.80, expanded from 1"),
        ([result(0.4), result(0.2)], "ABANDON", "mean Sharpe ratio 0.30, to be watched from 0.5"),
        ([result(1.2, turnover=0.9)], "WATCH", "mean turnover 0.90, at most 0.7"),
        ([result(1.2, fitness=0.5)], "WATCH", "mean fitness 0.50, expanded from 1"),
    ],
)
def test_the_verdict_follows_the_thresholds(results: list[JobResult], expected: str, reason: str) -> None:
    found = verdict(*results)
    assert (found.verdict, found.reason) == (expected, reason)


def test_what_is_exactly_at_a_threshold_reaches_it() -> None:
    assert verdict(result(1.0, fitness=1.0, turnover=0.7)).verdict == "EXPAND"
    assert verdict(result(0.5)).verdict == "WATCH"


def test_an_unknown_fitness_or_turnover_holds_nothing_back() -> None:
    from dataclasses import replace

    from assay.brain import Stats

    bare = replace(result(1.4), stats=Stats(sharpe=1.4))
    found = verdict(bare)
    assert (found.verdict, found.fitness, found.turnover) == ("EXPAND", None, None)


def test_a_core_that_is_negative_throughout_is_turned_round() -> None:
    found = verdict(result(-1.3, fitness=-1.1), result(-1.1, fitness=-1.2))
    assert (found.verdict, found.flipped) == ("EXPAND", True)
    assert found.sharpe == pytest.approx(1.2)
    assert found.fitness == pytest.approx(1.15)
    assert found.best == -1.1


def test_probes_that_disagree_in_sign_do_not_add_up() -> None:
    # the mean of the sizes would be 1.6
    found = verdict(result(1.8), result(-1.4))
    assert (found.verdict, found.flipped) == ("ABANDON", False)
    assert found.sharpe == pytest.approx(0.2)
    assert verdict(result(2.4), result(-0.2)).reason == "its probes disagree in sign"
    mostly_negative = verdict(result(-2.4), result(0.2))
    assert (mostly_negative.verdict, mostly_negative.flipped) == ("WATCH", False)
    assert mostly_negative.sharpe == pytest.approx(-1.1)


def test_a_core_whose_probes_all_failed_is_told_of() -> None:
    found = verdict(failed('unknown variable "x"'), failed("y"))
    assert (found.verdict, found.failed) == ("ABANDON", 2)
    assert found.reason == 'all probes failed: unknown variable "x"'
    assert found.sharpe is None


def test_a_failed_probe_is_no_sharpe_of_zero() -> None:
    found = verdict(result(1.2), failed("x"))
    assert (found.verdict, found.sharpe, found.completed, found.failed) == ("EXPAND", 1.2, 1, 1)


def test_what_got_no_answer_is_no_verdict_on_the_core() -> None:
    assert verdict(asked=2).reason == "not probed"
    assert verdict(failed("x"), asked=2).verdict == "WATCH"
    assert verdict(result(None), asked=1).verdict == "WATCH"


def test_too_few_probes_are_watched() -> None:
    assert verdict(result(1.5), min_probe_count=2).reason == "1 probe, 2 are needed"
    assert verdict(result(1.5), result(1.5), min_probe_count=2).verdict == "EXPAND"


def test_one_set_of_thresholds_decides_all() -> None:
    strict = verdict(result(1.2), expand_sharpe=1.3, watch_sharpe=1.25)
    assert strict.verdict == "ABANDON"
    assert verdict(result(0.6), expand_sharpe=0.5, expand_fitness=0.5).verdict == "EXPAND"
