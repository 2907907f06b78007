"""A note as a file: TOML between two lines ``+++``, then the text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final

from assay.base import ID_PATTERN, TomlFault, toml_of
from assay.notes._note import Note, content_hash

FENCE: Final = "+++"
MAX_TITLE: Final = 200
MAX_FILE: Final = 1 << 20
_STATUSES: Final = ("draft", "published", "superseded")
_VISIBILITIES: Final = ("public", "internal")
_KEYS: Final = ("slug", "title", "status", "published", "visibility", "superseded_by", "content_hash")


class NoteFault(Exception):
    """A file is no note; the message says all that is wrong with it."""


def is_title(text: object) -> bool:
    """Whether this can be a title: one printable line, not empty."""
    return isinstance(text, str) and 0 < len(text) <= MAX_TITLE and text.isprintable() and bool(text.strip())


def note_text(note: Note) -> str:
    """The file of a note; :func:`read_note` gives the note back."""
    lines = [f"slug = {_quoted(note.slug)}", f"title = {_quoted(note.title)}"]
    lines.append(f"status = {_quoted(note.status)}")
    if note.published is not None:
        lines.append(f"published = {note.published.isoformat()}")
    lines.append(f"visibility = {_quoted(note.visibility)}")
    if note.superseded_by is not None:
        lines.append(f"superseded_by = {_quoted(note.superseded_by)}")
    if note.status != "draft":
        lines.append(f"content_hash = {_quoted(note.content_hash)}")
    return "\n".join([FENCE, *lines, FENCE, "", note.body, ""])


def read_note(slug: str, text: str) -> Note:
    """The note that a file holds.

    Raises
    ------
    NoteFault
        The front matter is absent, cannot be read, or contradicts itself, the name or the text.
    """
    front, body = _parted(text.replace("\r\n", "\n"))
    faults = list(_faults(slug, front))
    if faults:
        raise NoteFault("; ".join(faults))
    digest = content_hash(front["title"], body)
    if front["status"] != "draft" and front["content_hash"] != digest:
        raise NoteFault("its title or text is another one than was published (content_hash)")
    return Note(
        slug,
        front["title"],
        front["status"],
        front.get("published"),
        front["visibility"],
        front.get("superseded_by"),
        digest,
        body,
    )


def _parted(text: str) -> tuple[dict[str, Any], str]:
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise NoteFault(f"its first line is not {FENCE}, which begins the front matter")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise NoteFault(f"no line {FENCE} ends its front matter")
    try:
        front = toml_of("\n".join(lines[1:end]))
    except TomlFault as fault:
        raise NoteFault(f"its front matter {fault}") from fault
    return front, "\n".join(lines[end + 1 :]).strip("\n")


def _faults(slug: str, front: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key[:64]!r} is no key of the front matter" for key in front if key not in _KEYS)
    if front.get("slug") != slug:
        yield f"slug is not {slug!r}, as the file is named"
    if not is_title(front.get("title")):
        yield f"title is not one line of 1 to {MAX_TITLE} characters"
    if front.get("status") not in _STATUSES:
        yield f"status is none of {', '.join(_STATUSES)}"
    if front.get("visibility") not in _VISIBILITIES:
        yield f"visibility is none of {', '.join(_VISIBILITIES)}"
    successor = front.get("superseded_by")
    if successor is not None and not (isinstance(successor, str) and ID_PATTERN.fullmatch(successor)):
        yield "superseded_by is no slug"
    if (front.get("status") == "superseded") != (successor is not None):
        yield "status is superseded with superseded_by, and only then"
    yield from _publication_faults(front)


def _publication_faults(front: Mapping[str, Any]) -> Iterator[str]:
    day, digest = front.get("published"), front.get("content_hash")
    if front.get("status") == "draft":
        if day is not None or digest is not None:
            yield "a draft has no published and no content_hash"
        return
    if not isinstance(day, date) or isinstance(day, datetime):
        yield "published is no date"
    if not isinstance(digest, str):
        yield "content_hash is missing"


def _quoted(text: str) -> str:
    # a JSON string without control characters is a TOML string, too
    return json.dumps(text, ensure_ascii=False)
