"""Research notes: written once, published once, superseded by others and never changed."""

from assay.notes._note import Note, NoteRow, NoteStatus, Visibility, content_hash
from assay.notes._reasons import (
    BAD_NOTE,
    BAD_SLUG,
    NO_NOTE_STORE,
    NOTE_EXISTS,
    NOTES_BUSY,
    SUPERSEDED_ALREADY,
    UNKNOWN_SLUG,
)
from assay.notes._store import NoteStore

__all__ = [
    "BAD_NOTE",
    "BAD_SLUG",
    "NO_NOTE_STORE",
    "NOTES_BUSY",
    "NOTE_EXISTS",
    "SUPERSEDED_ALREADY",
    "UNKNOWN_SLUG",
    "Note",
    "NoteRow",
    "NoteStatus",
    "NoteStore",
    "Visibility",
    "content_hash",
]
