from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from assay.base import json_hash

NoteStatus = Literal["draft", "published", "superseded"]
Visibility = Literal["public", "internal"]


@dataclass(frozen=True, slots=True)
class NoteRow:
    """What is known of a note besides its text.

    Parameters
    ----------
    slug : its name, which is also that of its file.
    title : one line.
    status : ``draft``: its author may change it, and nobody may cite it; ``published``: it stays as it is;
        ``superseded``: it stays, and another note says it better.
    published : the day of publication (UTC); None for a draft.
    visibility : ``public`` or ``internal``: whether it may be shown outside the desk.
    superseded_by : slug of the note that took its place.
    content_hash : hex SHA-256 over title and text; see :func:`content_hash`.
    """

    slug: str
    title: str
    status: NoteStatus
    published: date | None
    visibility: Visibility
    superseded_by: str | None
    content_hash: str


@dataclass(frozen=True, slots=True)
class Note(NoteRow):
    """A note with its text, Markdown without blank lines at its ends."""

    body: str


def content_hash(title: str, body: str) -> str:
    """Hex SHA-256 of the canonical JSON ``{"body": ..., "title": ...}``."""
    return json_hash({"title": title, "body": body})
