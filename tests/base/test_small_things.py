from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.base import (
    ID_PATTERN,
    SystemClock,
    check_id,
    did_you_mean,
    generator,
    require,
)
from assay.errors import AssayError

parts = st.lists(st.one_of(st.text("ab/~0", max_size=4), st.integers(0, 3)), max_size=3)


@given(st.integers(0, 3), parts, parts)
def test_generators_of_different_names_differ(seed: int, a: list[str | int], b: list[str | int]) -> None:
    first, second = generator(seed, *a).random(4), generator(seed, *b).random(4)
    assert np.array_equal(first, second) == ([str(x) for x in a] == [str(x) for x in b])


def test_a_generator_gives_the_same_numbers_everywhere() -> None:
    assert generator(7, "prices").integers(0, 1000, 4).tolist() == [270, 205, 879, 51]


@pytest.mark.parametrize("text", ["a", "0", "csi300", "my-set_2", "a" * 64])
def test_an_id_passes_unchanged(text: str) -> None:
    assert check_id(text) == text


@pytest.mark.parametrize("text", ["", "A", "-a", "_a", "a b", "a/b", "..", "a\n", "é", "a" * 65])
def test_what_could_not_name_a_file_is_refused(text: str) -> None:
    with pytest.raises(AssayError, match="cannot be a data set"):
        check_id(text, "data set")


@given(st.text(max_size=70))
def test_an_id_is_never_a_path(text: str) -> None:
    if ID_PATTERN.fullmatch(text):
        assert Path(text).name == text


def test_the_clock_gives_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


def test_suggestions_ignore_case_and_come_nearest_first() -> None:
    assert did_you_mean("TS_MEEN", ["ts_mean", "ts_min", "rank"])[0] == "ts_mean"
    assert did_you_mean("qqq", ["ts_mean"]) == ()
    assert did_you_mean("x" * 100_000, ["ts_mean"]) == ()
    assert len(did_you_mean("aaa", ["aaa1", "aaa2", "aaa3", "aaa4"])) == 3


def test_require_gives_the_module() -> None:
    assert require("json", extra="none").dumps([1]) == "[1]"


def test_require_names_the_extra() -> None:
    with pytest.raises(AssayError) as caught:
        require("no_such_package.part", extra="data")
    assert caught.value.fix == "pip install 'alpha-assay[data]'"


def test_a_fault_inside_an_installed_package_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_package_x.py").write_text("import no_such_package_y\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package_y"):
        require("broken_package_x", extra="data")
    assert "broken_package_x" not in sys.modules
