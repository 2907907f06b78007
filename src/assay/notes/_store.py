from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from assay.base import ID_PATTERN, Clock, SystemClock, atomic_write, did_you_mean, folder_lock
from assay.errors import AssayError, Refusal
from assay.notes._file import MAX_FILE, is_title, note_text
from assay.notes._note import Note, NoteRow, Visibility, content_hash
from assay.notes._reader import NoteReader, check_chain
from assay.notes._reasons import (
    BAD_NOTE,
    BAD_SLUG,
    NO_NOTE_STORE,
    NOTE_EXISTS,
    NOTES_BUSY,
    SUPERSEDED_ALREADY,
    UNKNOWN_SLUG,
)

WAIT = 10.0


class NoteStore:
    """The notes of a folder, ``<slug>.md`` each; other files in it are no notes.

    Readers see a note whole, as it was before or after a change; writers take turns. Threads may share one.

    Parameters
    ----------
    folder : of the files.
    clock : says what day a note is published on.
    wait : seconds to wait for another writer.
    """

    def __init__(self, folder: Path, *, clock: Clock | None = None, wait: float = WAIT) -> None:
        self.folder = Path(folder)
        self._clock = clock or SystemClock()
        self._wait = wait
        self._reader = NoteReader(self.folder)

    def list(self) -> tuple[NoteRow, ...]:
        """All notes by slug, drafts included.

        Raises
        ------
        Refusal
            ``no_note_store``: there is no such folder. ``damaged_state``: a note cannot be read, its text is
            not the one that was published, or what superseded it is missing or leads back to it.
        """
        notes, damaged = self.survey()
        for refusal in damaged.values():
            raise refusal
        return notes

    def survey(self) -> tuple[tuple[NoteRow, ...], dict[str, Refusal]]:
        """The notes that are whole, and by slug what is wrong with the others.

        Raises
        ------
        Refusal
            ``no_note_store``: there is no such folder.
        """
        notes: dict[str, Note] = {}
        damaged: dict[str, Refusal] = {}
        for slug in self._slugs():
            try:
                notes[slug] = self._reader.note(slug)
            except Refusal as refusal:
                damaged[slug] = refusal
        known = notes.keys() | damaged.keys()
        for slug in notes:
            try:
                check_chain(slug, notes, known)
            except Refusal as refusal:
                damaged[slug] = refusal
        return tuple(note for slug, note in notes.items() if slug not in damaged), damaged

    def get(self, slug: str) -> Note:
        """The note of a slug, also a draft.

        Raises
        ------
        Refusal
            ``unknown_slug``, also for what is no slug, such as a path; ``no_note_store``; ``damaged_state``.
        """
        if not isinstance(slug, str) or not ID_PATTERN.fullmatch(slug) or not self._has(slug):
            self._unknown(slug)
        return self._reader.note(slug)

    def is_citable(self, slug: str) -> bool:
        """Whether there is such a note, and it was published; also one that was superseded since.

        Raises
        ------
        Refusal
            ``damaged_state``: there is one, and it cannot be right.
        """
        if not ID_PATTERN.fullmatch(slug) or not self.folder.is_dir() or not self._has(slug):
            return False
        return self._reader.note(slug).status != "draft"

    def new(self, slug: str, title: str, body: str = "") -> Note:
        """A new draft; its file may be edited until it is published.

        Raises
        ------
        Refusal
            ``bad_slug``, ``bad_note``: the title is not one line, or the text too long; ``note_exists``;
            ``notes_busy``.
        AssayError
            The folder cannot be written.
        """
        if not ID_PATTERN.fullmatch(slug):
            raise Refusal(BAD_SLUG, f"{slug[:80]!r} cannot be the slug of a note", where="slug")
        if not is_title(title):
            raise Refusal(BAD_NOTE, "the title is not one line of text", where="title")
        text = body.replace("\r\n", "\n").strip("\n")
        note = Note(slug, title, "draft", None, "public", None, content_hash(title, text), text)
        self._make_folder()
        with folder_lock(self.folder, self._wait, NOTES_BUSY):
            if os.path.lexists(self._path(slug)):
                raise Refusal(NOTE_EXISTS, f"there is a note {slug!r}", where="slug")
            self._write(note)
        return note

    def publish(self, slug: str, visibility: Visibility = "public", *, supersedes: str | None = None) -> Note:
        """Publish a draft, from when on it stays as it is; where it takes the place of another, mark that.

        Stopped between the two files, the new note is published and the old one not marked yet; doing it
        again with the same ``supersedes`` marks it.

        Raises
        ------
        Refusal
            ``note_exists``: it was published already. ``bad_note``: it has no text, or would supersede
            itself, a draft, or what leads to it. ``superseded_already``, ``unknown_slug``, ``notes_busy``,
            ``no_note_store``, ``damaged_state``. Nothing was written.
        AssayError
            The folder cannot be written.
        """
        if not self.folder.is_dir():
            raise Refusal(NO_NOTE_STORE)
        with folder_lock(self.folder, self._wait, NOTES_BUSY):
            note = self._draft(slug)
            old = None if supersedes is None else self._superseded(slug, supersedes)
            if note.status == "draft":
                note = self._publishable(note, visibility)
                self._write(note)
            elif old is None or visibility != note.visibility:
                raise Refusal(NOTE_EXISTS, f"{slug!r} was published already", where="slug")
            if old is not None and old.status != "superseded":
                self._write(replace(old, status="superseded", superseded_by=slug))
        return note

    def _draft(self, slug: str) -> Note:
        if not self._has(slug):
            near = did_you_mean(str(slug), self._slugs())
            fix = f"did you mean {', '.join(near)}?" if near else "begin it: assay note new SLUG --title TEXT"
            raise Refusal(UNKNOWN_SLUG, f"there is no note {slug[:80]!r}", where="slug", fix=fix)
        return self.get(slug)

    def _publishable(self, note: Note, visibility: Visibility) -> Note:
        if not note.body.strip():
            raise Refusal(BAD_NOTE, f"the note {note.slug!r} has no text", where=note.slug)
        day = self._clock.now().date()
        return replace(note, status="published", visibility=visibility, published=day)

    def _superseded(self, slug: str, supersedes: str) -> Note:
        """The note that is to be superseded, checked."""
        old = self.get(supersedes)
        if old.status == "draft":
            raise Refusal(BAD_NOTE, f"{supersedes!r} was never published", where="supersedes")
        if old.superseded_by not in (None, slug):
            raise Refusal(
                SUPERSEDED_ALREADY, f"{old.superseded_by!r} has superseded {supersedes!r}", where="supersedes"
            )
        follower: str | None = slug
        seen: set[str] = set()
        while follower is not None and follower not in seen:
            if follower == supersedes:
                what = "itself" if slug == supersedes else f"{supersedes!r}, which comes after it"
                raise Refusal(BAD_NOTE, f"{slug!r} cannot supersede {what}", where="supersedes")
            seen.add(follower)
            follower = self.get(follower).superseded_by
        return old

    def _path(self, slug: str) -> Path:
        return self.folder / f"{slug}.md"

    def _has(self, slug: str) -> bool:
        if not self.folder.is_dir():
            raise Refusal(NO_NOTE_STORE)
        return os.path.lexists(self._path(slug))

    def _slugs(self) -> Iterator[str]:
        if not self.folder.is_dir():
            raise Refusal(NO_NOTE_STORE)
        for name in sorted(os.listdir(self.folder)):
            slug, mark, rest = name.rpartition(".md")
            if mark and not rest and ID_PATTERN.fullmatch(slug):
                yield slug

    def _unknown(self, slug: str) -> NoReturn:
        near = did_you_mean(str(slug), self._slugs())
        raise Refusal(UNKNOWN_SLUG, where="slug", fix=f"did you mean {', '.join(near)}?" if near else None)

    def _write(self, note: Note) -> None:
        text = note_text(note)
        if len(text.encode()) > MAX_FILE:
            raise Refusal(BAD_NOTE, f"the note {note.slug!r} is longer than 1 MiB", where=note.slug)
        atomic_write(self._path(note.slug), text)

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AssayError(
                f"cannot create {self.folder}: {error.strerror or error}",
                where=str(self.folder),
                fix="choose a folder that may be written to",
            ) from error
