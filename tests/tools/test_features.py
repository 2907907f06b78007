from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import PeriodPlan
from assay.tools import Caller, Ok, Registry, last_whole_day, read_instant
from assay.tools.builtin import SearchView, Workbench, builtin_registry, search_features

from .feature_cases import AS_OF, FEATURE, RUN


@pytest.fixture
def registry(bench: Workbench) -> Registry:
    return builtin_registry(bench)


def ok(registry: Registry, tool: str, sent: dict, caller: Caller) -> dict:
    outcome = registry.call(tool, sent, caller)
    assert isinstance(outcome, Ok), outcome
    return dict(outcome.result)


def test_the_list_has_every_feature_page_by_page(
    registry: Registry, bench: Workbench, caller: Caller
) -> None:
    assert bench.features is not None
    rows, offset = [], 0
    while offset is not None:
        page = ok(registry, "features.list", {"limit": 7, "offset": offset}, caller)
        rows += page["rows"]
        offset = page["next_offset"]
    graph = bench.features.graph
    assert [row["name"] for row in rows] == list(graph)
    row = next(row for row in rows if row["name"] == FEATURE)
    assert row == {
        "name": FEATURE, "doc": "-ts_return(close, 5)", "lag": 1, "is_label": False, "deps": ["close"],
        "hash": graph.hash(FEATURE), "license_tier": "open", "namespace": "",
    }  # fmt: skip
    assert {row["name"] for row in rows if row["is_label"]} == {f"fwd_ret_{h}" for h in (1, 5, 10, 20)}


@pytest.mark.parametrize("slug", [FEATURE, "close", "fwd_ret_5"])
def test_a_feature_as_of_a_time(registry: Registry, bench: Workbench, caller: Caller, slug: str) -> None:
    told = ok(registry, "features.materialize", {"slug": slug, "as_of": AS_OF, "rows": 3, "limit": 4}, caller)
    assert bench.features is not None
    whole = bench.features.materialize(slug)
    known = int(np.count_nonzero(whole.known <= np.datetime64("2018-06-29")))
    assert told["dates"] == known
    assert told["as_of"] == "2018-06-29"
    assert [row["date"] for row in told["rows"]] == [str(day) for day in whole.dates[known - 3 : known]]
    assert max(row["known"] for row in told["rows"]) == "2018-06-29"
    shown = np.array([row["values"] for row in told["rows"]], dtype=float)
    assert np.allclose(shown, whole.values[known - 3 : known, :4], rtol=1e-6, equal_nan=True)
    kept = whole.values[:known][np.isfinite(whole.values[:known])]
    assert told["summary"]["mean"] == pytest.approx(kept.astype(float).mean(), rel=1e-6)
    assert (told["columns"], told["next_offset"]) == (list(whole.instruments[:4]), 4)


def test_the_end_of_search_is_the_clock(bench: Workbench, plan: PeriodPlan, caller: Caller) -> None:
    registry = builtin_registry(bench)
    end = plan.clock
    last = ok(registry, "features.materialize", {"slug": "close", "as_of": f"{end}T23:59:59Z"}, caller)
    assert last["as_of"] == str(end)
    whole_day = ok(registry, "features.materialize", {"slug": "close", "as_of": str(end)}, caller)
    assert whole_day == last
    # the bar of a day is known when the day is over
    noon = ok(registry, "features.materialize", {"slug": "close", "as_of": f"{end}T12:00:00Z"}, caller)
    assert noon["dates"] == last["dates"] - 1
    label = ok(registry, "features.materialize", {"slug": "fwd_ret_20", "as_of": str(end)}, caller)
    assert label["dates"] == last["dates"] + 1 - 21
    late = f"{end + timedelta(days=1)}T00:00:00Z"
    refused = registry.call("features.materialize", {"slug": "close", "as_of": late}, caller).as_dict()
    assert refused["reason"] == "as_of_in_future"
    # the same instant, told in another zone
    zoned = f"{end + timedelta(days=1)}T07:59:59+08:00"
    assert ok(registry, "features.materialize", {"slug": "close", "as_of": zoned}, caller) == last


def test_before_the_first_day_there_are_no_rows(registry: Registry, caller: Caller) -> None:
    told = ok(registry, "features.materialize", {"slug": FEATURE, "as_of": "1999-01-01T00:00:00Z"}, caller)
    assert (told["dates"], told["rows"], told["first_date"]) == (0, [], None)
    assert told["summary"]["mean"] is None


