from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.brain.search import fingerprint
from assay.brain.templates import Expansion, Inventory, Template, catalogue, pick
from assay.brain.templates._instances import MAX_PASSED_OVER, _choices
from assay.errors import AssayError, Refusal

from ..fakes import FIELDS, Catalogue, field_info

INVENTORY = Inventory.of(Catalogue())


def values(*given: Any, rep: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"source": "values", "values": list(given), "representative_values": list(rep)}


def made(expression: str, slots: dict[str, Any], **more: Any) -> Template:
    return Template.model_validate({"name": "TPL_T_V1", "expression": expression, "slots": slots, **more})


def test_the_catalogue_is_there() -> None:
    found = catalogue()
    assert len(found) >= 27
    assert len({template.family for template in found}) >= 9
    assert all(template.idea and template.core_slots for template in found)


@pytest.mark.parametrize("template", catalogue(), ids=lambda template: template.name)
def test_every_built_in_template_expands_on_the_simulated_fields(template: Template) -> None:
    expansion = Expansion(template, INVENTORY)
    assert list(expansion.problems()) == []
    found = list(expansion)
    assert len(found) > 1
    assert "invalid" not in expansion.skipped
    assert all(INVENTORY.problem(item.expression) is None for item in found)
    assert len({item.fingerprint for item in found}) == len(found)
    cores = list(expansion.cores())
    assert 1 <= len(cores) < len(found)
    assert len(cores) <= expansion.core_count
    anew = Expansion(template, INVENTORY)
    without = [core for core in cores if next(anew.probes(core), None) is None]
    # ts_corr(x, y) is ts_corr(y, x): the second core has nothing of its own
    assert not without or all(core["pair"] == "ts_corr" for core in without)


def test_equal_inventories_give_equal_orders() -> None:
    one, other = (
        [item.expression for item in islice(Expansion(template, INVENTORY), 20)]
        for template in pick(["TPL_VOLUME_TREND_V1"] * 2)
        for _ in range(2)
    )
    assert one == other


def test_the_first_ones_vary_in_all_slots() -> None:
    template = made(
        "ts_mean({x}, {d}) * {k}", {"x": values("close", "open"), "d": values(2, 3), "k": values(1, 2)}
    )
    first = list(islice(Expansion(template, INVENTORY), 4))
    assert [tuple(item.choice.values()) for item in first] == [
        ("close", "2", "1"),
        ("close", "2", "2"),
        ("close", "3", "1"),
        ("open", "2", "1"),
    ]


@given(st.lists(st.integers(1, 4), max_size=4))
@settings(max_examples=60)
def test_every_filling_comes_once(sizes: list[int]) -> None:
    candidates = {f"s{i}": [str(value) for value in range(size)] for i, size in enumerate(sizes)}
    found = [tuple(choice.values()) for choice in _choices(candidates)]
    expected = 1
    for size in sizes:
        expected *= size
    assert len(found) == len(set(found)) == expected
    assert [sum(map(int, choice)) for choice in found] == sorted(sum(map(int, c)) for c in found)


def test_nothing_is_made_before_it_is_asked_for() -> None:
    many = values(*range(1, 401))
    template = made(
        "ts_mean(close, {a}) + ts_mean(open, {b}) + ts_mean(high, {c})", {"a": many, "b": many, "c": many}
    )
    expansion = Expansion(template, INVENTORY)
    assert expansion.combinations == 400**3
    assert len(list(islice(expansion, 10))) == 10


def test_a_template_that_never_fits_is_given_up() -> None:
    many = values(*(f"nothing_{i}" for i in range(400)))
    expansion = Expansion(made("{a} + {b} + {c}", {"a": many, "b": many, "c": many}), INVENTORY)
    (problem,) = expansion.problems()
    assert 'unknown variable "nothing_0" at line 1, characters 0 to 9' in problem.message
    assert list(expansion) == []
    assert expansion.skipped == {"invalid": MAX_PASSED_OVER}


def test_what_is_the_same_formula_comes_once() -> None:
    fields = values("close", "open")
    expansion = Expansion(made("{a} + {b}", {"a": fields, "b": fields}), INVENTORY)
    assert [item.expression for item in expansion] == ["close + close", "close + open", "open + open"]
    assert expansion.skipped == {"repeated": 1}


def test_two_expansions_may_share_what_was_seen() -> None:
    seen = {fingerprint("close")}
    template = made("{a}", {"a": values("close", "open")})
    assert [item.expression for item in Expansion(template, INVENTORY, seen)] == ["open"]


def test_slots_that_must_differ_do() -> None:
    fields = values("close", "open")
    template = made("{a} - {b}", {"a": fields, "b": fields}, constraints={"not_equal": [["a", "b"]]})
    expansion = Expansion(template, INVENTORY)
    assert [item.expression for item in expansion] == ["close - open", "open - close"]
    assert expansion.skipped == {"constraint": 2}


def test_a_core_is_named_by_its_slots() -> None:
    slots = {"x": values("close", "open"), "d": values(5, 10, 20, rep=(10,))}
    expansion = Expansion(made("ts_mean({x}, {d})", slots, core_slots=["x"]), INVENTORY)
    first, second = expansion.cores()
    assert [expansion.core_id(core) for core in (first, second)] == ["TPL_T_V1|x=close", "TPL_T_V1|x=open"]
    assert [item.expression for item in expansion.probes(first)] == ["ts_mean(close, 10)"]
    left = [(item.expression, item.core) for item in expansion.of_core(first)]
    assert left == [
        ("ts_mean(close, 5)", "TPL_T_V1|x=close"),
        ("ts_mean(close, 20)", "TPL_T_V1|x=close"),
    ]


