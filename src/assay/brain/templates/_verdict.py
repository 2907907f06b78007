"""What the probes of a core say of it: one set of thresholds, and the sign is part of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.brain._result import JobResult
from assay.config import BrainPipelineSettings

Verdict = Literal["EXPAND", "WATCH", "ABANDON"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One core and what becomes of it.

    Parameters
    ----------
    probes, completed, failed : simulations asked for, those with a Sharpe ratio, those whose factor failed.
        What is neither brought no answer.
    sharpe, fitness : means over the completed ones with their signs; where ``flipped``, of the core turned
        round, whose probes were all negative.
    turnover : mean.
    reason : why this verdict, in words.
    expanded : how many more of its instances were simulated.
    best : the best Sharpe ratio among all instances of the core, as simulated.
    """

    template: str
    core: str
    verdict: Verdict
    reason: str
    probes: int = 0
    completed: int = 0
    failed: int = 0
    flipped: bool = False
    sharpe: float | None = None
    fitness: float | None = None
    turnover: float | None = None
    expanded: int = 0
    best: float | None = None


def decide(
    template: str, core: str, asked: int, results: Sequence[JobResult], thresholds: BrainPipelineSettings
) -> Decision:
    """The verdict on a core from the results of its probes; ``asked`` probes were wanted."""
    scored = [result for result in results if result.sharpe is not None]
    failures = [result for result in results if result.status == "failed"]
    if not scored:
        verdict, reason = _unscored(asked, failures)
        return Decision(template, core, verdict, reason, asked, failed=len(failures))
    signs = {_sign(result) for result in scored} - {0}
    flipped = signs == {-1}
    turn = -1.0 if flipped else 1.0
    sharpe = turn * _mean([result.sharpe for result in scored])
    fitnesses = [result.fitness for result in scored if result.fitness is not None]
    turnovers = [result.turnover for result in scored if result.turnover is not None]
    fitness = turn * _mean(fitnesses) if fitnesses else None
    turnover = _mean(turnovers) if turnovers else None
    verdict, reason = _verdict(sharpe, fitness, turnover, len(scored), len(signs) > 1, thresholds)
    return Decision(
        template,
        core,
        verdict,
        reason,
        probes=asked,
        completed=len(scored),
        failed=len(failures),
        flipped=flipped,
        sharpe=sharpe,
        fitness=fitness,
        turnover=turnover,
        best=max(result.sharpe for result in scored if result.sharpe is not None),
    )


def _unscored(asked: int, failures: Sequence[JobResult]) -> tuple[Verdict, str]:
    if failures and len(failures) == asked:
        first = failures[0].failure
        return "ABANDON", f"all probes failed: {'' if first is None else first.message}".rstrip(": ")
    return "WATCH", "no probe brought a figure" if failures else "not probed"


def _verdict(
    sharpe: float,
    fitness: float | None,
    turnover: float | None,
    probes: int,
    disagree: bool,
    thresholds: BrainPipelineSettings,
) -> tuple[Verdict, str]:
    if abs(sharpe) < thresholds.watch_sharpe:
        return "ABANDON", f"mean Sharpe ratio {sharpe:.2f}, to be watched from {thresholds.watch_sharpe:g}"
    if disagree:
        return "WATCH", "its probes disagree in sign"
    if sharpe < thresholds.expand_sharpe:
        return "WATCH", f"mean Sharpe ratio {sharpe:.2f}, expanded from {thresholds.expand_sharpe:g}"
    if probes < thresholds.min_probe_count:
        return "WATCH", f"{_counted(probes)}, {thresholds.min_probe_count} are needed"
    if turnover is not None and turnover > thresholds.max_turnover:
        return "WATCH", f"mean turnover {turnover:.2f}, at most {thresholds.max_turnover:g}"
    if fitness is not None and fitness < thresholds.expand_fitness:
        return "WATCH", f"mean fitness {fitness:.2f}, expanded from {thresholds.expand_fitness:g}"
    return "EXPAND", f"mean Sharpe ratio {sharpe:.2f} over {_counted(probes)}"


def _counted(probes: int) -> str:
    return "1 probe" if probes == 1 else f"{probes} probes"


def _sign(result: JobResult) -> int:
    assert result.sharpe is not None
    return (result.sharpe > 0) - (result.sharpe < 0)


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known)
