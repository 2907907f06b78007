from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError, ConfigProblems
from assay.expr import Arg, Op, _table, build_table, op_table
from assay.expr._docs import reference
from assay.expr._grammar import DIALECTS, GRAMMARS
from assay.expr._op import Param
from assay.expr._table import builtin_table, composites
from assay.expr._words import LEGACY, UNSUPPORTED, words

CONTRACTS = Path(__file__).resolve().parents[2] / "docs" / "design" / "contracts.md"

USER_OPS = (
    "add", "sqrt", "log", "subtract", "signed_power", "sign", "reverse", "power", "multiply", "min",
    "max", "inverse", "densify", "abs", "divide", "and", "equal", "or", "not_equal", "not", "greater",
    "greater_equal", "less_equal", "is_nan", "if_else", "less", "ts_sum", "ts_zscore", "ts_std_dev",
    "ts_mean", "ts_scale", "ts_rank", "ts_quantile", "ts_arg_min", "ts_regression", "kth_element",
    "ts_corr", "ts_count_nans", "ts_covariance", "ts_decay_linear", "ts_product", "ts_delay",
    "ts_backfill", "ts_av_diff", "hump", "ts_arg_max", "last_diff_value", "ts_step", "ts_delta",
    "days_from_last_change", "winsorize", "normalize", "quantile", "rank", "scale", "zscore", "vec_sum",
    "vec_avg", "bucket", "trade_when", "group_scale", "group_neutralize", "group_zscore",
    "group_backfill", "group_mean", "group_rank",
)  # fmt: skip


def test_every_op_of_the_contract_is_in_the_table() -> None:
    section = CONTRACTS.read_text().split("### Canonical ops")[1].split("## market")[0]
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|")][2:]
    quoted = " ".join(re.findall(r"`([^`]*)`", " ".join(rows)))
    named = set(re.findall(r"[a-z_0-9]+", re.sub(r"\([^)]*\)|\"[^\"]*\"", " ", quoted)))
    assert len(named) > 100
    assert named <= set(op_table())


@pytest.mark.parametrize("op", op_table().values(), ids=lambda op: op.name)
def test_entries_are_complete_and_consistent(op) -> None:
    names = [a.name for a in op.args] + [p.name for p in op.params]
    assert len(set(names)) == len(names)
    assert op.definition
    assert op.source
    assert op.form("core") is not None
    for param in op.params:
        assert param.default is None or not param.choices or param.default in param.choices
    if op.lookback != "none":
        assert op.params[0].name in ("window", "span")
    if op.commutative:
        assert len(op.args) == 2
    for form in op.forms:
        fixed = {name for name, _ in form.presets}
        assert set(form.order) <= set(names)
        assert fixed <= set(op.param_index)
        assert not fixed & set(form.order)
        required = {a.name for a in op.args} | {p.name for p in op.params if p.default is None}
        if form.order:
            assert required <= set(form.order) | fixed | {name for name, _ in form.defaults}


def test_all_user_ops_of_the_platform_have_a_word_and_an_example() -> None:
    known = words("fastexpr")
    assert len(USER_OPS) == 66
    for name in USER_OPS:
        word = known[name]
        entry = word.composite or word.op.form("fastexpr")
        assert entry.level == "user", name
        assert entry.example is not None, name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_words_are_reachable_and_have_a_signature(dialect) -> None:
    known = words(dialect)
    fold = GRAMMARS[dialect].ignore_case
    assert all(name == name.lower() for name in known) or not fold
    assert all(word.signature.endswith(")") for word in known.values())
    assert not set(known) & set(UNSUPPORTED.get(dialect, {}))


def test_old_names_point_to_words_of_today() -> None:
    known = words("fastexpr")
    assert all(known[old].legacy and not known[new].legacy for old, new in LEGACY.items())


def test_composites_name_a_source_and_a_definition() -> None:
    assert all(c.source and c.definition for c in composites())


def double(inputs, params):
    return inputs[0] * np.float32(params["factor"])


CUSTOM = Op(
    name="double",
    category="custom",
    args=(Arg("x"),),
    params=(Param("factor", "float", 2.0),),
    exponent="same",
    definition="x times factor",
    source="test",
    evaluate=double,
)


def test_custom_ops_join_the_table() -> None:
    table = build_table([CUSTOM])
    assert table["double"].evaluate is double
    assert table["double"].form("core").names == ("double",)
    assert len(table) == len(build_table()) + 1


def test_custom_ops_must_be_new_and_have_an_evaluation() -> None:
    with pytest.raises(ConfigProblems) as caught:
        build_table([replace(CUSTOM, name="rank"), replace(CUSTOM, name="lame", evaluate=None)])
    assert [p.where for p in caught.value.problems] == ["op rank", "op lame"]


def test_fill_completes_and_types_parameters() -> None:
    op = op_table()["ts_std"]
    assert op.fill({"window": 5.0}) == (("window", 5), ("ddof", 0), ("min_periods", 0))
    with pytest.raises(KeyError, match="needs the parameter 'window'"):
        op.fill({})
    with pytest.raises(KeyError, match="no parameter 'windows'"):
        op.fill({"windows": 5})


@dataclass(frozen=True)
class Package:
    name: str


@dataclass(frozen=True)
class Point:
    """An entry point of an installed package."""

    value: str
    load: Callable[[], object]
    name: str = "own"
    group: str = "assay.ops"
    dist: Package = Package("own-ops")


def missing():
    raise AttributeError("module 'own_ops' has no attribute 'NOPE'")


@pytest.fixture
def installed(monkeypatch):
    """Makes the table be read anew with the given entry points."""

    def install(*points):
        monkeypatch.setattr(_table, "entry_points", lambda group: points)
        op_table.cache_clear()

    yield install
    monkeypatch.undo()
    op_table.cache_clear()


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (missing, "module 'own_ops' has no attribute 'NOPE'"),
        (lambda: 5, "it gives an object of type int, Op is needed"),
        (lambda: [replace(CUSTOM, name="rank")], "op rank: the name is taken (choose another name)"),
    ],
    ids=["missing", "no op", "taken"],
)
def test_a_broken_package_is_named(installed, load, message) -> None:
    installed(Point("own_ops:OP", lambda: [CUSTOM], "fine"), Point("own_ops:NOPE", load))
    with pytest.raises(AssayError) as caught:
        op_table()
    assert caught.value.message == f"the ops of package own-ops could not be loaded: {message}"
    assert caught.value.where == "entry point own = own_ops:NOPE of group assay.ops"
    assert caught.value.fix == "mend or uninstall own-ops"


def test_ops_of_packages_join_the_table_and_stay_out_of_the_reference(installed) -> None:
    installed(Point("own_ops:OP", lambda: CUSTOM))
    assert "double" in op_table()
    assert "double" not in builtin_table()
    assert "double" not in reference()
