"""Panels that hold every unpleasantness that market data is known for, by seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Panel:
    """Inputs for an engine: fields, groups and vectors of one shape."""

    shape: tuple[int, int]
    fields: dict[str, Array]
    groups: dict[str, Array]
    vectors: dict[str, Array]

    def field(self, name: str) -> Array:
        return self.fields[name]

    def group(self, name: str) -> Array:
        return self.groups[name]

    def vector(self, name: str) -> Array:
        return self.vectors[name]


def from_arrays(
    fields: dict[str, Any], groups: dict[str, Any] | None = None, vectors: dict[str, Any] | None = None
) -> Panel:
    """A panel of hand-written (dates, instruments) arrays; vectors are (values, dates, instruments)."""
    float_fields = {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in fields.items()}
    codes = {k: np.ascontiguousarray(v, dtype=np.int32) for k, v in (groups or {}).items()}
    lists = {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in (vectors or {}).items()}
    shapes = {a.shape[-2:] for part in (float_fields, codes, lists) for a in part.values()}
    assert len(shapes) == 1, shapes
    return Panel(shapes.pop(), float_fields, codes, lists)


def _prices(rng: np.random.Generator, dates: int, names: int) -> dict[str, Array]:
    close = 20.0 * np.exp(np.cumsum(rng.normal(0.0, 0.03, (dates, names)), axis=0))
    open_ = close * (1.0 + rng.normal(0.0, 0.01, (dates, names)))
    high = np.maximum(open_, close) * (1.0 + np.abs(rng.normal(0.0, 0.01, (dates, names))))
    low = np.minimum(open_, close) * (1.0 - np.abs(rng.normal(0.0, 0.01, (dates, names))))
    volume = np.exp(rng.normal(13.0, 1.0, (dates, names)))
    vwap = (high + low + close) / 3.0
    returns = np.full((dates, names), np.nan)
    returns[1:] = close[1:] / close[:-1] - 1.0
    return {
        "open": open_,
        "high": high,
        "low": low,
        "close": close,
        "volume": volume,
        "vwap": vwap,
        "amount": vwap * volume,
        "returns": returns,
    }


def panel(seed: int = 0, dates: int = 40, names: int = 12) -> Panel:
    """A panel with gaps, listings, constants, ties, spikes, infinities, empty and flat days.

    By column: 0 lists late; 1 delists early; 2 is constant; 3 takes three values only; 4 is mostly
    missing; 5 has spikes of 1e7; 6 has infinities; 7 is never present; the others are ordinary with
    gaps here and there. The field ``wild`` spans 50 orders of magnitude.
    """
    rng = np.random.default_rng([seed, dates, names])
    fields = _prices(rng, dates, names)
    for name, x in fields.items():
        x[: dates // 3, 0] = np.nan
        x[2 * dates // 3 :, 1] = np.nan
        x[:, 2] = 0.0 if name == "returns" else 7.25
        x[:, 3] = rng.integers(-1, 2, dates) if name == "returns" else rng.integers(1, 4, dates)
        x[rng.random(dates) < 0.7, 4] = np.nan
        spikes = rng.random(dates) < 0.1
        x[spikes, 5] = 1e7
        x[rng.random(dates) < 0.1, 6] = rng.choice([np.inf, -np.inf])
        x[:, 7] = np.nan
        gaps = rng.random((dates, names)) < 0.03
        gaps[:, 2:4] = False
        x[gaps] = np.nan
        # one suspension for several days, one empty day and one day on which all are equal
        x[dates // 2 : dates // 2 + 4, 8] = np.nan
        x[dates // 4] = np.nan
        x[dates // 4 + 3] = 1.5
        x[dates - 2, 9:] = -0.0
    mixed = rng.normal(0.0, 1.0, (dates, names)).round(1)
    mixed[rng.random((dates, names)) < 0.05] = np.nan
    fields["mixed"] = mixed
    wild = rng.normal(0.0, 1.0, (dates, names)) * 10.0 ** rng.integers(-25, 25, (dates, names))
    wild[rng.random((dates, names)) < 0.1] = np.nan
    fields["wild"] = wild
    groups = {
        "sector": rng.integers(-1, 3, names)[None, :].repeat(dates, axis=0),
        "industry": rng.integers(-1, 5, (dates, names)),
        "market": np.zeros((dates, names)),
    }
    news = rng.normal(0.0, 2.0, (4, dates, names))
    news[rng.random(news.shape) < 0.4] = np.nan
    news[0, 0, 0] = np.inf
    return from_arrays(fields, groups, {"news": news})


def universe(seed: int = 0, dates: int = 40, names: int = 12) -> Array:
    """Membership by date: most names most of the time, nobody on one date, a lone member on another."""
    rng = np.random.default_rng([seed, 7, dates, names])
    member = rng.random((dates, names)) < 0.8
    member[dates // 5] = False
    member[dates // 5 + 1] = False
    member[dates // 5 + 1, names - 1] = True
    return member