def test_what_is_asked_for_is_bounded(registry: Registry, caller: Caller) -> None:
    sent = {"slug": "close", "as_of": AS_OF, "rows": 100, "limit": 200}
    told = ok(registry, "features.materialize", sent, caller)
    assert len(told["rows"]) == 100
    assert len(told["columns"]) == 40
    assert len(json.dumps(told)) < 200_000


def test_a_backtest_is_a_trial_and_a_repeat_adds_none(
    registry: Registry, bench: Workbench, caller: Caller, plan: PeriodPlan
) -> None:
    first = ok(registry, "backtest.run", RUN, caller)
    assert first["n"] == 1
    assert ok(registry, "backtest.run", RUN, caller) == first
    assert bench.ledger is not None
    (body, _) = [entry.body for entry in bench.ledger.entries(kind="trial")]
    assert (body["desk"], body["period"]) == ("backtest", "search")
    assert body["fingerprint"] == first["provenance"]["fingerprint"]
    other = ok(registry, "backtest.run", {**RUN, "horizon": 3, "max_bars": 180}, caller)
    assert (other["n"], other["target"], other["bars"]) == (2, "fwd_ret_3", 180)
    assert max(fold["test_end"] for fold in first["folds"]) <= str(plan.clock)
    assert ok(registry, "ledger.counts", {}, caller)["trials"] == 2


def test_without_a_ledger_n_is_missing(bench: Workbench, caller: Caller) -> None:
    told = ok(builtin_registry(replace(bench, ledger=None)), "backtest.run", RUN, caller)
    assert told["n"] is None


def test_what_lies_after_search_changes_no_figure(market, plan: PeriodPlan, caller: Caller) -> None:
    """The same data, with other prices after the end of search, gives the same features and figures."""
    from assay.market import Panel

    end = int(np.searchsorted(market.dates, np.datetime64(plan.clock), side="right"))
    fields = {name: values.copy() for name, values in market.data.fields.items()}
    for values in fields.values():
        values[end:] = values[end:][::-1]
    other = Panel(replace(market.data, fields=fields))
    told = []
    for panel in (market, other):
        view = SearchView.of(panel, plan)
        registry = builtin_registry(Workbench(view, features=search_features(view)))
        values = ok(registry, "features.materialize", {"slug": FEATURE, "as_of": str(plan.clock)}, caller)
        run = ok(registry, "backtest.run", RUN, caller)
        del run["provenance"]  # it has the hash of the data
        told.append((values, run))
    assert told[0] == told[1]


# --- times -------------------------------------------------------------------------------------------


@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
def test_an_instant_is_read_as_it_is_written(moment: datetime, minutes: int) -> None:
    zoned = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    try:
        expected = zoned.astimezone(UTC)
    except OverflowError:
        with pytest.raises(ValueError, match="beyond"):
            read_instant(zoned.isoformat())
        return
    assert read_instant(zoned.isoformat()) == expected


@given(st.text(max_size=40))
def test_any_text_is_an_instant_or_a_value_error(text: str) -> None:
    with suppress(ValueError):
        assert read_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2020", "2020-01", "20200101", "2020-W01-1", "2020-02-30", "2020-01-01T",
        "2020-01-01T24:00",
        "2020-01-01T10:00:60Z", "2020-01-01T10:00:00 Z", "2020-1-1", " 2020-01-01",
        "2020-01-01T10:00:00+99:00",
        "２０２０-01-01", "0000-01-01", "10000-01-01", "2020-01-01T10:00:00.1234567890Z",
    ],
)  # fmt: skip
def test_what_is_no_instant(text: str) -> None:
    with pytest.raises(ValueError):
        read_instant(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2020-01-31", "2020-01-31"),
        ("2020-01-31T23:59:59Z", "2020-01-31"),
        ("2020-01-31T23:59:58Z", "2020-01-30"),
        ("2020-01-31T00:00", "2020-01-30"),
        ("2020-02-01T00:00:00Z", "2020-01-31"),
        ("2020-01-31t16:00:00.5-08:00", "2020-01-31"),
        ("2020-01-31 23:59:59z", "2020-01-31"),
    ],
)
def test_the_last_day_that_is_over(text: str, day: str) -> None:
    assert str(last_whole_day(read_instant(text))) == day
