from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from assay.errors import DataError
from assay.features import FeatureProblems, FeatureStore, read_features, standard_graph
from assay.market import Panel

GOOD = """
[calm]
expression = "rank(reversal) * group_rank(close, industry)"
doc = "Calm names."
license_tier = "licensed"
namespace = "mine"

[reversal]
expression = "-ts_return(close, 5)"
lag = 3
"""


def read(tmp_path: Path, text: str, market: Panel):
    file = tmp_path / "features.toml"
    file.write_text(text, encoding="utf-8")
    return read_features(file, market.fields)


def test_formulas_may_name_each_other(market: Panel, tmp_path: Path) -> None:
    graph = standard_graph(market, extra=read(tmp_path, GOOD, market))
    calm = graph["calm"]
    assert (calm.deps, calm.lag, calm.doc) == (("close", "reversal"), 3, "Calm names.")
    assert (calm.license_tier, calm.namespace) == ("licensed", "mine")
    values = FeatureStore(market, graph).materialize("calm").values
    assert np.isfinite(values).mean() > 0.5


def test_no_file_no_features(market: Panel, tmp_path: Path) -> None:
    assert read_features(tmp_path / "features.toml", market.fields) == ()


def test_all_problems_at_once(market: Panel, tmp_path: Path) -> None:
    text = """
word = 1
[a]
[b]
expression = "rank(clos)"
[c]
expression = 5
[d]
expression = "close"
lag = "1"
colour = "red"
dialect = "klingon"
license_tier = "free"
"""
    with pytest.raises(FeatureProblems) as caught:
        read(tmp_path, text, market)
    assert [problem.where for problem in caught.value.problems] == [
        "word", "a", "b", "c.expression", "d.lag", "d.colour", "d.dialect", "d.license_tier",
    ]  # fmt: skip


def test_what_is_no_toml_is_named(market: Panel, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read features\.toml"):
        read(tmp_path, "[a\n", market)
    (tmp_path / "features.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError):
        read_features(tmp_path / "features.toml", market.fields)


@pytest.mark.parametrize(
    ("value", "said"),
    [("[" * 5000 + "]" * 5000, "nested too deeply"), ("9" * 5000, "a number is too long")],
)
def test_what_the_reader_of_toml_gives_up_on_is_named(
    market: Panel, tmp_path: Path, value: str, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path, f"[a]\nlag = {value}\n", market)


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(market: Panel, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "features.toml")
    with pytest.raises(DataError, match="is no file"):
        read_features(tmp_path / "features.toml", market.fields)


def test_a_chain_of_features_has_an_end(market: Panel, tmp_path: Path) -> None:
    """Values are computed from the top down, and the interpreter's stack is short."""
    links = [f'[f{level}]\nexpression = "rank(f{level + 1})"\n' for level in range(49)]
    whole = "".join(links) + '[f49]\nexpression = "close"\n'
    with pytest.raises(FeatureProblems, match="stands on 50 levels"):
        standard_graph(market, extra=read(tmp_path, whole, market))
    shorter = whole.replace("f49", "close", 1).replace('[f49]\nexpression = "close"\n', "")
    graph = standard_graph(market, extra=read(tmp_path, shorter, market))
    assert FeatureStore(market, graph).materialize("f0").values.shape[0] > 0
