from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import Refusal
from assay.features import Base, Feature, FeatureGraph, FeatureProblems, FeatureStore, feature, standard_graph
from assay.features import _cache as cache_module
from assay.market import Panel, simulate

from .conftest import FORMULAS, bar_range, slow_range


@pytest.fixture(scope="module")
def store(market: Panel, graph: FeatureGraph) -> FeatureStore:
    return FeatureStore(market, graph)


NAMES = ("close", "fwd_ret_1", "fwd_ret_20", "bar_range", "slow_range", *FORMULAS)


@settings(max_examples=60)
@given(name=st.sampled_from(NAMES), day=st.integers(-5, 259))
def test_as_of_is_the_whole_panel_cut_there(store: FeatureStore, name: str, day: int) -> None:
    dates = store.panel.dates
    as_of = (dates[0] + day * 1 if day < 0 else dates[day]).item()
    whole, found = store.materialize(name), store.materialize(name, as_of)
    kept = int(np.count_nonzero(whole.known <= np.datetime64(as_of)))
    assert found.values.shape == (kept, store.panel.shape[1])
    assert np.array_equal(found.values.view(np.uint32), whole.values[:kept].view(np.uint32))
    assert np.array_equal(found.dates, whole.dates[:kept])
    assert np.array_equal(found.known, whole.known[:kept])
    assert (found.known <= np.datetime64(as_of)).all()


@settings(max_examples=25)
@given(name=st.sampled_from(NAMES), row=st.integers(30, 250))
def test_what_comes_after_as_of_changes_nothing(
    store: FeatureStore, graph: FeatureGraph, name: str, row: int
) -> None:
    """The panel cut at the day, with nothing behind it, gives the same."""
    day = store.panel.dates[row].item()
    alone = FeatureStore(store.panel.between(None, day), graph).materialize(name)
    assert np.array_equal(alone.values, store.materialize(name, day).values, equal_nan=True)


def test_a_label_is_known_when_its_last_price_is(store: FeatureStore) -> None:
    dates, close = store.panel.dates, store.panel.field("close")
    found = store.materialize("fwd_ret_5", dates[100].item())
    assert found.dates[-1] == dates[94]
    assert found.known[-1] == dates[100]
    expected = close[100].astype(float) / close[95] - 1.0
    assert np.allclose(found.values[-1], expected, equal_nan=True, rtol=1e-6)


def test_a_day_without_a_bar_counts_the_last_one_before(store: FeatureStore) -> None:
    dates = store.panel.dates
    gap = next(i for i in range(100, 200) if dates[i + 1] - dates[i] > np.timedelta64(1, "D"))
    weekend = dates[gap].item() + timedelta(days=1)
    assert np.array_equal(
        store.materialize("reversal", weekend).dates, store.materialize("reversal", dates[gap].item()).dates
    )


def test_the_future_is_refused_and_the_past_is_empty(market: Panel, graph: FeatureGraph) -> None:
    store = FeatureStore(market, graph, clock=market.dates[200].item())
    with pytest.raises(Refusal) as caught:
        store.materialize("close", market.dates[201].item())
    assert caught.value.reason.code == "as_of_in_future"
    assert store.materialize("close").dates[-1] == market.dates[199]
    assert store.materialize("close", date(1990, 1, 1)).values.shape == (0, 30)
    with pytest.raises(Refusal) as caught:
        store.materialize("nothing")
    assert caught.value.reason.code == "unknown_feature"


def test_what_is_known_at_a_bar_is_the_value_lag_rows_before(store: FeatureStore) -> None:
    known = store.known(["reversal", "slow_range"])
    assert np.array_equal(known["reversal"][1:], store.materialize("reversal").values, equal_nan=True)
    assert np.array_equal(known["slow_range"][2:], store.materialize("slow_range").values, equal_nan=True)
    assert np.isnan(known["slow_range"][:2]).all()


def test_members_alone_are_ranked(market: Panel, graph: FeatureGraph) -> None:
    name = next(name for name in market.universes if name != "all")
    found = FeatureStore(market, graph, universe=name).materialize("reversal")
    members = market.universe(name)[: len(found.dates)]
    assert np.isnan(found.values[~members]).all()
    assert np.nanmax(found.values) == 1.0


def peeks(call):
    return feature("peek", deps=("close",))(call)


LOOK_AHEAD = {
    "the next row": lambda x: np.vstack([x[1:], x[-1:]]),
    "the sum of all rows": lambda x: x - np.nansum(x, axis=0),
    "a fill from behind": lambda x: np.where(np.isnan(x), np.vstack([x[1:], x[-1:]]), x * 0),
    "the last row": lambda x: np.broadcast_to(x[-1], x.shape),
    "the number of rows": lambda x: x / len(x),
    "a rank over time": lambda x: np.argsort(np.argsort(np.nan_to_num(x), axis=0), axis=0),
    "from one end to the other": lambda x: x[::-1],
}


@pytest.mark.parametrize("call", LOOK_AHEAD.values(), ids=list(LOOK_AHEAD))
def test_a_python_feature_that_looks_ahead_is_never_served(market: Panel, call) -> None:
    store = FeatureStore(market, standard_graph(market, extra=[peeks(call)], formulas={"on": "rank(peek)"}))
    for name in ("peek", "on"):
        for day in (None, market.dates[50].item()):
            with pytest.raises(Refusal, match="looks ahead") as caught:
                store.materialize(name, day)
            assert caught.value.reason.code == "broken_feature"
    assert store.materialize("close").values.size


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda x: x[:-1], "gave shape"),
        (lambda x: 1 / 0, "raised ZeroDivisionError"),
        (lambda x: x.fill(0), "raised ValueError"),
        (lambda x: "text", "raised ValueError"),
        (lambda x: x * np.random.default_rng().random(), "other values when it is run again"),
    ],
)
def test_a_broken_function_is_named(market: Panel, call, told: str) -> None:
    store = FeatureStore(market, standard_graph(market, extra=[peeks(call)]))
    with pytest.raises(Refusal, match=told) as caught:
        store.materialize("peek")
    assert "'peek'" in caught.value.message


