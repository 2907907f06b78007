from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from assay.brain import SettingsChoices, SimulationSettings
from assay.brain.client import BrainClient, DataQuery, default_settings
from assay.errors import ProviderBadReply, Refusal

from .conftest import Desk
from .server import Answer, choices, page, refused

FIELDS = "/data-fields"


def field(name: str, **more: Any) -> dict[str, Any]:
    data_set = {"id": "pv1", "name": "Price Volume"}
    return {"id": name, "description": f"about {name}", "dataset": data_set, "type": "MATRIX", **more}


def fields(client: BrainClient, **given: Any) -> Any:
    return client.data_fields(DataQuery(data_set="pv1"), **given)


def test_choices_are_read_from_the_nested_reply(desk: Desk) -> None:
    found = desk.act(lambda client: client.choices())
    assert found.regions == ("USA", "GLB")
    assert found.universes == {"USA": ("TOP3000", "TOP500"), "GLB": ("TOP3000", "MINVOL1M")}
    assert found.delays == {"USA": (1, 0), "GLB": (1,)}
    assert found.neutralizations["GLB"][-1] == "COUNTRY"


@pytest.mark.parametrize("body", [{}, [], {"actions": {"POST": {"settings": {"children": {}}}}}, "x"])
def test_choices_of_another_shape_are_a_bad_reply(desk: Desk, body: Any) -> None:
    desk.platform.on("OPTIONS", "/simulations", Answer(body))
    assert "OPTIONS /simulations" in desk.raises(ProviderBadReply, lambda client: client.choices()).message


def test_default_settings_are_the_usual_ones_where_the_platform_has_them() -> None:
    usual = SimulationSettings()
    known = SettingsChoices(
        instrument_types=("EQUITY",),
        regions=("CHN", "USA"),
        universes={"CHN": ("ALL",), "USA": ("TOP3000",)},
        delays={"CHN": (1,), "USA": (1, 0)},
        neutralizations={"CHN": ("NONE",), "USA": ("MARKET",)},
    )
    assert default_settings(known) == usual
    other = default_settings(known.model_copy(update={"regions": ("CHN",)}))
    assert (other.region, other.universe, other.neutralization) == ("CHN", "ALL", "NONE")


@pytest.mark.parametrize("envelope", [None, "results", "operators"])
def test_operators_come_bare_or_in_an_envelope(desk: Desk, envelope: str | None) -> None:
    listed = [{"name": "rank", "category": "Cross Sectional", "scope": ["COMBO", "REGULAR"], "level": "base"}]
    desk.platform.on("GET", "/operators", Answer(listed if envelope is None else {envelope: listed}))
    (found,) = desk.act(lambda client: client.operators())
    assert (found.name, found.scope, found.level) == ("rank", ("COMBO", "REGULAR"), "base")


def test_fields_are_read_page_by_page_each_once(desk: Desk) -> None:
    names = [f"f{number}" for number in range(120)]
    desk.platform.on(
        "GET",
        FIELDS,
        page([field(name) for name in names[:50]], 120),
        page([field(name) for name in names[49:99]], 120),
        page([field(name) for name in names[99:]], 121),
    )
    found = desk.act(fields)
    assert [one.id for one in found] == names
    assert found[0].dataset.name == "Price Volume"
    assert dict(parse_qsl(desk.platform.asked("GET", FIELDS)[1].query)) == {
        "limit": "50",
        "offset": "50",
        "instrumentType": "EQUITY",
        "region": "USA",
        "delay": "1",
        "universe": "TOP3000",
        "dataset.id": "pv1",
    }


def test_lists_are_kept_by_query_and_refreshed_when_asked(desk: Desk, tmp_path: Path) -> None:
    desk.platform.on("GET", FIELDS, page([field("close")]), page([field("open")]))
    before = desk.act(fields, cache=tmp_path)
    again = desk.act(fields, cache=tmp_path)
    assert [one.id for one in again] == ["close"]
    assert again == before
    assert len(desk.platform.asked("GET", FIELDS)) == 1
    fresh = desk.act(lambda client: fields(client, refresh=True), cache=tmp_path)
    assert [one.id for one in fresh] == ["open"]
    assert [one.id for one in desk.act(fields, cache=tmp_path)] == ["open"]
    other = desk.act(lambda client: client.data_fields(DataQuery(universe="TOP500")), cache=tmp_path)
    assert len(other) == 1
    assert len(desk.platform.asked("GET", FIELDS)) == 3


