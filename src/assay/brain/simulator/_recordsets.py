"""Record sets of an alpha: rows of figures with a schema, as the platform serves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.brain._wire import Column, Recordset, Stats
from assay.brain.simulator._outcome import Daily, Floats
from assay.brain.simulator._statistics import sharpe_of, stats_of

_DATE = Column(name="date", title="Date", type="date")
_YEARLY = (
    ("year", "Year", "year"), ("pnl", "PnL", "amount"), ("bookSize", "Book Size", "amount"),
    ("longCount", "Long Count", "integer"), ("shortCount", "Short Count", "integer"),
    ("turnover", "Turnover", "percent"), ("sharpe", "Sharpe", "decimal"),
    ("returns", "Returns", "percent"), ("drawdown", "Drawdown", "percent"),
    ("margin", "Margin", "permyriad"), ("fitness", "Fitness", "decimal"), ("stage", "Stage", "string"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupView:
    """Positions and gains of the in-sample dates by a classification, for what ``visualization`` adds."""

    name: str
    labels: tuple[str, ...]
    codes: NDArray[np.int32]
    positions: Floats
    earned: Floats


def recordsets_of(daily: Daily, members: NDArray[np.int64], book: float) -> dict[str, Recordset]:
    """The sets that every alpha has; ``members`` are the names of the universe by date."""
    names = daily.long_count + daily.short_count
    coverage = np.divide(names, members, out=np.zeros(len(names)), where=members > 0)
    years = [_yearly(year, stats_of(part, book)) for year, part in years_of(daily)]
    sets = (
        _series("pnl", "PnL", "amount", daily, np.cumsum(daily.pnl), 2),
        _series("daily-pnl", "Daily PnL", "amount", daily, daily.pnl, 2),
        _series("turnover", "Turnover", "percent", daily, daily.traded / book, 4),
        _series("coverage", "Coverage", "percent", daily, coverage, 4),
        _by_year("sharpe", years, ("year", "sharpe")),
        _by_year("yearly-stats", years, tuple(name for name, _, _ in _YEARLY)),
    )
    return {record.name: record for record in sets}


def _series(name: str, title: str, kind: str, daily: Daily, values: Floats, places: int) -> Recordset:
    column = Column(name=name.removeprefix("daily-"), title=title, type=kind)
    rows = zip(daily.dates.astype(str).tolist(), np.round(values, places).tolist(), strict=True)
    return Recordset(name=name, columns=(_DATE, column), records=tuple(rows))


def years_of(daily: Daily) -> Iterator[tuple[int, Daily]]:
    """The days of each calendar year."""
    year = daily.dates.astype("datetime64[Y]").astype(int) + 1970
    for number in np.unique(year):
        yield int(number), daily.between(*(int(n) for n in np.searchsorted(year, [number, number + 1])))


def _by_year(name: str, years: Sequence[dict[str, Any]], wanted: Sequence[str]) -> Recordset:
    columns = tuple(Column(name=n, title=t, type=k) for n, t, k in _YEARLY if n in wanted)
    rows = tuple(tuple(figures[column.name] for column in columns) for figures in years)
    return Recordset(name=name, columns=columns, records=rows)


def _yearly(year: int, stats: Stats) -> dict[str, Any]:
    return {**stats.model_dump(by_alias=True), "year": str(year), "stage": "IS"}


def group_recordsets(view: GroupView, book: float) -> dict[str, Recordset]:
    """PnL, Sharpe, mean size and mean number of names held by group."""
    kinds = {"pnl": "amount", "sharpe": "decimal", "average-size": "percent", "coverage": "decimal"}
    rows: dict[str, list[tuple[str, float | None]]] = {what: [] for what in kinds}
    for code, label in enumerate(view.labels):
        inside = view.codes == code
        pnl = np.where(inside, view.earned, 0.0).sum(axis=1)
        sharpe = sharpe_of(pnl)
        size = np.abs(np.where(inside, view.positions, 0.0))
        rows["pnl"].append((label, round(float(pnl.sum()), 2)))
        rows["sharpe"].append((label, None if sharpe is None else round(sharpe, 2)))
        rows["average-size"].append((label, round(float(size.sum(axis=1).mean()) / book, 4)))
        rows["coverage"].append((label, round(float((size > 0).sum(axis=1).mean()), 2)))
    group = Column(name=view.name, title=view.name.title(), type="string")
    return {
        f"{what}-by-{view.name}": Recordset(
            name=f"{what}-by-{view.name}",
            columns=(group, Column(name=what, title=what.replace("-", " ").title(), type=kinds[what])),
            records=tuple(records),
        )
        for what, records in rows.items()
    }
