"""What ``assay demo`` does: a market with a known truth, known formulas, a twin; then the desks, in turn."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._output import console, print_json
from assay.cli._progress import Steps, usable_cores
from assay.errors import AssayError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.cli._demo_brain import Simulated
    from assay.cli._demo_campaign import Searched
    from assay.cli._demo_evolve import Evolved
    from assay.cli._demo_reports import Read
    from assay.expr import Expression
    from assay.judge import JudgeSettings, Verdicts
    from assay.ledger import Ledger
    from assay.market import Panel

INSTRUMENTS, DAYS = 300, 1700
SHEETS, SHOWN = 3, 30
PLANTED = "planted"
SAME = "= planted"
_SAME_RANK_IC = 1e-9
"""Difference of two RankICs that rounding alone makes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo found."""

    verdicts: Verdicts
    marks: dict[str, str]
    planted: int
    planted_failed: tuple[str, ...]
    same: int
    same_passed: int
    others: int
    others_passed: int
    twin_judged: int
    twin_passed: int
    expected_by_chance: float
    counted: Counted


@dataclass(frozen=True, slots=True)
class Counted:
    """What the demo's ledger says of the simulated market: N, effective N, and the best deflated ratio."""

    trials: int
    effective: int
    records: int
    best: str
    best_dsr: float


def run_demo(folder: Path, seed: int, *, as_json: bool) -> None:
    """Judge the demo set on a simulated market and its twin, print the ranking, write the report."""
    from assay.base import atomic_write
    from assay.views import batch_report

    report = _report_path(folder)
    ledger = _ledger(folder / "ledger")
    with Steps() as steps:
        outcome = _judge_all(seed, steps, ledger)
        steps.begin("writing the report")
        lines = outcome_lines(outcome, seed)
        page = batch_report(
            outcome.verdicts,
            title="Assay demo: factors on a simulated market",
            notes=lines,
            marks=outcome.marks,
            sheets=SHEETS,
        )
        atomic_write(report, page)
        toured = _tour(folder.resolve(), seed, steps)
    if as_json:
        print_json(_as_data(outcome, report, seed) | toured.as_dict())
    else:
        _show(outcome, [*lines, *toured.lines()], (report, *toured.pages))


@dataclass(frozen=True, slots=True)
class Toured:
    """What the desks did in the demo's workspace."""

    workspace: Path
    searched: Searched
    reads: tuple[Read, ...]
    evolved: Evolved
    simulated: Simulated

    @property
    def pages(self) -> tuple[Path, ...]:
        """The pages that they wrote."""
        found = (self.searched.page, *(item.page for item in self.reads), self.simulated.page)
        return tuple(Path(page) for page in found)

    def lines(self) -> list[str]:
        """In sentences."""
        read = [line for item in self.reads for line in item.lines()]
        told = [*self.searched.lines(), *read, *self.evolved.lines(), *self.simulated.lines()]
        return [*told, f"The workspace of all this, to go on with (assay ledger count): {self.workspace}"]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "workspace": str(self.workspace),
            "campaign": self.searched.as_dict(),
            "reports": [item.as_dict() for item in self.reads],
            "evolved": self.evolved.as_dict(),
            "brain": self.simulated.as_dict(),
        }


def _tour(folder: Path, seed: int, steps: Steps) -> Toured:
    """The desks' steps, one after the other, in one workspace."""
    from assay.cli._demo_brain import simulate_alphas
    from assay.cli._demo_campaign import search
    from assay.cli._demo_evolve import evolve_spec
    from assay.cli._demo_reports import read_notes
    from assay.cli._demo_workspace import demo_workspace

    workspace = demo_workspace(folder, seed, steps)
    searched = search(workspace, seed, steps)
    reads = read_notes(workspace, steps)
    admitted = next(Path(item.spec) for item in reads if item.spec is not None)
    evolved = evolve_spec(workspace, admitted, seed, steps)
    return Toured(workspace.root, searched, reads, evolved, simulate_alphas(workspace, seed, steps))


