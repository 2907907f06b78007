"""Calls of the tools of notes, by the reason that each is refused with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from assay.notes import NoteStore
from assay.tools.builtin import Workbench

Row = tuple[str, str, dict[str, Any], Callable[[Workbench], Workbench]]

NOTE = "walk-forward"
NOTE_CALLS: dict[str, dict[str, Any]] = {"writing.get_note": {"slug": NOTE}}
"""Arguments with which these tools work."""


def with_notes(bench: Workbench) -> Workbench:
    """A workbench with a published note and a draft."""
    return replace(bench, notes=note_store())


def note_store(body: str = "Train, then test.") -> NoteStore:
    store = NoteStore(Path(mkdtemp()))
    store.new(NOTE, "Walk forward", body)
    store.publish(NOTE)
    store.new("idea", "An idea", "Not yet.")
    return store


def without_notes(bench: Workbench) -> Workbench:
    return replace(bench, notes=None)


def with_lost_notes(bench: Workbench) -> Workbench:
    return replace(bench, notes=NoteStore(Path(mkdtemp()) / "none"))


def with_damaged_note(bench: Workbench) -> Workbench:
    store = note_store()
    file = store.folder / f"{NOTE}.md"
    file.write_text(file.read_text().replace("then", "and"))
    return replace(bench, notes=store)


NOTE_ROWS: list[Row] = [
    ("writing.list_notes", "no_note_store", {}, without_notes),
    ("writing.list_notes", "no_note_store", {}, with_lost_notes),
    ("writing.list_notes", "damaged_state", {}, with_damaged_note),
    ("writing.get_note", "missing_slug", {}, with_notes),
    ("writing.get_note", "missing_slug", {"slug": ""}, with_notes),
    ("writing.get_note", "unknown_slug", {"slug": "hallucinated"}, with_notes),
    ("writing.get_note", "unknown_slug", {"slug": "idea"}, with_notes),
    ("writing.get_note", "unknown_slug", {"slug": "../notes/walk-forward"}, with_notes),
    ("writing.get_note", "unknown_slug", {"slug": "walk-forward\x00"}, with_notes),
    ("writing.get_note", "no_note_store", {"slug": NOTE}, without_notes),
    ("writing.get_note", "no_note_store", {"slug": NOTE}, with_lost_notes),
    ("writing.get_note", "damaged_state", {"slug": NOTE}, with_damaged_note),
]
