"""Event windows against the plain reading of their definition, and against what nobody knew."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.discovery import DiscoveryDesk, EventWindowSpec, SpecProblems, search_events, seconds_of
from assay.discovery._event_bars import EventBars, event_bars
from assay.discovery._reduce import Sums
from assay.errors import Refusal
from assay.features import FeatureStore, Label
from assay.ledger import Ledger
from assay.market import Panel
from assay.models import Bars

DAY = 86_400
HOW = ("indicator", "count", "mean_score", "time_since_last")
SPEC = EventWindowSpec(("0m", "2d", "5d"), ("0m", "1d"), HOW, min_events=10)


def by_hand(events: EventBars, pre: int, post: int, how: str) -> np.ndarray:
    """Event by event, bar by bar, as the definition says it."""
    rows, names = events.shape
    out = np.full((rows, names), np.nan)
    for row, name in product(range(rows), range(names)):
        end = events.ends[row]
        counted = [
            place
            for place in range(len(events.row))
            if events.column[place] == name
            and end - post - pre <= events.ends[events.row[place]] <= end - post
        ]
        if how == "count":
            out[row, name] = len(counted)
        elif how == "indicator":
            out[row, name] = bool(counted)
        elif counted and how == "mean_score":
            out[row, name] = np.mean(events.score[counted])
        elif counted:
            out[row, name] = (end - max(events.known[counted])) / DAY
    return out


def matched_by_hand(events: EventBars, pre: int, post: int, judged: np.ndarray, lag: int) -> int:
    found = 0
    for row, name in zip(events.row, events.column, strict=True):
        born = events.ends[row]
        counting = [
            judged[later + lag, name]
            for later in range(len(judged) - lag)
            if events.ends[later] - post - pre <= born <= events.ends[later] - post
        ]
        found += any(counting)
    return found


def toy(rows: int, seed: int, step: int) -> EventBars:
    """Few bars with gaps between them, and events that are known within the bar that they belong to."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.integers(1, 4, rows)) * step
    count = int(rng.integers(0, 25))
    row = np.sort(rng.integers(0, rows, count))
    nothing = np.zeros((rows, 3), dtype=np.float32)
    bars = Bars(ends.astype("datetime64[s]"), nothing, nothing > -1, np.full(3, -1), 0)
    return EventBars(
        bars, ends, 1, row, rng.integers(0, 3, count), ends[row] - rng.integers(0, step, count),
        rng.standard_normal(count),
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 14),
    seed=st.integers(0, 10**6),
    step=st.sampled_from([300, 3600, DAY]),
    pre=st.sampled_from([0, 1, 300, 3600, DAY, 3 * DAY]),
    post=st.sampled_from([0, 1, 300, DAY, 2 * DAY]),
)
def test_windows_are_what_the_definition_says(rows: int, seed: int, step: int, pre: int, post: int) -> None:
    events = toy(rows, seed, step)
    window = Sums.of(events).window(pre, post)
    for how in HOW:
        np.testing.assert_allclose(
            window.reduced(how),  # type: ignore[arg-type]
            by_hand(events, pre, post, how).astype(np.float32),
            rtol=1e-5,
            atol=1e-6,
        )
    judged = np.random.default_rng(seed).random((rows, 3)) < 0.5
    for lag in (0, 1, 2):
        assert window.matched(judged, lag) == matched_by_hand(events, pre, post, judged, lag)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), cut=st.integers(1, 11), post=st.sampled_from([0, 300, DAY, 2 * DAY]))
def test_no_value_hangs_on_a_later_event(seed: int, cut: int, post: int) -> None:
    """Without the events of later bars, or with others in their place, what is said of earlier bars stays."""
    whole = toy(12, seed, DAY)
    kept = whole.row < cut
    short = replace(
        whole, **{name: getattr(whole, name)[kept] for name in ("row", "column", "known", "score")}
    )
    other = replace(
        whole,
        score=np.where(kept, whole.score, 99.0),
        column=np.where(kept, whole.column, 2 - whole.column),
    )
    for how in HOW:
        told = [
            Sums.of(each).window(2 * DAY, post).reduced(how)[:cut]  # type: ignore[arg-type]
            for each in (whole, short, other)
        ]
        np.testing.assert_array_equal(told[0], told[1])
        np.testing.assert_array_equal(told[0], told[2])


