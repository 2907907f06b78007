from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.notes import NO_NOTE_STORE, UNKNOWN_SLUG
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._reasons import MISSING_SLUG

if TYPE_CHECKING:
    from assay.notes import NoteRow, NoteStore

MAX_TEXT = 200


class NotesArguments(Arguments):
    pass


class NoteArguments(Arguments):
    slug: str = Field(description="Slug of a note, as writing.list_notes gives it.", max_length=MAX_TEXT)


class NotesRow(Result):
    slug: str = Field(description="Cite it as note:<slug>.")
    content_hash: str = Field(description="SHA-256 over title and text.")
    status: Literal["published", "superseded"]
    title: str
    published: str | None = Field(description="Day; missing where it lies after the dates that are open.")
    visibility: Literal["public", "internal"]
    superseded_by: str | None = Field(description="The note that took its place.")


class NotesResult(Result):
    rows: list[NotesRow]
    total: int


class NoteResult(NotesRow):
    body: str = Field(description="Markdown.")


def note_tools(notes: NoteStore | None, clock: date | None = None) -> tuple[Tool, ...]:
    """``writing.list_notes`` and ``writing.get_note``; ``clock``: the last day to be told of."""

    def run_list(arguments: NotesArguments, context: Context) -> NotesResult:
        rows = [_row(note, clock) for note in _needed(notes).list() if note.status != "draft"]
        return NotesResult(rows=rows, total=len(rows))

    def run_get(arguments: NoteArguments, context: Context) -> NoteResult:
        store = _needed(notes)
        if not arguments.slug:
            raise Refusal(MISSING_SLUG)
        # a draft is its author's: to a caller of tools it does not exist
        if not store.is_citable(arguments.slug):
            raise Refusal(UNKNOWN_SLUG)
        note = store.get(arguments.slug)
        return NoteResult(**_row(note, clock).model_dump(), body=note.body)

    return (
        Tool(
            "writing.list_notes",
            "Lists the published research notes, which can be cited; superseded ones name their successor.",
            NotesArguments,
            NotesResult,
            (NO_NOTE_STORE, DAMAGED_STATE),
            run_list,
        ),
        Tool(
            "writing.get_note",
            "Gives the text of a published research note. A slug that does not exist cannot be cited.",
            NoteArguments,
            NoteResult,
            (MISSING_SLUG, UNKNOWN_SLUG, NO_NOTE_STORE, DAMAGED_STATE),
            run_get,
        ),
    )


def _needed(notes: NoteStore | None) -> NoteStore:
    if notes is None or not notes.folder.is_dir():
        raise Refusal(NO_NOTE_STORE)
    return notes


def _row(note: NoteRow, clock: date | None) -> NotesRow:
    assert note.status != "draft"
    day = note.published
    return NotesRow(
        slug=note.slug,
        content_hash=note.content_hash,
        status=note.status,
        title=note.title,
        published=None if day is None or (clock is not None and day > clock) else day.isoformat(),
        visibility=note.visibility,
        superseded_by=note.superseded_by,
    )