def test_a_template_without_core_slots_is_one_core() -> None:
    expansion = Expansion(made("ts_mean(close, {d})", {"d": values(5, 10)}), INVENTORY)
    (core,) = expansion.cores()
    assert expansion.core_id(core) == "TPL_T_V1"
    assert [item.expression for item in expansion.probes(core)] == ["ts_mean(close, 5)"]


def candidates(slot: dict[str, Any]) -> tuple[str, ...]:
    template = made("{x}", {"x": slot})
    return INVENTORY.candidates(template.slots["x"])


def test_fields_are_chosen_by_type_data_set_and_pattern() -> None:
    prices = {"source": "dataset_field", "search_domain": {"include_regex": "^(open|close|vwap)$"}}
    assert candidates(prices) == ("open", "close", "vwap")
    assert candidates({**prices, "representative_values": ["vwap", "gone"]}) == ("vwap", "open", "close")
    domain = {"include_regex": "^(open|close|vwap)$", "exclude_regex": "o", "max_candidates": 1}
    assert candidates({"source": "dataset_field", "search_domain": domain}) == ("vwap",)
    assert candidates({"source": "dataset_field", "type": "VECTOR"}) == ("event_score",)
    assert candidates({"source": "dataset_field", "dataset": "fundamental6"}) == ("equity",)
    groups = candidates({"source": "dataset_field", "type": "GROUP"})
    assert set(groups) == {"sector", "industry", "subindustry", "market"}


def test_all_fields_are_fallen_back_to_only_where_that_is_said() -> None:
    domain = {"include_regex": "nothing", "max_candidates": 3}
    assert candidates({"source": "dataset_field", "search_domain": domain}) == ()
    fallen = candidates({"source": "dataset_field", "search_domain": {**domain, "fallback_to_all": True}})
    assert fallen == ("open", "high", "low")


def test_only_operators_that_the_platform_has_are_taken() -> None:
    assert candidates({"source": "operator", "kind": "vector"}) == ("vec_avg", "vec_sum")
    named = {"source": "operator", "kind": "time", "operators": ["ts_max", "ts_mean"]}
    assert candidates(named) == ("ts_mean",)


def test_every_operator_of_a_kind_may_stand_where_the_kind_may() -> None:
    forms = {
        "time": "{op}(close, 20)",
        "time_pair": "{op}(close, volume, 20)",
        "section": "{op}(close)",
        "group": "{op}(close, sector)",
        "element": "{op}(close)",
        "vector": "{op}(event_score)",
    }
    for kind, form in forms.items():
        template = made(form, {"op": {"source": "operator", "kind": kind}})
        expansion = Expansion(template, INVENTORY)
        assert len(list(expansion)) == expansion.combinations > 1, kind


def test_a_slot_that_nothing_fits_is_named() -> None:
    slots = {"x": {"source": "dataset_field", "search_domain": {"include_regex": "nothing"}}}
    (problem,) = Expansion(made("{x}", slots), INVENTORY).problems()
    assert problem.where == "TPL_T_V1.slots.x"
    assert "widen" in problem.fix


def test_slots_are_filled_from_one_data_set_and_groups_from_all() -> None:
    found = Inventory.of(Catalogue((*FIELDS, field_info("debt", "fundamental6"))), "fundamental6")
    template = made(
        "group_rank({x} / close, {g}) + {y}",
        {
            "x": {"source": "dataset_field"},
            "g": {"source": "dataset_field", "type": "GROUP"},
            "y": {"source": "dataset_field", "dataset": "pv1", "search_domain": {"include_regex": "^open$"}},
        },
    )
    assert [found.candidates(template.slots[name]) for name in ("x", "y")] == [("equity", "debt"), ("open",)]
    assert len(found.candidates(template.slots["g"])) == 4
    # close may stand in an expression, whatever slots are filled from
    assert list(Expansion(template, found).problems()) == []


def test_a_data_set_without_fields_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        Inventory.of(Catalogue(), "fundamental7")
    assert caught.value.reason.code == "unknown_data"


def test_of_many_data_sets_the_usual_ones_are_read_and_those_that_are_named() -> None:
    many = tuple(field_info(f"f{number}", f"other{number}") for number in range(30))
    platform = Catalogue((*FIELDS, *many))
    slots = {"x": {"source": "dataset_field", "dataset": "other7"}}
    found = Inventory.of(platform, templates=[made("{x}", slots)])
    assert "f7" in found.by_id
    assert "f8" not in found.by_id
    assert "close" in found.by_id
    assert (None, "") not in platform.asked


def test_templates_are_picked_by_name_or_its_beginning() -> None:
    assert [item.name for item in pick(["tpl_size_v1"])] == ["TPL_SIZE_V1"]
    assert len(pick(["TPL_REVERSAL", "TPL_REVERSAL_MEAN_V1"])) == 6
    with pytest.raises(AssayError) as caught:
        pick(["TPL_SIZES_V1"])
    assert caught.value.fix == "did you mean 'TPL_SIZE_V1'?"


def test_numbers_are_written_as_the_language_reads_them() -> None:
    template = made("close * {k}", {"k": values(1, 0.5, 1e-06)})
    found = [item.expression for item in Expansion(template, INVENTORY)]
    assert found == ["close * 1", "close * 0.5", "close * 1e-06"]
