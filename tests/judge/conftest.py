from __future__ import annotations

import numpy as np
import pytest

from assay.base import generator
from assay.market import STANDARD_FIELDS, Group, MarketData, Panel, simulate, universe_from_mask


@pytest.fixture(scope="session")
def sim() -> Panel:
    return simulate(instruments=100, days=420)


@pytest.fixture(scope="session")
def small() -> Panel:
    """25 names, 60 days, gaps, late listings, a delisting, changing members; prices with a split."""
    return Panel(small_market())


def small_market(shape: tuple[int, int] = (60, 25), seed: int = 11) -> MarketData:
    rng = generator(seed, "small market")
    days, names = shape
    dates = np.busday_offset("2020-01-06", np.arange(days)).astype("datetime64[D]")
    close = 20 * np.exp(np.cumsum(rng.normal(0, 0.02, shape), axis=0))
    volume = rng.lognormal(10, 0.5, shape)
    factor = np.ones(shape)
    factor[30:, 3] = 2.0
    close[30:, 3] /= 2.0
    missing = rng.random(shape) < 0.05
    missing[:10, 0] = True
    missing[45:, 1] = True
    fields = {
        "open": close * np.exp(rng.normal(0, 0.005, shape)),
        "high": close * 1.01,
        "low": close * 0.99,
        "close": close,
        "volume": volume,
        "factor": factor,
    }
    arrays = {name: np.where(missing, np.nan, values).astype(np.float32) for name, values in fields.items()}
    arrays["factor"] = factor.astype(np.float32)
    last = np.full(names, days - 1, dtype=np.int32)
    last[1] = 44
    first = np.zeros(names, dtype=np.int32)
    first[0] = 10
    members = rng.random((1, names)).repeat(days, axis=0) < 0.8
    members[days // 2 :] = rng.random((1, names)) < 0.8
    return MarketData(
        name="small",
        dates=dates,
        instruments=tuple(f"N{number:02d}" for number in range(names)),
        fields=arrays,
        infos={name: STANDARD_FIELDS[name] for name in arrays},
        first_row=first,
        last_row=last,
        groups={"industry": Group((np.arange(names) % 3).astype(np.int32), ("a", "b", "c"))},
        universes={"some": universe_from_mask(members, known_until=dates[-1])},
        market="CN",
    )
