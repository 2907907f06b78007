from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.brain.fastexpr import as_listed, operators, read_listed
from assay.errors import DataError
from assay.expr import FieldInfo


def test_the_list_of_a_user_and_that_of_a_consultant() -> None:
    user, consultant = operators(), operators("consultant")
    assert len(user) == 66
    assert set(user) < set(consultant)
    assert {info.level for info in user} == {"ALL"}
    assert "ts_max" not in {info.name for info in user}
    assert "ts_max" in {info.name for info in consultant}
    assert all(info.definition.startswith(f"{info.name}(") and info.description for info in consultant)


def test_an_operator_has_the_platforms_category_and_names_of_arguments() -> None:
    known = {info.name: info for info in operators()}
    assert known["ts_mean"].definition == "ts_mean(x, d)"
    assert known["normalize"].definition == "normalize(x, useStd=false, limit=0)"
    for name, category in (("ts_mean", "Time Series"), ("hump", "Time Series"), ("densify", "Arithmetic"),
                           ("vec_avg", "Vector"), ("less", "Logical"), ("group_rank", "Group")):  # fmt: skip
        assert known[name].category == category


@pytest.fixture(scope="module")
def published(shared: Path) -> list[dict[str, object]]:
    path = shared / "data" / "expressions" / "brain_operators_facts.json"
    return json.loads(path.read_text(encoding="utf-8"))["operators"]


def test_the_users_list_is_the_published_one(published: list[dict[str, object]]) -> None:
    ours = {info.name: info.category for info in operators()}
    theirs = {o["name"]: o["category"] for o in published if "api_user_2026_66" in o["seen_in"]}
    assert ours == theirs


def test_fields_of_a_data_set_are_listed_by_type() -> None:
    found = as_listed({n: FieldInfo(n, k) for n, k in (("a", "number"), ("g", "group"), ("v", "vector"))})
    assert {name: info.type for name, info in found.items()} == {"a": "MATRIX", "g": "GROUP", "v": "VECTOR"}


ITEMS = [{"id": "close", "type": "MATRIX", "coverage": 1.0}, {"id": "news", "type": "VECTOR"}]


@pytest.mark.parametrize("content", [ITEMS, {"count": 2, "results": ITEMS}, {"kind": "x", "items": ITEMS}])
def test_fields_are_read_from_a_file(content: object, tmp_path: Path) -> None:
    path = tmp_path / "fields.json"
    path.write_text(json.dumps(content))
    found = read_listed(path)
    assert {name: info.type for name, info in found.fields.items()} == {"close": "MATRIX", "news": "VECTOR"}
    assert found.operators is None


def test_a_folder_of_the_cache_has_fields_and_operators(tmp_path: Path) -> None:
    (tmp_path / "data-fields-1.json").write_text(json.dumps({"items": ITEMS[:1]}))
    (tmp_path / "data-fields-2.json").write_text(json.dumps({"items": ITEMS[1:]}))
    (tmp_path / "operators-1.json").write_text(json.dumps({"items": [{"name": "rank"}]}))
    found = read_listed(tmp_path)
    assert sorted(found.fields) == ["close", "news"]
    assert found.operators is not None
    assert [info.name for info in found.operators] == ["rank"]


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "no JSON"), ("5", "no list"), ("[]", "lists no fields"), ('[{"type": "MATRIX"}]', "no field: id")],
)
def test_a_file_that_is_none_is_named(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "fields.json"
    path.write_text(content)
    with pytest.raises(DataError, match=said):
        read_listed(path)
    with pytest.raises(DataError, match="cannot be read"):
        read_listed(tmp_path / "absent.json")
