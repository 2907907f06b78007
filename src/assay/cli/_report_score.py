"""What ``assay report score``, ``holdout-report``, ``compare``, ``inject`` and ``dry-run`` do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from assay.cli._files import check_distinct, check_writable, read_text
from assay.cli._output import print_json, say, without_nan
from assay.cli._progress import note, slow_notice
from assay.cli._report_desk import DeskRun, desk_run
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from assay.reports._case import FactorCase
    from assay.reports._extraction import Extraction
    from assay.reports.metrics import Comparison, Figures, Metrics, Mode, PredictionRow, Rate
    from assay.reports.negatives import NegativeResult
    from assay.tools import Score

PASSED: Final = 1
_LABELS: Final[Mapping[str, str]] = {
    "task_success": "task success",
    "spec_success": "success, specs",
    "evidence_grounded": "evidence grounded",
    "refusal_precision": "refusal precision",
    "refusal_recall": "refusal recall",
    "right_reason": "right reasons",
    "false_refusals": "false refusals",
    "illegal_calls": "illegal calls",
}


@dataclass(frozen=True, slots=True)
class DryRunRequest:
    """The command line of ``assay report dry-run``."""

    backend: str
    mode: str
    cases: Path | None
    split: str | None
    out: Path | None
    as_json: bool


def run_score(predictions: Path, cases: Path | None, split: str | None, *, as_json: bool) -> None:
    """Score a file of predictions."""
    chosen = _cases(cases, split)
    found = _scored(predictions, chosen)
    _show(found, as_json=as_json)


def run_holdout(predictions: Path, out: Path, cases: Path | None, *, as_json: bool) -> None:
    """The report on the holdout cases."""
    from assay.base import atomic_write
    from assay.reports.gold import check_split

    check_writable(out, "--out")
    check_distinct({"--out": out}, predictions)
    every = _cases(cases, None)
    check_split(every)
    found = _scored(predictions, [case for case in every if case.split == "holdout"], among=every)
    content: dict[str, Any] = {mode: metrics.as_dict() for mode, metrics in found.items()}
    if out.suffix.lower() == ".json":
        text = json.dumps(without_nan(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = "\n".join(_markdown(found.values())) + "\n"
    atomic_write(out, text)
    if as_json:
        print_json(content)
    else:
        for metrics in found.values():
            _print_table(metrics)
        say(f"wrote {out}")


def run_compare(before: Path, after: Path, cases: Path | None, split: str | None, *, as_json: bool) -> None:
    """Two files of predictions side by side."""
    from assay.reports.metrics import compare

    chosen = _cases(cases, split)
    sides = _scored(before, chosen), _scored(after, chosen)
    modes = [mode for mode in sides[0] if mode in sides[1]]
    if not modes:
        raise DataError("the two files have no mode in common", where="--after")
    found = [compare(sides[0][mode], sides[1][mode]) for mode in modes]
    if as_json:
        print_json({item.mode: item.as_dict() for item in found})
        return
    for item in found:
        for line in _compare_lines(item):
            say(line)


def run_inject(out: Path | None, cases: Path | None, *, as_json: bool) -> int:
    """Negatives of every family on every case; 1 where one passes."""
    from assay.base import atomic_write
    from assay.reports.dry_run import Shown
    from assay.reports.negatives import table
    from assay.reports.verifier import GATE

    check_writable(out, "--out")
    chosen, shown = _cases(cases, None), Shown()
    with slow_notice():
        found = table([(case, shown(case, "whole")) for case in chosen])
    through = [item for item in found if item.admitted or item.scored.reward >= GATE]
    if out is not None:
        rows = [_negative_row(item) for item in found]
        atomic_write(out, "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows))
    if as_json:
        print_json(
            {
                "negatives": len(found),
                "passed": [[item.negative.case_id, item.negative.family] for item in through],
                "families": _families(found),
                "rewards": [
                    {
                        "case_id": item.negative.case_id,
                        "family": item.negative.family,
                        "reward": item.scored.reward,
                        "caps": sorted(item.scored.caps),
                        "admitted": item.admitted,
                    }
                    for item in found
                ],
            }
        )
    else:
        _print_families(found)
        for item in through:
            say(f"passed: {item.negative.case_id} {item.negative.family} {item.scored.reward:.2f}")
        if out is not None:
            say(f"wrote {len(found)} negatives to {out}")
    return PASSED if through else 0


def run_dry(request: DryRunRequest) -> None:
    """Extract every case with a backend, and score it."""
    from assay.base import atomic_write
    from assay.reports.dry_run import Shown, dry_run
    from assay.reports.metrics import MODES, score_rows

    if request.mode not in (*MODES, "both"):
        raise AssayError(f"the mode is {request.mode!r}", where="--mode", fix="use whole, excerpt or both")
    check_writable(request.out, "--out")
    modes = MODES if request.mode == "both" else (cast("Mode", request.mode),)
    chosen, shown = _cases(request.cases, request.split), Shown()
    inputs = {"cases": _digest(chosen)}

    rows: list[PredictionRow] = []

    def watch(row: PredictionRow) -> None:
        rows.append(row)
        if request.backend != "rules":
            note(f"{row.case_id} ({row.mode}) answered")

    try:
        more = {"modes": list(modes)}
        with desk_run(request.backend, inputs, record=False, more=more) as desk, slow_notice():
            dry_run(
                chosen,
                lambda case, mode: desk.extractor(case.case_id, mode, _scorer(desk, case, mode, shown)),
                modes,
                shown,
                watch=watch,
            )
    finally:
        # what a service that fails has answered before is paid for
        if request.out is not None and rows:
            atomic_write(request.out, _lines(rows))
    found = score_rows(rows, chosen, shown)
    _show(found, as_json=request.as_json)
    if request.out is not None and not request.as_json:
        say(f"wrote {len(rows)} predictions to {request.out}")


def _scorer(desk: DeskRun, case: FactorCase, mode: Mode, shown: Any) -> Any:
    """The score that is stored with an episode; the rules have none."""
    if desk.client is None:
        return None

    def scored(found: Extraction) -> Score:
        from assay.reports.verifier import score
        from assay.tools import Score

        got = score(case, found, document=shown(case, mode))
        parts = {str(name): value for name, value in got.subscores.items()}
        return Score(got.reward, got.raw, tuple(got.caps), parts, {"mismatches": list(got.mismatches)})

    return scored


def _cases(folder: Path | None, split: str | None) -> Sequence[FactorCase]:
    from assay.reports._case import Split
    from assay.reports.gold import gold_cases, read_batch, require_annotated

    if split is not None and split not in get_args(Split):
        raise AssayError(
            f"the split is {split!r}", where="--split", fix=f"use {' or '.join(get_args(Split))}"
        )
    found = gold_cases() if folder is None else read_batch(folder)
    require_annotated(found)
    chosen = [case for case in found if split is None or case.split == split]
    if not chosen:
        raise DataError("there are no cases", where="--cases")
    return chosen


def _digest(cases: Iterable[FactorCase]) -> str:
    from assay.reports.gold import asset_batch

    return str(asset_batch(tuple(cases)).manifest["sha256"])


def _scored(
    predictions: Path, cases: Sequence[FactorCase], among: Sequence[FactorCase] | None = None
) -> dict[Mode, Metrics]:
    """The metrics of the predictions of ``cases``; those of other cases of ``among`` are left aside."""
    from assay.reports.dry_run import Shown
    from assay.reports.gold import gold_cases
    from assay.reports.metrics import read_predictions, score_rows

    wanted = {case.case_id for case in cases}
    text = read_text(predictions, str(predictions))
    known = {case.case_id: case for case in (*(among or gold_cases()), *cases)}
    every = read_predictions(text, tuple(known.values()), str(predictions))
    rows = [row for row in every if row.case_id in wanted]
    if not rows:
        raise DataError("no prediction is of these cases", where=str(predictions))
    with slow_notice():
        return score_rows(rows, cases, Shown())


def _lines(rows: Iterable[PredictionRow]) -> str:
    return "".join(json.dumps(row.as_dict(), ensure_ascii=False, sort_keys=True) + "\n" for row in rows)


def _show(found: Mapping[Mode, Metrics], *, as_json: bool) -> None:
    if as_json:
        print_json({mode: metrics.as_dict() for mode, metrics in found.items()})
        return
    for metrics in found.values():
        _print_table(metrics)
        failed = [o for o in metrics.outcomes if not o.scored.task_success]
        for outcome in failed:
            caps = "; ".join(f"{name}: {why}" for name, why in outcome.scored.caps.items())
            say(f"  {outcome.case.case_id:<18} {outcome.scored.reward:.2f}  {caps}")


def _columns(metrics: Metrics) -> dict[str, Figures]:
    return {"all": metrics.overall, **metrics.by_language}


def _print_table(metrics: Metrics) -> None:
    missing = sum(outcome.row is None for outcome in metrics.outcomes)
    lacking = f", {missing} without a prediction" if missing else ""
    say(f"mode {metrics.mode}: {metrics.overall.cases} cases{lacking}; 95% intervals in brackets")
    columns = _columns(metrics)
    say(_table_line("", columns))
    for name, label in _LABELS.items():
        say(_table_line(label, [_rate(getattr(figures, name)) for figures in columns.values()]))
    say(_table_line("mean reward", [_number(figures.reward) for figures in columns.values()]))
    medians = [f"{_LABELS[name]} {_percent(value)}" for name, value in metrics.group_medians.items()]
    say(f"medians of {len(metrics.by_group)} groups: {', '.join(medians)}")


def _table_line(label: str, cells: Iterable[str]) -> str:
    return (f"{label:<20}" + "".join(f"{cell:<22}" for cell in cells)).rstrip()


def _rate(rate: Rate) -> str:
    if rate.interval is None:
        return "-"
    low, high = rate.interval
    return f"{_percent(rate.value)} ({rate.hits}/{rate.total}) [{100 * low:.0f}, {100 * high:.0f}]"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}%"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _markdown(found: Iterable[Metrics]) -> list[str]:
    lines = ["# Holdout report", ""]
    for metrics in found:
        columns = _columns(metrics)
        lines += [f"## Mode {metrics.mode}: {metrics.overall.cases} cases", ""]
        lines += [f"| rate, 95% interval | {' | '.join(columns)} | median of groups |"]
        lines += ["|---|" + "---|" * (len(columns) + 1)]
        for name, label in _LABELS.items():
            cells = " | ".join(_rate(getattr(figures, name)) for figures in columns.values())
            lines.append(f"| {label} | {cells} | {_percent(metrics.group_medians[name])} |")
        lines += ["", "| group | cases | task success | mean reward |", "|---|---|---|---|"]
        lines += [
            f"| {name} | {figures.cases} | {_rate(figures.task_success)} | {_number(figures.reward)} |"
            for name, figures in metrics.by_group.items()
        ]
        lines += ["", "| case | reward | caps |", "|---|---|---|"]
        lines += [
            f"| {o.case.case_id} | {o.scored.reward:.2f} | {', '.join(o.scored.caps)} |"
            for o in metrics.outcomes
        ]
        lines.append("")
    return lines


def _compare_lines(found: Comparison) -> list[str]:
    lines = [f"mode {found.mode}: {found.cases} cases that both answer"]
    for change in found.changes:
        points = "-" if change.points is None else f"{change.points:+.1f} points"
        label = _LABELS[change.name]
        lines.append(f"  {label:<20} {_rate(change.before):<22}{_rate(change.after):<22} {points}")
    p_value = "" if found.p_value is None else f"; sign test p = {found.p_value:.3f}"
    lines.append(f"  gained {len(found.gained)}, lost {len(found.lost)}{p_value}")
    lines += [
        f"  {name}: {', '.join(ids)}" for name, ids in (("gained", found.gained), ("lost", found.lost)) if ids
    ]
    return lines


def _negative_row(item: NegativeResult) -> dict[str, Any]:
    negative = item.negative
    return {
        "case_id": negative.case_id,
        "family": negative.family,
        "origin": negative.origin,
        "prediction": negative.extraction.as_dict(),
        "reward": item.scored.reward,
        "caps": dict(item.scored.caps),
        "admitted": item.admitted,
    }


def _families(found: Sequence[NegativeResult]) -> list[dict[str, Any]]:
    names = dict.fromkeys(item.negative.family for item in found)
    grouped = {name: [item for item in found if item.negative.family == name] for name in names}
    return [
        {
            "family": name,
            "cases": len(items),
            "max_reward": max(item.scored.reward for item in items),
            "admitted": sum(item.admitted for item in items),
        }
        for name, items in grouped.items()
    ]


def _print_families(found: Sequence[NegativeResult]) -> None:
    """Family by case: the rewards; a dash where the rule changes nothing."""
    families = list(dict.fromkeys(item.negative.family for item in found))
    cases = list(dict.fromkeys(item.negative.case_id for item in found))
    rewards = {(item.negative.case_id, item.negative.family): item.scored.reward for item in found}
    for number, family in enumerate(families, 1):
        say(f"{number:>2} {family}")
    say(f"{'case':<18}" + "".join(f"{number:>6}" for number in range(1, len(families) + 1)))
    for case in cases:
        cells = [rewards.get((case, family)) for family in families]
        say(f"{case:<18}" + "".join(f"{'-' if cell is None else format(cell, '.2f'):>6}" for cell in cells))
    for row in _families(found):
        say(
            f"{row['family']}: {row['cases']} cases, reward at most {row['max_reward']:.2f}, "
            f"{row['admitted']} admitted"
        )
