from __future__ import annotations

import numpy as np
import pytest

from assay.errors import AssayError, ConfigProblems, DataError
from assay.expr import FieldInfo, parse
from assay.market import OwnField, Panel, _own_fields
from assay.market._own_fields import own_fields
from assay.testing import check_field

from .tapes import tape

RANGE = OwnField(
    FieldInfo("range", "number", 1.0, "price", "high less low"),
    lambda bars: bars["high"] - bars["low"],
    ("high", "low"),
)


def test_an_own_field_stands_beside_the_others() -> None:
    panel = Panel(tape(), own=(RANGE,))
    assert panel.fields["range"].exponent == 1.0
    np.testing.assert_array_equal(panel.field("range"), panel.field("high") - panel.field("low"))
    view = panel.between("2020-01-03")
    assert np.shares_memory(view.field("range"), panel.field("range"))
    assert parse("range / close", fields=panel.fields).fields == ("close", "range")


def test_it_keeps_the_contract_that_is_shipped() -> None:
    assert check_field(RANGE.info, RANGE.build).passed


def test_a_data_set_without_what_it_needs_does_not_have_it() -> None:
    data = tape()
    fields = {name: values for name, values in data.fields.items() if name != "high"}
    infos = {name: info for name, info in data.infos.items() if name != "high"}
    assert "range" not in Panel(tape(fields=fields, infos=infos), own=(RANGE,)).fields


def test_only_declared_needs_can_be_read() -> None:
    sly = OwnField(FieldInfo("sly"), lambda bars: bars["volume"], ("close",))
    with pytest.raises(KeyError):
        Panel(tape(), own=(sly,)).field("sly")


def test_infinities_are_missing_and_shapes_are_checked() -> None:
    wild = OwnField(FieldInfo("wild"), lambda bars: 1 / (bars["close"] - bars["close"]))
    assert np.isnan(Panel(tape(), own=(wild,)).field("wild")).all()
    short = OwnField(FieldInfo("short"), lambda bars: bars["close"][1:])
    with pytest.raises(DataError, match=r"shape \(3, 3\)"):
        Panel(tape(), own=(short,)).field("short")


def test_taken_names_and_other_kinds_are_refused_at_once() -> None:
    taken = OwnField(FieldInfo("close"), lambda bars: bars["close"])
    group = OwnField(FieldInfo("team", "group"), lambda bars: bars["close"])
    with pytest.raises(ConfigProblems) as caught:
        Panel(tape(), own=(taken, group, RANGE, RANGE))
    assert len(caught.value.problems) == 3


class Point:
    """An entry point of an installed package."""

    name, value, group, dist = "own", "own_fields:NOPE", "assay.fields", None

    def __init__(self, load) -> None:
        self.load = load


def missing():
    raise AttributeError("module 'own_fields' has no attribute 'NOPE'")


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (missing, "module 'own_fields' has no attribute 'NOPE'"),
        (lambda: [RANGE, RANGE], "field range: the name is taken (choose another name)"),
    ],
    ids=["missing", "taken"],
)
def test_a_broken_package_is_named(monkeypatch, load, message) -> None:
    monkeypatch.setattr(_own_fields, "entry_points", lambda group: [Point(load)])
    own_fields.cache_clear()
    with pytest.raises(AssayError) as caught:
        own_fields()
    monkeypatch.undo()
    own_fields.cache_clear()
    assert caught.value.message == f"the fields of package own could not be loaded: {message}"
    assert caught.value.fix == "mend or uninstall own"
