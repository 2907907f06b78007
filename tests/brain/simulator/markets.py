"""Small markets: one made by hand, and simulated ones."""

from __future__ import annotations

from functools import cache

import numpy as np

from assay.brain import SimulationRequest, SimulationSettings
from assay.brain.simulator import Daily, Market
from assay.config import BrainSimulatorSettings
from assay.market import MarketData, Panel, field_info, simulate

SETTINGS = BrainSimulatorSettings(held_days=100)


@cache
def simulated(signal: bool = True, instruments: int = 60, days: int = 700, seed: int = 7) -> Panel:
    return simulate(seed, instruments, days, signal)


@cache
def market(signal: bool = True, instruments: int = 60, days: int = 700, seed: int = 7) -> Market:
    return Market.of(simulated(signal, instruments, days, seed), None, SETTINGS)


def request(code: str, **settings: object) -> SimulationRequest:
    return SimulationRequest(regular=code, settings=SimulationSettings.model_validate(settings))


def weekdays(count: int, start: str = "2020-01-01") -> np.ndarray:
    days = np.datetime64(start) + np.arange(2 * count)
    return days[np.is_busday(days)][:count]


def by_hand(close: np.ndarray, *, start: str = "2020-01-01", **fields: np.ndarray) -> MarketData:
    """A data set of closing prices and further fields, all of one shape."""
    days, names = close.shape
    values = {"close": close, **fields}
    return MarketData(
        name="hand",
        dates=weekdays(days, start),
        instruments=tuple(f"H{number}" for number in range(names)),
        fields={name: array.astype(np.float32) for name, array in values.items()},
        infos={name: field_info(name) for name in values},
        first_row=np.zeros(names, dtype=np.int32),
        last_row=np.full(names, days - 1, dtype=np.int32),
    )


def daily(pnl: list[float], *, start: str = "2020-01-01", traded: float = 1e6, names: int = 20) -> Daily:
    """Series with the given PnL and everything else constant."""
    count = len(pnl)
    return Daily(
        dates=weekdays(count, start),
        pnl=np.array(pnl, dtype=np.float64),
        traded=np.full(count, traded),
        held=np.full(count, 20e6),
        largest=np.full(count, 1e6),
        long_count=np.full(count, names // 2),
        short_count=np.full(count, names - names // 2),
    )