def _ledger(folder: Path) -> Ledger:
    from assay.ledger import Ledger

    return Ledger.open(folder) if folder.exists() else Ledger.create(folder)


def _judge_all(seed: int, steps: Steps, ledger: Ledger) -> Outcome:
    from assay.base import Operator
    from assay.judge import Recording, judge
    from assay.market import simulate

    steps.begin("making the simulated market")
    panel = simulate(seed, INSTRUMENTS, DAYS)
    items, planted = demo_items(panel)
    settings = demo_settings(panel)
    recording = Recording(ledger, Operator.system("demo"), desk="demo")
    steps.begin("judging on it")
    verdicts = judge(items, panel, settings, collect=True, progress=steps.advance, recording=recording)
    marks = known_marks(verdicts, planted)
    steps.begin("making the twin without any signal")
    twin = simulate(seed, INSTRUMENTS, DAYS, signal=False, name="twin")
    steps.begin("judging on the twin")
    twins = judge(items, twin, quick(settings), collect=True, progress=steps.advance, recording=recording)
    steps.begin("counting the trials")
    counted = _count(ledger, panel.name, verdicts)
    passed = {verdict.name for verdict in verdicts if verdict.status == "passed"}
    same = [name for name, mark in marks.items() if mark == SAME]
    others = [verdict.name for verdict in verdicts if verdict.name not in marks]
    return Outcome(
        verdicts=verdicts,
        marks=marks,
        planted=len(planted),
        planted_failed=tuple(name for name in planted if name not in passed),
        same=len(same),
        same_passed=sum(name in passed for name in same),
        others=len(others),
        others_passed=sum(name in passed for name in others),
        twin_judged=len(twins),
        twin_passed=sum(verdict.status == "passed" for verdict in twins),
        expected_by_chance=chance_passes(len(others), settings.thresholds.min_t or 0.0),
        counted=counted,
    )


def _count(ledger: Ledger, data: str, verdicts: Verdicts) -> Counted:
    from assay.ledger import Scope

    found = ledger.trials(Scope(data=data))
    best = max(verdicts, key=lambda v: -1.0 if math.isnan(v.significance.dsr) else v.significance.dsr)
    return Counted(found.n, found.effective_n, ledger.verify().records, best.name, best.significance.dsr)


def demo_items(panel: Panel) -> tuple[dict[str, Expression], tuple[str, ...]]:
    """What to judge, by name, and the names of the planted signals."""
    from assay.expr import parse
    from assay.library import demo_set

    planted = {item.name: parse(item.expression, fields=panel.fields) for item in panel.manifest.planted}
    known = {factor.id: factor.expression for factor in demo_set()}
    return {**planted, **known}, tuple(planted)


def known_marks(verdicts: Verdicts, planted: Collection[str]) -> dict[str, str]:
    """What is known about factors, by name: which are planted, and which are equal to a planted one.

    Equal is what ranks alike: the RankIC of each date is the planted one's, or its opposite on all dates. So
    formulas are equal, too, that differ by a factor or by a constant added, such as ``a / b`` and
    ``a / b - 1``.
    """
    truth = [verdict.series["rank_ic"] for verdict in verdicts if verdict.name in planted]
    same = [
        verdict.name
        for verdict in verdicts
        if verdict.name not in planted
        and any(_ranks_alike(verdict.series["rank_ic"], series) for series in truth)
    ]
    return dict.fromkeys(planted, PLANTED) | dict.fromkeys(same, SAME)


def _ranks_alike(a: NDArray[Any], b: NDArray[Any]) -> bool:
    import numpy as np

    if np.isnan(a).all():
        return False
    return any(np.allclose(a, sign * b, rtol=0.0, atol=_SAME_RANK_IC, equal_nan=True) for sign in (1.0, -1.0))


