"""What must not matter, does not: order of names, scale of prices, monotone transforms, later data."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.base import generator
from assay.judge import JudgeSettings, judge
from assay.market import Group, MarketData, Panel, universe_from_mask

SETTINGS = JudgeSettings(
    horizon=2, horizons=(1, 2), min_names=5, quantiles=3, universe="some", robustness="off", leak_checks="off"
)
FORMULA = "rank(-ts_corr(close, volume, 5)) + 0.1 * rank(ts_return(close, 3))"


def judged(panel: Panel, item=FORMULA, **changes):
    return judge(item, panel, replace(SETTINGS, **changes))[0]


def reordered(data: MarketData, order: np.ndarray, members: np.ndarray) -> Panel:
    groups = {name: Group(group.codes[order], group.labels) for name, group in data.groups.items()}
    return Panel(
        replace(
            data,
            instruments=tuple(data.instruments[i] for i in order),
            fields={name: np.ascontiguousarray(values[:, order]) for name, values in data.fields.items()},
            first_row=data.first_row[order],
            last_row=data.last_row[order],
            groups=groups,
            universes={"some": universe_from_mask(members[:, order], known_until=data.dates[-1])},
        )
    )


def test_order_of_names_changes_nothing(small):
    order = generator(4, "order").permutation(small.shape[1])
    other = judged(reordered(small.data, order, small.universe("some")))
    base = judged(small)
    assert other.summary == pytest.approx(base.summary, rel=1e-6, abs=1e-9, nan_ok=True)
    for key, values in base.series.items():
        np.testing.assert_allclose(other.series[key], values, atol=1e-6, err_msg=key)


def test_adjustment_factor_of_each_name_changes_nothing(small):
    """Prices come in units that depend on the last split; a proper factor does not see them."""
    data = small.data
    scale = np.exp2(generator(4, "scale").integers(-3, 4, small.shape[1])).astype(np.float32)
    factor = data.fields["factor"] * scale
    other = judged(Panel(replace(data, fields={**data.fields, "factor": factor})))
    assert other.summary == pytest.approx(judged(small).summary, rel=1e-6, abs=1e-9, nan_ok=True)


@settings(max_examples=6)
@given(seed=st.integers(0, 2**20), cut=st.integers(30, 55))
def test_later_data_changes_no_earlier_day(small, seed, cut):
    values = generator(seed, "values").normal(size=small.shape).astype(np.float32)
    whole = judged(small, values)
    short = judged(small, values, end=small.dates[cut].item())
    known = cut + 1 - 1 - SETTINGS.horizon
    for key in ("ic", "rank_ic", "names"):
        np.testing.assert_array_equal(short.series[key][:known], whole.series[key][:known], err_msg=key)
    for key in ("coverage", "turnover", "rank_autocorrelation"):
        np.testing.assert_array_equal(short.series[key], whole.series[key][: cut + 1], err_msg=key)
    np.testing.assert_allclose(short.book.net, whole.book.net[: cut + 1], atol=1e-12)


@settings(max_examples=6)
@given(seed=st.integers(0, 2**20), power=st.sampled_from([0.5, 3.0]))
def test_monotone_transform_keeps_everything_that_is_ranked(small, seed, power):
    values = generator(seed, "values").normal(size=small.shape).astype(np.float32)
    base = judged(small, values)
    other = judged(small, np.sign(values) * np.abs(values.astype(float)) ** power)
    for key in ("rank_ic", "turnover", "rank_autocorrelation", "neutral_rank_ic"):
        np.testing.assert_allclose(other.series[key], base.series[key], atol=1e-6, err_msg=key)
    np.testing.assert_array_equal(other.book.net, base.book.net)
    opposite = judged(small, -values)
    np.testing.assert_allclose(opposite.series["rank_ic"], -base.series["rank_ic"], atol=1e-9)


def test_importing_the_judge_loads_nothing_slow():
    slow = ["numba", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "jsonschema"]
    code = f"import sys, assay.judge; print([m for m in {slow} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
