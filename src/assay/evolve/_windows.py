"""Seeds beside what was evolved from them, window by window, as the backtest service tells of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final, Literal, Protocol, get_args

from assay.base import unique_keys
from assay.errors import DataError

Metric = Literal["ir", "net_excess", "max_drawdown", "turnover", "rank_ic"]
METRICS: Final[tuple[Metric, ...]] = get_args(Metric)
"""Figures that the service tells of both windows, under these names."""
LOWER_IS_BETTER: Final = frozenset({"turnover"})

Window = Literal["search", "eval"]
WINDOWS: Final[tuple[Window, ...]] = ("eval", "search")
"""The sealed window comes first: without a token for it, nothing else is tried."""

_KEYS: Final = ("spec_id", "seed", "evolved")

Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Pair:
    """A seed and what was evolved from it: formulas of the report dialect under one registered spec."""

    spec_id: str
    seed: str
    evolved: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What the service said of a pair on a window; figures are None where it refused, which ``why`` tells."""

    seed: Figures | None
    evolved: Figures | None
    why: str = ""


class WindowService(Protocol):
    """What is asked for figures."""

    def compare(self, pair: Pair, window: Window) -> Compared:
        """Both formulas of a pair on a window.

        Raises
        ------
        Refusal
            ``eval_sealed``; a budget of looks that is used up.
        ProviderError
            The service is down, or knows neither the token nor the spec.
        """
        ...


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One figure over the pairs of a window.

    Parameters
    ----------
    n_scored : pairs with the figure on both sides.
    median_seed, median_evolved, median_delta : None where none is scored.
    improved_share : share of the scored pairs whose evolved side is better.
    """

    metric: Metric
    n_scored: int
    median_seed: float | None
    median_evolved: float | None
    median_delta: float | None
    improved_share: float | None


@dataclass(frozen=True, slots=True)
class WindowReport:
    """A window: how many pairs, and a row for each figure."""

    window: Window
    n: int
    metrics: tuple[MetricRow, ...]
    pairs: tuple[tuple[Pair, Compared], ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "window": self.window,
            "n": self.n,
            "metrics": [asdict(row) for row in self.metrics],
            "pairs": [{**asdict(pair), **_prefixed(found)} for pair, found in self.pairs],
        }


def read_pairs(text: str, where: str = "--input") -> tuple[Pair, ...]:
    """Pairs from JSON lines ``{"spec_id", "seed", "evolved"}``.

    Raises
    ------
    DataError
        A line is not one, or there is none.
    """
    pairs = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            pairs.append(_pair(line, f"{where}, line {number}"))
    if not pairs:
        raise DataError("there is no pair", where=where, fix=f"give JSON lines with {', '.join(_KEYS)}")
    return tuple(pairs)


def _pair(line: str, where: str) -> Pair:
    fix = f"give an object with the texts {', '.join(_KEYS)}"
    try:
        data = json.loads(line, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", where=where, fix=fix) from error
    if not isinstance(data, dict) or sorted(data) != sorted(_KEYS):
        raise DataError("the line is no pair", where=where, fix=fix)
    if not all(isinstance(value, str) and value.strip() for value in data.values()):
        raise DataError("a value is no text", where=where, fix=fix)
    return Pair(**data)


def window_reports(pairs: Sequence[Pair], service: WindowService) -> tuple[WindowReport, ...]:
    """Ask for every pair on every window, the sealed one first."""
    return tuple(
        _report(window, [(pair, service.compare(pair, window)) for pair in pairs]) for window in WINDOWS
    )


def _report(window: Window, found: Sequence[tuple[Pair, Compared]]) -> WindowReport:
    sides = [
        (item.seed, item.evolved) for _, item in found if item.seed is not None and item.evolved is not None
    ]
    return WindowReport(window, len(found), tuple(_row(name, sides) for name in METRICS), tuple(found))


def _row(metric: Metric, sides: Iterable[tuple[Figures, Figures]]) -> MetricRow:
    known = [
        (before, after)
        for seed, evolved in sides
        if (before := seed[metric]) is not None and (after := evolved[metric]) is not None
    ]
    deltas = [after - before for before, after in known]
    sign = -1.0 if metric in LOWER_IS_BETTER else 1.0
    return MetricRow(
        metric=metric,
        n_scored=len(known),
        median_seed=median(before for before, _ in known) if known else None,
        median_evolved=median(after for _, after in known) if known else None,
        median_delta=median(deltas) if known else None,
        improved_share=sum(sign * delta > 0 for delta in deltas) / len(deltas) if known else None,
    )


def _prefixed(found: Compared) -> dict[str, Any]:
    return {
        "seed_figures": None if found.seed is None else dict(found.seed),
        "evolved_figures": None if found.evolved is None else dict(found.evolved),
        "why": found.why,
    }


def markdown(reports: Sequence[WindowReport]) -> str:
    """The reports as a page."""
    lines = ["# Evolved factors beside their seeds", ""]
    for report in reports:
        lines += [
            f"## {report.window}",
            "",
            f"{report.n} pairs.",
            "",
            "| figure | scored | median seed | median evolved | median difference | improved |",
            "|---|---:|---:|---:|---:|---:|",
            *(_line(row) for row in report.metrics),
            "",
        ]
    return "\n".join(lines)


def _line(row: MetricRow) -> str:
    figures = (row.median_seed, row.median_evolved, row.median_delta)
    cells = [f"{value:.4f}" if value is not None else "" for value in figures]
    share = "" if row.improved_share is None else f"{row.improved_share:.0%}"
    return f"| {row.metric} | {row.n_scored} | {' | '.join(cells)} | {share} |"