def test_a_label_function_may_reach_as_far_as_its_lag(market: Panel) -> None:
    def ahead(rows: int, lag: int):
        @feature("ahead", deps=("close",), is_label=True, lag=lag)
        def call(close):
            out = np.full_like(close, np.nan)
            out[:-rows] = close[rows:] / close[:-rows]
            return out

        return FeatureStore(market, standard_graph(market, extra=[call]))

    assert len(ahead(3, 4).materialize("ahead").dates) == market.shape[0] - 4
    with pytest.raises(Refusal, match="looks ahead"):
        ahead(5, 4).materialize("ahead")


def test_infinities_are_missing(market: Panel) -> None:
    store = FeatureStore(market, standard_graph(market, extra=[peeks(lambda x: x / 0.0)]))
    assert np.isnan(store.materialize("peek").values).all()


def test_a_graph_of_another_data_set_is_refused(market: Panel) -> None:
    other = simulate(instruments=20, days=60)
    graph = standard_graph(market, formulas={"x": "rank(close)"})
    alien = graph.extended([Feature("alien", Base("moonlight"))])
    with pytest.raises(FeatureProblems, match="alien: needs 'moonlight'"):
        FeatureStore(other, alien)


# --- the cache -----------------------------------------------------------------------------------------


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("*"))


def test_values_are_read_again_and_bad_ones_made_anew(market: Panel, tmp_path: Path) -> None:
    graph = standard_graph(market, formulas={"x": "rank(close)"}, extra=[bar_range])
    fresh = FeatureStore(market, graph).materialize("x").values
    for name in ("x", "bar_range"):
        FeatureStore(market, graph, cache=tmp_path).materialize(name)
    files = stored(tmp_path)
    assert len(files) == 2
    for damage in (b"", b"ASSAYFV1", files[0].read_bytes()[:-4]):
        for file in files:
            file.write_bytes(damage)
        assert np.array_equal(
            FeatureStore(market, graph, cache=tmp_path).materialize("x").values, fresh, equal_nan=True
        )
    whole = stored(tmp_path)[0].read_bytes()
    for place in (3, 12, 60, len(whole) - 1):  # one flipped bit anywhere
        for file in files:
            torn = bytearray(file.read_bytes())
            torn[min(place, len(torn) - 1)] ^= 1
            file.write_bytes(bytes(torn))
        again = FeatureStore(market, graph, cache=tmp_path).materialize("x").values
        assert np.array_equal(again, fresh, equal_nan=True)


def test_a_good_entry_is_served(market: Panel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = standard_graph(market, formulas={"x": "rank(close)"})
    fresh = FeatureStore(market, graph, cache=tmp_path).materialize("x").values

    def never(*_: object, **__: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr("assay.features._store.evaluate", never)
    served = FeatureStore(market, graph, cache=tmp_path).materialize("x").values
    assert np.array_equal(served, fresh, equal_nan=True)
    with pytest.raises(AssertionError, match="computed again"):
        FeatureStore(market, graph, cache=tmp_path).materialize("x", market.dates[90].item())


def test_another_content_never_meets_an_entry(market: Panel, tmp_path: Path) -> None:
    one = standard_graph(market, formulas={"x": "rank(close)"})
    two = standard_graph(market, formulas={"x": "rank(-close)"})
    other = simulate(6, instruments=30, days=260)
    index = next(name for name in market.universes if name != "all")
    for panel, graph, universe in (
        (market, one, None),
        (market, two, None),
        (other, one, None),
        (market, one, index),
        (market.between(market.dates[9], None), one, None),
    ):
        found = FeatureStore(panel, graph, universe=universe, cache=tmp_path).materialize("x").values
        alone = FeatureStore(panel, graph, universe=universe).materialize("x").values
        assert np.array_equal(found, alone, equal_nan=True)
    assert len(stored(tmp_path)) == 5


def test_the_oldest_entries_go_when_there_is_no_room(tmp_path: Path) -> None:
    cache = cache_module.FeatureCache(tmp_path, max_bytes=1000)
    for number in range(5):
        cache.put({"feature": str(number)}, np.full((10, 10), number, dtype=np.float32))
    assert sum(file.stat().st_size for file in stored(tmp_path)) <= 1000
    newest = cache.get({"feature": "4"}, (10, 10))
    assert newest is not None
    assert (newest == 4).all()
    assert cache.get({"feature": "0"}, (10, 10)) is None


def test_two_writers_at_once(market: Panel, graph: FeatureGraph, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    fresh = {name: FeatureStore(market, graph).materialize(name).values for name in NAMES}

    def work(number: int) -> bool:
        store = FeatureStore(market, graph, cache=tmp_path)
        return all(
            np.array_equal(store.materialize(name).values, fresh[name], equal_nan=True)
            for name in NAMES[number % 3 :]
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".tmp"]


def test_slow_range_is_what_its_function_says(store: FeatureStore) -> None:
    assert slow_range.lag == 2
    ranked, back = (store.materialize(name).values for name in ("ranked_range", "reversal"))
    expected = ranked - back
    found = store.materialize("slow_range").values
    assert np.array_equal(found, expected[: len(found)], equal_nan=True)
