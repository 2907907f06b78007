from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import DataError
from assay.ledger._series import decode_series, encode_series, on_common_days

DAYS = np.array(["2020-01-02", "2020-01-03", "2020-01-06"], dtype="datetime64[D]")


def test_the_layout_is_the_documented_one() -> None:
    payload = encode_series(DAYS, [0.5, -0.25, 2.0])
    expected = b"ASSAYSR1" + struct.pack("<Q3q3d", 3, 18263, 18264, 18267, 0.5, -0.25, 2.0)
    assert payload == expected


@given(st.dictionaries(st.integers(-40_000, 80_000), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_series_comes_back(values: dict[int, float]) -> None:
    days = np.array(sorted(values), dtype=np.int64).astype("datetime64[D]")
    numbers = np.array([values[day] for day in sorted(values)])
    found = decode_series(encode_series(days, numbers))
    assert np.array_equal(found.days, days)
    assert np.array_equal(found.values, numbers)


def test_days_without_a_value_are_left_out_and_zero_has_one_sign() -> None:
    assert encode_series(DAYS, [0.0, np.nan, 1.0]) == encode_series(DAYS[[0, 2]], [-0.0, 1.0])


@pytest.mark.parametrize(
    ("days", "values"),
    [
        (DAYS[::-1], [1.0, 2.0, 3.0]),
        (DAYS[[0, 0, 1]], [1.0, 2.0, 3.0]),
        (DAYS, [1.0, 2.0]),
        (DAYS, [1.0, np.inf, 2.0]),
        (np.array(["NaT"], dtype="datetime64[D]"), [1.0]),
        (DAYS.reshape(3, 1), np.ones((3, 1))),
    ],
)
def test_what_is_no_daily_series_is_refused(days: np.ndarray, values: list[float]) -> None:
    with pytest.raises(DataError):
        encode_series(days, values)


@pytest.mark.parametrize("cut", range(16 + 48))
def test_a_cut_payload_is_refused(cut: int) -> None:
    with pytest.raises(DataError):
        decode_series(encode_series(DAYS, [1.0, 2.0, 3.0])[:cut])


def test_a_payload_with_missing_values_or_other_days_is_refused() -> None:
    with pytest.raises(DataError, match="infinite or missing"):
        decode_series(b"ASSAYSR1" + struct.pack("<Qqd", 1, 5, float("nan")))
    with pytest.raises(DataError, match="ascend"):
        decode_series(b"ASSAYSR1" + struct.pack("<Q2q2d", 2, 5, 5, 1.0, 1.0))


def test_common_days_are_those_of_every_series() -> None:
    one = decode_series(encode_series(DAYS, [1.0, 2.0, 3.0]))
    two = decode_series(encode_series(DAYS[1:], [20.0, 30.0]))
    found = on_common_days(("a", "b"), (one, two))
    assert found.keys == ("a", "b")
    assert np.array_equal(found.days, DAYS[1:])
    assert np.array_equal(found.matrix, [[2.0, 20.0], [3.0, 30.0]])


def test_no_series_have_no_days() -> None:
    found = on_common_days((), ())
    assert found.matrix.shape == (0, 0)
    assert len(found.days) == 0
