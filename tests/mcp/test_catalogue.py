"""The catalogue in the documentation is that of the live surface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay.mcp
from assay.cli import main
from assay.cli._reference import catalogue_file
from assay.mcp import RegistryOffer, bare_surface, catalogued

from .conftest import talk

FILE = Path(__file__).parents[2] / "docs" / "reference" / "mcp-catalogue.json"


@pytest.mark.parametrize("file", [FILE, Path(assay.mcp.__path__[0]) / "catalogue.json"])
def test_the_file_is_fresh(file: Path) -> None:
    fix = "refresh it: python -m assay.cli._reference docs/reference"
    assert file.read_text(encoding="utf-8") == catalogue_file(), fix


def test_what_is_listed_before_anything_is_open_is_what_is_there_then(registry) -> None:
    """A server lists the catalogue of its package, and opens the registry for the first call."""
    assert list(catalogued()) == list(RegistryOffer(registry).listed())


def test_it_is_what_a_client_is_listed(server) -> None:
    listed = talk(server, lambda client: client.list_tools()).tools
    told = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed]
    known = {tool["name"]: tool for tool in json.loads(FILE.read_text(encoding="utf-8"))["tools"]}
    assert [known[tool["name"]] for tool in told] == told


def catalogue(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert main(["mcp", "catalogue", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_tells_the_same(capsys) -> None:
    told = catalogue(capsys, "--allow-record")
    assert told == json.loads(FILE.read_text(encoding="utf-8"))


def test_recording_has_to_be_allowed(capsys) -> None:
    more, fewer = catalogue(capsys, "--allow-record"), catalogue(capsys)
    names = [{tool["_meta"]["assay/id"] for tool in told["tools"]} for told in (more, fewer)]
    assert names[0] - names[1] <= {"provenance.record_candidate"}
    assert names[1] <= names[0]


def test_names_may_have_dots(capsys) -> None:
    told = catalogue(capsys, "--dotted-names")
    assert {tool["name"] for tool in told["tools"]} == {tool.id for tool in bare_surface().tools("agent")}


def test_people_get_a_list(capsys) -> None:
    assert main(["mcp", "catalogue"]) == 0
    said = capsys.readouterr().out
    assert "factor_evaluate" in said
    assert "bad_expression" in said
    assert "unknown_tool" in said


def test_every_listed_tool_has_words_and_types_for_each_argument() -> None:
    for tool in bare_surface(allow_record=True).tools():
        assert len(tool.summary) > 20
        for name, part in tool.input_schema.get("properties", {}).items():
            assert {"type", "enum", "anyOf", "$ref"} & set(part), (tool.id, name)
