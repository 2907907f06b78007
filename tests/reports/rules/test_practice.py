"""Short notes in many styles: each is read as its author meant it, or not at all.

The notes and what they state were written before any of them was read by the extractor. ``missed`` says
what is not read yet; a note that is read after all loses it. ``target`` is what is asked for, where a note
defines several factors.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from assay.reports._extraction import Extraction
from assay.spec import same_formula

from .reading import extract

FOLDER = Path(__file__).parent / "practice"
SETTINGS = ("universe", "frequency", "neutralization", "rebalance")
NO = "undeclared"


def notes() -> list[dict[str, Any]]:
    return [
        note
        for path in sorted(FOLDER.glob("*.toml"))
        for note in tomllib.loads(path.read_text(encoding="utf-8"))["note"]
    ]


NOTES = notes()
IDS = [note["id"] for note in NOTES]


@lru_cache(maxsize=1)
def answers() -> dict[str, Extraction]:
    return {note["id"]: extract(note["text"].strip(), note.get("target")) for note in NOTES}


def as_meant(note: dict[str, Any], found: Extraction) -> bool:
    if "refusal" in note:
        allowed = (note["refusal"], *note.get("alternatives", ()))
        return found.reason is not None and found.reason.code in allowed
    if found.spec is None or not same_formula(found.spec.expr, note["expr"]):
        return False
    values = {name: getattr(found.spec, name) for name in SETTINGS} | {"direction": found.direction}
    return all(value == note.get(name, NO) for name, value in values.items())


def test_there_are_notes_of_many_styles_in_both_languages() -> None:
    assert len(NOTES) == len(set(IDS)) >= 150
    assert len({note["style"] for note in NOTES}) >= 20
    chinese = [note for note in NOTES if any("\u4e00" <= character <= "\u9fff" for character in note["text"])]
    assert 0.4 <= len(chinese) / len(NOTES) <= 0.6


@pytest.mark.parametrize("note", NOTES, ids=IDS)
def test_a_note_is_read_as_meant_unless_it_is_listed_as_missed(note: dict[str, Any]) -> None:
    found = answers()[note["id"]]
    assert as_meant(note, found) == ("missed" not in note), (found.reason, found.note, found.spec)


@pytest.mark.parametrize("note", NOTES, ids=IDS)
def test_nothing_wrong_is_handed_over(note: dict[str, Any]) -> None:
    """What is missed is refused, or a setting is left undeclared; no formula and no value is wrong."""
    found = answers()[note["id"]]
    if found.spec is None:
        return
    assert "refusal" not in note, found.spec
    assert same_formula(found.spec.expr, note["expr"])
    for name in SETTINGS:
        assert getattr(found.spec, name) in (note.get(name, NO), NO)
    assert found.direction in (note.get("direction", NO), NO)


def test_most_are_read() -> None:
    assert sum("missed" not in note for note in NOTES) >= 0.85 * len(NOTES)