def test_a_post_window_that_is_not_over_counts_not(store: FeatureStore) -> None:
    events = event_bars(store, Label(1), "event_score", "daily")
    for post in ("1d", "3d", "1w"):
        window = Sums.of(events).window(30 * DAY, seconds_of(post))
        age = window.reduced("time_since_last")
        known = np.isfinite(age)
        assert known.any()
        assert age[known].min() >= seconds_of(post) / DAY


@pytest.mark.parametrize("kind", ["daily", "minutes"])
def test_an_event_counts_from_the_first_bar_that_ends_after_it_was_known(
    store: FeatureStore, kind: Any
) -> None:
    events = event_bars(store, Label(1), "event_score", kind)
    assert len(events.row) > 15
    assert (events.ends[events.row] >= events.known).all()
    first = events.row > 0
    assert (events.ends[events.row[first] - 1] < events.known[first]).all()


def scrambled(panel: Panel, rows: int) -> Panel:
    """The same market up to a row, nonsense in prices and events after it."""
    rng = np.random.default_rng(3)
    fields = {name: values.copy() for name, values in panel.data.fields.items()}
    for values in fields.values():
        values[rows:] = rng.random(values[rows:].shape)
    table = panel.data.events["event_score"].copy()
    later = table["row"] >= rows
    table["score"][later] = 50.0
    table["instrument"][later] = 0
    return Panel(replace(panel.data, fields=fields, events={"event_score": table}))


def test_nothing_after_the_stores_last_bar_counts(store: FeatureStore) -> None:
    panel = store.panel
    cut = panel.dates[250].item()
    boards = [
        search_events(DiscoveryDesk(FeatureStore(each.between(None, cut), store.graph)), SPEC)
        for each in (panel, scrambled(panel, 251))
    ]
    shown = [[(row.score, row.report.subject, row.report.metrics) for row in board.rows] for board in boards]
    assert shown[0] == shown[1]
    assert boards[0].evaluated > 10


def test_the_planted_event_signal_is_found(desk: DiscoveryDesk) -> None:
    """Mean scores of about ten days foresee returns in the simulated market, counts do not."""
    spec = EventWindowSpec(("1d", "14d"), ("0m",), ("mean_score", "count"), target="fwd_ret_5")
    best = search_events(desk, spec).rows[0]
    assert best.report.subject == "mean_score(event_score, pre=14d, post=0m)"
    assert best.score > 0.01


def test_combinations_with_few_events_are_left_out_and_are_no_trials(
    desk: DiscoveryDesk, ledger: Ledger
) -> None:
    everything = search_events(desk, SPEC)
    assert everything.evaluated + everything.excluded == SPEC.size
    none = search_events(replace(desk, ledger=ledger), replace(SPEC, min_events=10**6))
    assert (none.evaluated, none.excluded, none.rows, none.n) == (0, SPEC.size, (), None)
    assert list(ledger.entries(kind="trial")) == []


def test_each_is_a_trial_and_a_repeat_adds_none(desk: DiscoveryDesk, ledger: Ledger) -> None:
    recorded = replace(desk, ledger=ledger)
    first = search_events(recorded, SPEC)
    assert first.n == first.evaluated
    assert search_events(recorded, SPEC) == first
    assert search_events(recorded, replace(SPEC, pre_windows=("48h", "5d"))).n == first.n  # 48h is 2d