def test_what_is_kept_can_be_listed(desk: Desk, tmp_path: Path) -> None:
    desk.platform.on("GET", FIELDS, page([field("close")]))

    async def work(client: BrainClient) -> list[tuple[str, int]]:
        await fields(client)
        return [(one.kind, one.items) for one in client.cached]

    assert desk.act(work, cache=tmp_path) == [("choices", 1), ("data-fields", 1)]
    assert desk.act(work) == []


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b"cut", b"changed"])
def test_a_damaged_cache_is_fetched_again_and_this_is_said(desk: Desk, tmp_path: Path, damage: bytes) -> None:
    desk.platform.on("GET", FIELDS, page([field("close")]), page([field("open")]))
    desk.act(fields, cache=tmp_path)
    (file,) = tmp_path.glob("data-fields-*.json")
    whole = file.read_bytes()
    changed = whole.replace(b"about close", b"about claws")
    file.write_bytes({b"cut": whole[:-20], b"changed": changed}.get(damage, damage))
    assert [one.id for one in desk.act(fields, cache=tmp_path)] == ["open"]
    assert desk.notes == [f"the cache {file.name} is damaged; it is fetched again"]
    assert [one.id for one in desk.act(fields, cache=tmp_path)] == ["open"]


def test_a_fault_in_the_middle_of_the_pages_leaves_no_cache(desk: Desk, tmp_path: Path) -> None:
    many = [field(f"f{number}") for number in range(50)]
    desk.platform.on("GET", FIELDS, page(many, 60), refused(500, "x"))
    desk.raises(Exception, fields, cache=tmp_path)
    assert list(tmp_path.glob("data-fields-*")) == []


def test_an_empty_data_set_is_a_refusal_that_names_the_query(desk: Desk, tmp_path: Path) -> None:
    desk.platform.on("GET", FIELDS, page([]))
    error = desk.raises(Refusal, fields, cache=tmp_path)
    assert error.reason.code == "unknown_data"
    assert "region USA" in error.message
    assert "universe TOP3000" in error.message
    assert error.details["dataset.id"] == "pv1"
    assert list(tmp_path.glob("data-fields-*")) == []


def test_a_search_may_find_nothing(desk: Desk) -> None:
    desk.platform.on("GET", FIELDS, page([]))
    assert desk.act(lambda client: client.data_fields(DataQuery(search="nothing"))) == ()


@pytest.mark.parametrize(
    ("given", "key"),
    [({"region": "XXX"}, "region"), ({"universe": "X"}, "universe"), ({"delay": 7}, "delay")],
)
def test_a_region_that_the_platform_has_not_is_refused_with_those_it_has(
    desk: Desk, given: dict[str, Any], key: str
) -> None:
    error = desk.raises(Refusal, lambda client: client.data_sets(DataQuery(**given)))
    assert error.reason.code == "bad_settings"
    assert key in error.details
    assert desk.platform.asked("GET", "/data-sets") == []


def test_choices_that_are_out_of_date_are_fetched_again_before_a_refusal(desk: Desk, tmp_path: Path) -> None:
    desk.act(lambda client: client.choices(), cache=tmp_path)
    grown = choices()
    by_region = grown["actions"]["POST"]["settings"]["children"]
    by_region["universe"]["choices"]["instrumentType"]["EQUITY"]["region"]["USA"].append({"value": "NEW"})
    desk.platform.on("OPTIONS", "/simulations", Answer(grown))
    desk.platform.on("GET", "/data-sets", page([{"id": "pv1", "name": "Price Volume", "fieldCount": 20}]))
    (found,) = desk.act(lambda client: client.data_sets(DataQuery(universe="NEW")), cache=tmp_path)
    assert (found.id, found.field_count) == ("pv1", 20)


def test_data_that_the_platform_refuses_is_named(desk: Desk) -> None:
    desk.platform.on("GET", FIELDS, refused(404, "Not found."))
    assert desk.raises(Refusal, fields).reason.code == "unknown_data"


def test_fields_of_an_unknown_type_are_left_out_and_this_is_said(desk: Desk) -> None:
    many = [field(f"f{number}") for number in range(49)]
    pages = [page([*many, field("u", type="UNIVERSE")], 51), page([field("last")], 51)]
    desk.platform.on("GET", FIELDS, *pages)
    assert [one.id for one in desk.act(fields)] == [*(f"f{number}" for number in range(49)), "last"]
    assert desk.notes == ["fields of a type that no expression takes are left out: UNIVERSE"]
