from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import DataError
from assay.market import Span, universe_from_spans
from assay.market._universe import merged_spans, overlapping

DATES = np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-03-01"))
KNOWN = DATES[-1]


def span(symbol: str, start: str, stop: str | None) -> Span:
    return Span(symbol, np.datetime64(start), None if stop is None else np.datetime64(stop))


def test_the_out_date_is_no_longer_a_member() -> None:
    spans = [span("A", "2020-01-05", "2020-01-08"), span("A", "2020-01-08", None)]
    mask = universe_from_spans(spans, DATES, ["A", "B"], known_until=KNOWN).mask((60, 2))
    assert np.flatnonzero(~mask[:, 0]).tolist() == [0, 1, 2, 3]
    assert not mask[:, 1].any()


def test_overlapping_spans_are_refused() -> None:
    spans = [span("A", "2020-01-05", "2020-01-09"), span("A", "2020-01-08", None)]
    with pytest.raises(DataError, match=r"overlap, e\.g\. A from 2020-01-05 and from 2020-01-08"):
        universe_from_spans(spans, DATES, ["A"], known_until=KNOWN)


def test_a_span_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(DataError, match="ends before it starts"):
        universe_from_spans([span("A", "2020-01-05", "2020-01-04")], DATES, ["A"], known_until=KNOWN)


def test_members_without_data_are_kept_by_name() -> None:
    spans = [
        span("A", "2020-01-05", None),
        span("GONE", "2020-01-01", None),
        span("OLD", "2000-01-01", "2001-01-01"),
    ]
    universe = universe_from_spans(spans, DATES, ["A"], known_until=KNOWN)
    assert universe.unknown_members == ("GONE",)


@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.integers(0, 50), st.one_of(st.none(), st.integers(1, 20))),
        max_size=8,
    )
)
def test_merging_keeps_every_day_and_leaves_no_overlap(raw: list[tuple[str, int, int | None]]) -> None:
    spans = [
        Span(name, DATES[start], None if length is None else DATES[start] + length)
        for name, start, length in raw
    ]
    merged = merged_spans(spans)
    assert overlapping(merged) == []
    expected = np.zeros((60, 2), dtype=bool)
    for item in spans:
        inside = (item.start <= DATES) & (True if item.stop is None else item.stop > DATES)
        expected[inside, "AB".index(item.symbol)] = True
    universe = universe_from_spans(merged, DATES, ["A", "B"], known_until=KNOWN)
    np.testing.assert_array_equal(universe.mask((60, 2)), expected)