def test_bars_inside_the_day(desk: DiscoveryDesk, ledger: Ledger) -> None:
    spec = EventWindowSpec(("0m", "30m", "1d"), ("0m", "5m"), HOW, bars="minutes", min_events=10)
    found = search_events(replace(desk, ledger=ledger), spec)
    report = found.rows[0].report
    assert report.bars == 12 * 48
    assert report.metrics.days > 20
    daily = search_events(desk, SPEC)
    assert daily.rows[0].report.provenance.config_hash != report.provenance.config_hash
    assert found.n == found.evaluated
    ledger.verify(objects=True)


def test_prices_inside_the_day_are_adjusted_as_those_of_the_days_are(store: FeatureStore) -> None:
    events = event_bars(store, Label(1), "event_score", "minutes")
    closes = events.bars.price[47::48]
    np.testing.assert_allclose(closes, store.panel.field("close")[-12:], rtol=1e-6)
    assert events.bars.members.shape == events.bars.price.shape


def test_imported_events_are_searched_as_well(store: FeatureStore) -> None:
    panel = store.panel
    rng = np.random.default_rng(0)
    count = 900
    table = np.zeros(count, dtype=panel.data.events["event_score"].dtype)
    table["row"] = np.sort(rng.integers(0, len(panel.dates), count))
    table["instrument"] = rng.integers(0, panel.shape[1], count)
    ends = panel.dates[table["row"]].astype("datetime64[s]") + np.timedelta64(14, "h")
    table["known_time"] = table["event_time"] = ends
    table["score"] = rng.standard_normal(count)
    both = Panel(replace(panel.data, events={**panel.data.events, "news": table}))
    desk = DiscoveryDesk(FeatureStore(both, store.graph))
    named = search_events(desk, replace(SPEC, events="news"))
    assert all("(news, " in row.report.subject for row in named.rows)
    first = search_events(desk, SPEC)  # the first by name
    assert all("(event_score, " in row.report.subject for row in first.rows)


def test_members_of_the_stores_universe_are_scored(store: FeatureStore) -> None:
    few = FeatureStore(store.panel, store.graph, universe="index_a")
    found = search_events(DiscoveryDesk(few), SPEC)
    members = store.panel.universe("index_a").any(axis=0).sum()
    assert found.rows[0].report.instruments == members < store.panel.shape[1]
    assert found.rows[0].report.provenance.universe == "index_a"


def test_a_data_set_without_events_is_refused_with_the_cause(store: FeatureStore) -> None:
    panel = Panel(replace(store.panel.data, events={}))
    with pytest.raises(Refusal) as caught:
        search_events(DiscoveryDesk(FeatureStore(panel, store.graph)), SPEC)
    assert caught.value.reason.code == "bad_spec"
    assert "no events" in caught.value.message
    assert "assay data import --events" in (caught.value.fix or "")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0m", 0), ("5m", 300), ("1d", DAY), ("1d12h", 36 * 3600), ("1w", 7 * DAY), ("90s", 90)],
)
def test_durations_are_those_of_polars(text: str, seconds: int) -> None:
    import polars as pl

    assert seconds_of(text) == seconds
    start = pl.Series([0]).cast(pl.Datetime("ms"))
    assert start.dt.offset_by(text).dt.epoch("s")[0] == seconds


@pytest.mark.parametrize(
    "text", ["", "5", "m5", "-5m", "1mo", "1q", "1y", "1i", "1.5h", " 5m", "٥m", "9999w"]
)
def test_other_texts_are_no_durations(text: str) -> None:
    with pytest.raises(ValueError):
        seconds_of(text)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"pre_windows": ()}, "bad_pre_windows"),
        ({"post_windows": ("x",)}, "bad_post_windows"),
        ({"reductions": ("sum",)}, "bad_reductions"),
        ({"max_candidates": 23}, "cross_product_too_large"),
        ({"min_events": 0}, "bad_min_events"),
        ({"bars": "weekly"}, "bad_spec"),
    ],
)
def test_wide_specs_are_refused_at_construction(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(SpecProblems) as caught:
        replace(SPEC, **changes)
    assert caught.value.reason.code == reason
