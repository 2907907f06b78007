from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.notes._file import MAX_FILE, NoteFault, read_note
from assay.notes._note import Note

# changes whenever a file's content may have
_State = tuple[int, int, int, int]


class NoteReader:
    """Reads the notes of a folder; a file that did not change is not read again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[_State, Note]] = {}

    def note(self, slug: str) -> Note:
        """The note of a file that is there.

        Raises
        ------
        Refusal
            ``damaged_state``, with all that is wrong.
        """
        # not through a link, and without waiting for a pipe
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            handle = os.open(self._folder / f"{slug}.md", flags)
        except OSError as error:
            raise _damaged(slug, "is a link" if error.errno == errno.ELOOP else "cannot be opened") from error
        try:
            state = _state(slug, handle)
            known = self._known.get(slug)
            if known is not None and known[0] == state:
                return known[1]
            content = _content(handle)
        finally:
            os.close(handle)
        note = _parsed(slug, content)
        self._known[slug] = (state, note)
        return note


def check_chain(slug: str, notes: Mapping[str, Note], known: Collection[str]) -> None:
    """Follow what superseded a note to the end of the chain, or to a note of ``known`` that cannot be read.

    Raises
    ------
    Refusal
        ``damaged_state``: the chain has no end, or leads to what was not published.
    """
    seen: set[str] = set()
    at = slug
    while (following := notes[at].superseded_by) is not None:
        seen.add(at)
        if following in seen:
            raise _damaged(slug, "is superseded by notes that lead back to it")
        if following in known and following not in notes:
            return
        if following not in notes or notes[following].status == "draft":
            raise _damaged(at, f"is superseded by {following!r}, which was not published")
        at = following


def _state(slug: str, handle: int) -> _State:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise _damaged(slug, "is no file")
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _content(handle: int) -> bytes:
    with os.fdopen(handle, "rb", closefd=False) as file:
        return file.read(MAX_FILE + 1)


def _parsed(slug: str, content: bytes) -> Note:
    if len(content) > MAX_FILE:
        raise _damaged(slug, "is longer than 1 MiB")
    try:
        return read_note(slug, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _damaged(slug, "is not UTF-8") from error
    except NoteFault as fault:
        raise _damaged(slug, f"cannot be right: {fault}") from fault


def _damaged(slug: str, what: str) -> Refusal:
    return Refusal(DAMAGED_STATE, f"the note {slug!r} {what}", where=f"note {slug!r}")
