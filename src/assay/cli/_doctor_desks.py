"""What ``assay doctor`` looks at in the stores of the desks: notes, book, what BRAIN sessions learned."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._doctor_finding import Finding
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.ledger import Ledger


def notes(workspace: Workspace) -> Iterator[Finding]:
    """Whether each note is whole; nothing where there are none."""
    from assay.notes import NoteStore

    if not workspace.notes_dir.is_dir():
        return
    try:
        whole, damaged = NoteStore(workspace.notes_dir).survey()
    except AssayError as error:
        yield Finding("notes", "problem", error.message, error.fix)
        return
    for slug, refusal in sorted(damaged.items()):
        yield Finding(f"note {slug}", "problem", refusal.message, refusal.fix)
    if whole:
        published = sum(note.status != "draft" for note in whole)
        yield Finding("notes", "good", f"{len(whole)} can be read, {published} of them published")


def book(workspace: Workspace) -> Iterator[Finding]:
    """Whether the book's record is whole; nothing where there is no book."""
    if not os.path.lexists(workspace.book_dir / "ledger"):
        return
    try:
        verified = open_without_writing(workspace.book_dir / "ledger").verify()
    except AssayError as error:
        yield Finding("book", "problem", error.message, error.fix)
        return
    yield Finding("book", "good", f"{verified.records} records, the chain is whole")


def knowledge(workspace: Workspace) -> Iterator[Finding]:
    """Whether what BRAIN sessions learned can be read; nothing where none has learned anything."""
    path = workspace.brain_dir / "knowledge_base.json"
    if not os.path.lexists(path):
        return
    from assay.brain.agent import KnowledgeBase

    try:
        entries = KnowledgeBase(path).entries()
    except AssayError as error:
        yield Finding("knowledge", "problem", error.message, error.fix)
        return
    yield Finding("knowledge", "good", f"{len(entries)} entries of BRAIN sessions can be read")


def open_without_writing(folder: Path) -> Ledger:
    """A ledger whose files cannot be opened for writing; so it is read without its lock, too."""
    from assay.ledger import Ledger, OsFiles

    class ReadOnly(OsFiles):
        def open(self, path: Path, flags: int) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return super().open(path, flags)

    return Ledger.open(folder, files=ReadOnly())
