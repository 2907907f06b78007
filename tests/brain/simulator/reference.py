"""The simulator once more, slow and by the definitions: loops over dates and names, the second engine.

Nothing of the simulator is used but the market's data and membership.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from assay.brain import SimulationRequest
from assay.brain.simulator import Market
from assay.engine import reference
from assay.expr import parse
from assay.market import Panel

BOOK = 20e6


@dataclass
class Figures:
    pnl: pd.Series
    turnover: float
    returns: float
    sharpe: float
    fitness: float
    drawdown: float
    margin: float
    long_count: float
    short_count: float


class _Masked:
    def __init__(self, panel: Panel, members: np.ndarray) -> None:
        self.panel, self.members, self.shape = panel, members, panel.shape

    def field(self, name: str) -> np.ndarray:
        return np.where(self.members, self.panel.field(name), np.float32(np.nan))

    def group(self, name: str) -> np.ndarray:
        return np.where(self.members, self.panel.group(name), np.int32(-1))

    def vector(self, name: str) -> np.ndarray:
        return np.where(self.members, self.panel.vector(name), np.float32(np.nan))


def figures(market: Market, request: SimulationRequest) -> Figures:
    settings, panel = request.settings, market.sample.panel
    members = market.sample.members(settings.universe)
    node = parse(request.regular, "fastexpr", fields=panel.fields).node
    masked = settings.pasteurization == "ON"
    values = reference.evaluate(
        node, _Masked(panel, members) if masked else panel, universe=members if masked else None
    )
    frame = pd.DataFrame(np.asarray(values, dtype=np.float64)).where(pd.DataFrame(members))
    if settings.decay > 1:
        frame = _decayed(frame, settings.decay)
    rows = []
    for date in range(len(frame)):
        row = frame.iloc[date].dropna()
        if settings.truncation:
            cap = settings.truncation * row.abs().sum()
            row = row.clip(-cap, cap)
        if settings.neutralization != "NONE":
            codes = pd.Series(panel.group(settings.neutralization.lower())[date]).loc[row.index]
            row = row[codes >= 0]
            rest = row - row.groupby(codes).transform("mean")
            # what rounding leaves of nothing is no position
            row = rest.where(rest.abs() > 1e-12 * row.abs(), 0.0)
        total = row.abs().sum()
        rows.append(row / total * BOOK if total > 0 else row)
    targets = pd.DataFrame(rows, columns=frame.columns)
    return _figures(market, targets.fillna(0.0), settings.delay)


def _decayed(frame: pd.DataFrame, days: int) -> pd.DataFrame:
    out = frame.copy()
    for date in range(len(frame)):
        for name in frame.columns:
            if np.isnan(frame.iat[date, name]):
                continue
            total = 0.0
            for ago in range(days):
                past = frame.iat[date - ago, name] if date - ago >= 0 else np.nan
                total += (days - ago) * (0.0 if np.isnan(past) else past)
            out.iat[date, name] = total / sum(range(1, days + 1))
    return out


def _figures(market: Market, targets: pd.DataFrame, delay: int) -> Figures:
    close = pd.DataFrame(market.sample.panel.field("close").astype(np.float64)).ffill()
    moves = (close / close.shift(1) - 1).fillna(0.0)
    # a bar without a price earns nothing: its close is carried
    pnl = (targets.shift(1).fillna(0.0) * moves).sum(axis=1)
    held = targets.shift(delay).fillna(0.0)
    traded = (held - held.shift(1).fillna(0.0)).abs().sum(axis=1)
    dates = pd.Index(market.sample.panel.dates)
    inside = np.asarray(dates >= market.start)
    pnl, traded, held = pnl[inside], traded[inside], held[inside]
    wealth = pd.concat([pd.Series([0.0]), pnl.cumsum()])
    sharpe = np.sqrt(252) * pnl.mean() / pnl.std() if pnl.std() > 0 else float("nan")
    returns = pnl.mean() * 252 / (BOOK / 2)
    turnover = (traded / BOOK).mean()
    return Figures(
        pnl=pnl,
        turnover=turnover,
        returns=returns,
        sharpe=sharpe,
        fitness=sharpe * np.sqrt(abs(returns) / max(turnover, 0.125)),
        drawdown=(wealth.cummax() - wealth).max() / (BOOK / 2),
        margin=pnl.sum() / traded.sum() if traded.sum() else float("nan"),
        long_count=(held > 0).sum(axis=1).mean(),
        short_count=(held < 0).sum(axis=1).mean(),
    )
