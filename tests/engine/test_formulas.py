from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import assay
from assay.engine import evaluate
from assay.errors import DataError, Refusal
from assay.expr import Call, Field, parse

from . import adversarial

TEXT = "rank(close - volume)"


@pytest.fixture
def data() -> adversarial.Panel:
    rng = np.random.default_rng(3)
    return adversarial.from_arrays({name: rng.normal(10, 2, (6, 5)) for name in ("close", "volume")}, {}, {})


@pytest.fixture
def want(data):
    return evaluate({"f": parse(TEXT).node}, data)["f"]


@pytest.mark.parametrize(
    "given", [TEXT, parse(TEXT), [TEXT], (parse(TEXT),), {TEXT: TEXT}], ids=lambda given: type(given).__name__
)
def test_whatever_stands_for_a_formula_is_evaluated(data, want, given) -> None:
    got = assay.evaluate(given, data)
    assert list(got) == [TEXT]
    np.testing.assert_array_equal(got[TEXT], want)


def test_a_tree_is_named_by_its_text(data, want) -> None:
    assert list(assay.evaluate(parse("rank( close )").node, data)) == ["rank(close)"]
    with pytest.raises(Refusal, match="rank takes scale"):
        assay.evaluate(Call("rank", (Field("close"),)), data)
    np.testing.assert_array_equal(assay.evaluate({"f": parse(TEXT).node}, data)["f"], want)


def test_a_generator_and_names_that_repeat(data) -> None:
    def formulas() -> Iterator[object]:
        yield "close"
        yield parse("volume")
        yield "close"

    got = assay.evaluate(formulas(), data)
    assert list(got) == ["close", "volume", "close #2"]
    np.testing.assert_array_equal(got["close"], got["close #2"])


def test_names_are_those_of_the_judge() -> None:
    panel = assay.simulate(1, instruments=30, days=120)
    given = ["-ts_return(close, 5)", "volume", "volume"]
    settings = assay.JudgeSettings(quantiles=3, leak_checks="off", robustness="off")
    judged = [verdict.name for verdict in assay.judge(given, panel, settings)]
    assert list(assay.evaluate(given, panel)) == judged


def test_texts_in_another_dialect_and_the_options_of_the_engine(data, want) -> None:
    got = assay.evaluate("Rank($close - $volume, 3)", data, dialect="qlib", threads=2)
    assert next(iter(got.values())).shape == (6, 5)
    members = np.ones((6, 5), bool)
    members[:, 0] = False
    seen: dict[str, np.ndarray] = {}
    sunk = assay.evaluate(TEXT, data, universe=members, sink=lambda name, a: seen.update({name: a.copy()}))
    assert sunk == {}
    assert np.isnan(seen[TEXT][:, 0]).all()


def test_a_field_that_the_panel_lacks_is_refused_with_its_place() -> None:
    panel = assay.simulate(1, instruments=20, days=60)
    for given in ("rank(pe)", parse("rank(pe)", "fastexpr")):
        with pytest.raises(Refusal, match="pe"):
            assay.evaluate(given, panel)


@pytest.mark.parametrize("given", [3, None, [3], {"f": None}, {"f": ["close"]}, [], {}])
def test_what_is_no_formula_is_one_clear_error(data, given) -> None:
    with pytest.raises(DataError, match=r"cannot evaluate a|nothing to evaluate"):
        assay.evaluate(given, data)


def test_a_text_that_is_wrong_is_refused(data) -> None:
    with pytest.raises(Refusal, match="no op 'rnk'"):
        assay.evaluate(["close", "rnk(close)"], data)