def demo_settings(panel: Panel) -> JudgeSettings:
    """The judge's defaults, with fewer repeats of the controls: there are a hundred factors."""
    from assay.judge import JudgeSettings

    universe = next((name for name in panel.universes if name != "all"), None)
    return JudgeSettings(
        universe=universe, robustness="quick", leak_checks="quick", bootstrap=100, threads=usable_cores()
    )


def quick(settings: JudgeSettings) -> JudgeSettings:
    """The same rule without what the twin does not need."""
    from dataclasses import replace

    return replace(settings, horizons=(settings.horizon,), leak_checks="off", bootstrap=0, neutral=False)


def chance_passes(count: int, least_t: float) -> float:
    """How many of ``count`` factors without information reach ``|t| >= least_t``, if t is standard normal."""
    return count * math.erfc(least_t / math.sqrt(2.0))


def outcome_lines(outcome: Outcome, seed: int) -> list[str]:
    """The result in sentences."""
    least, counted = outcome.verdicts[0].settings.thresholds.min_t, outcome.counted
    missed = f" (not: {', '.join(outcome.planted_failed)})" if outcome.planted_failed else ""
    found = outcome.planted - len(outcome.planted_failed)
    return [
        f"The market is simulated (seed {seed}): {outcome.planted} signals were planted in it, and nothing "
        "else predicts returns. Known formulas pass where they resemble a planted signal.",
        f"{found} of {outcome.planted} planted signals passed{missed}.",
        f"{outcome.same_passed} of {outcome.same} known formulas equal to a planted one passed.",
        f"{outcome.others_passed} of {outcome.others} other factors passed; chance alone "
        f"would let about {outcome.expected_by_chance:.1f} reach |t| of {least:g}.",
        f"On a twin market without any signal, {outcome.twin_passed} of {outcome.twin_judged} passed.",
        f"The ledger counts {counted.trials} trials on the market ({counted.effective} that do not move "
        f"together); held against them, {counted.best} has the best deflated Sharpe ratio, "
        f"{counted.best_dsr:.0%}. Its {counted.records} records verify.",
    ]


def _report_path(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise AssayError(
            f"cannot make the folder {folder}: {getattr(error, 'strerror', None) or error}",
            where="--out",
            fix="name a folder that may be written to",
        ) from error
    from assay.cli._files import check_writable

    report = folder / "report.html"
    check_writable(report, "--out")
    return report


def _show(outcome: Outcome, lines: Sequence[str], pages: Sequence[Path]) -> None:
    from assay.views import batch_lines

    out = console()
    for line in batch_lines(outcome.verdicts, width=out.width, marks=outcome.marks, limit=SHOWN):
        out.print(line)
    left = len(outcome.verdicts) - SHOWN
    if left > 0:
        out.print(f"and {left} more in the report")
    out.print()
    out.print("SIMULATED DATA: nothing here says anything about a real market.", style="bold yellow")
    for line in lines:
        out.print(line)
    out.print()
    for page in pages:
        out.print(f"report: {page.resolve()}", soft_wrap=True)


def _as_data(outcome: Outcome, report: Path, seed: int) -> dict[str, Any]:
    return {
        "simulated": True,
        "seed": seed,
        "report": str(report.resolve()),
        "planted": {"judged": outcome.planted, "failed": list(outcome.planted_failed)},
        "equal_to_planted": {"judged": outcome.same, "passed": outcome.same_passed},
        "others": {
            "judged": outcome.others,
            "passed": outcome.others_passed,
            "expected_by_chance": outcome.expected_by_chance,
        },
        "ledger": asdict(outcome.counted),
        "twin": {"judged": outcome.twin_judged, "passed": outcome.twin_passed},
        "ranked": [
            {
                **row,
                "mark": outcome.marks.get(row["name"], ""),
                "warnings": list(outcome.verdicts.named(row["name"]).warnings),
            }
            for row in outcome.verdicts.rows(by="t")
        ],
        "refused": [item.error.as_dict() | {"name": item.name} for item in outcome.verdicts.refused],
    }
