"""``assay note``: research notes, from draft to publication."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from assay.cli._output import Json, print_json, say

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.errors import Refusal
    from assay.notes import Note, NoteRow, NoteStore, Visibility

DAMAGED: Final = 1

Slug = Annotated[str, typer.Argument(help="Slug of a note.", metavar="SLUG")]


def note_app() -> typer.Typer:
    """``assay note``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Research notes: what decisions and agents cite. Once published, a note stays as it is.",
    )
    app.command("new")(new)
    app.command("publish")(publish)
    app.command("list")(list_notes)
    app.command("show")(show)
    return app


def new(
    slug: Slug,
    title: Annotated[str, typer.Option(help="One line.", metavar="TEXT")],
    file: Annotated[
        Path | None, typer.Option("--file", help="Take the text, Markdown, from this file.", metavar="FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Begin a note: notes/SLUG.md, a draft, to be edited until it is published."""
    from assay.cli._files import read_text

    store = _store()
    note = store.new(slug, title, "" if file is None else read_text(file, "--file"))
    if as_json:
        print_json(_as_dict(note))
        return
    say(f"draft {store.folder / slug}.md; when it says what it should: assay note publish {slug}")


def publish(
    slug: Slug,
    internal: Annotated[bool, typer.Option("--internal", help="Not to be shown outside the desk.")] = False,
    supersedes: Annotated[
        str | None, typer.Option(help="The published note that it takes the place of.", metavar="SLUG")
    ] = None,
    as_json: Json = False,
) -> None:
    """Publish a draft: from now on it can be cited, agents may read it, and it stays as it is."""
    from assay.cli._workspace import need_workspace

    workspace = need_workspace()
    visibility: Visibility = "internal" if internal else "public"
    note = _store().publish(slug, visibility, supersedes=supersedes)
    _warn_of_later_dates(workspace, note)
    if as_json:
        print_json(_as_dict(note))
        return
    gone = "" if supersedes is None else f"; {supersedes} is superseded"
    say(f"published {slug} ({note.content_hash[:12]}), cite it as note:{slug}{gone}")


def list_notes(as_json: Json = False) -> int:
    """List the notes of this workspace, drafts included. Exit code 1 when one of them is damaged."""
    rows, damaged = _store().survey()
    if as_json:
        print_json([*map(_as_dict, rows), *(_as_damaged(*item) for item in damaged.items())])
        return DAMAGED if damaged else 0
    if not rows and not damaged:
        say("there are no notes; begin one with: assay note new SLUG --title TEXT")
    for row in rows:
        day = "" if row.published is None else str(row.published)
        gone = "" if row.superseded_by is None else f"  (see {row.superseded_by})"
        say(f"{row.slug:<32} {row.status:<10} {day:<10}  {row.title}{gone}")
    for slug, refusal in damaged.items():
        say(f"{slug:<32} damaged     {refusal.message}")
        say(f"  {_way_out(slug)}")
    return DAMAGED if damaged else 0


def show(slug: Slug, as_json: Json = False) -> None:
    """Show one note."""
    note = _store().get(slug)
    if as_json:
        print_json({**_as_dict(note), "body": note.body})
        return
    say(f"# {note.title}\n\n{note.slug}, {note.status}, {note.content_hash[:12]}\n\n{note.body}")


def _store() -> NoteStore:
    from assay.cli._workspace import need_workspace
    from assay.notes import NoteStore

    return NoteStore(need_workspace().notes_dir)


def _as_dict(note: NoteRow) -> dict[str, Any]:
    return {
        "slug": note.slug,
        "title": note.title,
        "status": note.status,
        "published": None if note.published is None else note.published.isoformat(),
        "visibility": note.visibility,
        "superseded_by": note.superseded_by,
        "content_hash": note.content_hash,
    }


def _as_damaged(slug: str, refusal: Refusal) -> dict[str, Any]:
    return {
        "slug": slug,
        "status": "damaged",
        "reason": refusal.reason.code,
        "message": refusal.message,
        "fix": _way_out(slug),
    }


def _way_out(slug: str) -> str:
    return (
        "put the file back as it was published; to say something else, write a new note then and publish it: "
        f"assay note publish NEW --supersedes {slug}"
    )


def _warn_of_later_dates(workspace: Workspace, note: Note) -> None:
    """Agents read notes: what a note tells of hidden dates is no longer hidden."""
    from assay.cli._progress import note as notice
    from assay.market import names_later

    planned = {name: settings.periods for name, settings in workspace.data.items() if settings.periods}
    told = [name for name, plan in planned.items() if names_later(f"{note.title}\n{note.body}", plan.clock)]
    if told:
        notice(
            f"the note names days after the search period of {', '.join(told)}; agents are shown none of "
            "them, but words about what happened then they can read"
        )
