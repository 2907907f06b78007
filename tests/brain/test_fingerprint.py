from __future__ import annotations

import pytest

from assay.brain.search import Likeness, field_fingerprint, fingerprint, structure_distance
from assay.errors import ExpressionError

BASE = "rank(ts_mean(close, 5)) + 2 * volume"


@pytest.mark.parametrize(
    ("other", "alike_from"),
    [
        ("2 * volume + rank(ts_mean(close, 5))", "exact"),
        ("-(rank(ts_mean(close, 5)) + 2 * volume)", "scale"),
        ("rank(ts_mean(close, 21)) + 2 * volume", "windows"),
        ("rank(ts_mean(close, 21)) + 3 * volume", "constants"),
        ("rank(ts_mean(open, 5)) + 2 * returns", "shape"),
    ],
)
def test_each_level_passes_over_one_thing_more(other: str, alike_from: Likeness) -> None:
    levels: tuple[Likeness, ...] = ("exact", "scale", "windows", "constants", "shape")
    alike = [fingerprint(BASE, level) == fingerprint(other, level) for level in levels]
    assert alike == [levels.index(level) >= levels.index(alike_from) for level in levels]


def test_other_ops_are_never_alike() -> None:
    assert fingerprint("ts_mean(close, 5)", "shape") != fingerprint("ts_rank(close, 5)", "shape")


def test_a_text_that_cannot_be_read_is_told_by_its_words() -> None:
    assert fingerprint("unheard_of(close,  5)") == fingerprint("unheard_of(close, 5)")
    assert fingerprint("unheard_of(close, 5)").startswith("text:")
    assert fingerprint("unheard_of(close, 5)") != fingerprint("unheard_of(close, 6)")


def test_distance_is_a_share_that_ignores_windows() -> None:
    assert structure_distance("ts_mean(close, 5)", "ts_mean(close, 60)") == 0.0
    assert structure_distance("ts_mean(close, 5)", "ts_mean(close, 60)", "exact") == 0.5
    assert structure_distance("close", "open") == 1.0
    assert structure_distance("close", "open", "shape") == 0.0
    with pytest.raises(ExpressionError):
        structure_distance("close", "rank(")


def test_fields_make_a_fingerprint_of_their_own() -> None:
    assert field_fingerprint("volume * rank(close) + volume") == "close+volume"
    assert field_fingerprint("rank(") == ""
