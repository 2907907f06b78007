from __future__ import annotations

from assay.notes import content_hash
from assay.tools import Caller, Ok
from assay.tools.builtin import Workbench, builtin_registry

from .note_cases import NOTE, note_store


def call(bench: Workbench, caller: Caller, tool: str, **arguments: str) -> Ok:
    outcome = builtin_registry(bench).call(tool, arguments, caller)
    assert isinstance(outcome, Ok), outcome
    return outcome


def test_published_notes_are_listed_and_drafts_are_not(caller: Caller) -> None:
    store = note_store()
    listed = call(Workbench(notes=store), caller, "writing.list_notes").result
    assert listed == {
        "rows": [
            {
                "slug": NOTE,
                "content_hash": content_hash("Walk forward", "Train, then test."),
                "status": "published",
                "title": "Walk forward",
                "published": str(store.get(NOTE).published),
                "visibility": "public",
                "superseded_by": None,
            }
        ],
        "total": 1,
    }


def test_a_superseded_note_is_served_and_marked(caller: Caller) -> None:
    store = note_store()
    store.publish("idea", "internal", supersedes=NOTE)
    bench = Workbench(notes=store)
    listed = call(bench, caller, "writing.list_notes").result
    assert [(row["slug"], row["status"], row["superseded_by"]) for row in listed["rows"]] == [
        ("idea", "published", None),
        (NOTE, "superseded", "idea"),
    ]
    told = call(bench, caller, "writing.get_note", slug=NOTE).result
    assert (told["superseded_by"], told["body"]) == ("idea", "Train, then test.")


def test_a_day_of_publication_after_the_search_period_is_not_told(view, caller: Caller) -> None:
    bench = Workbench(view=view, notes=note_store())
    for tool, sent in (("writing.list_notes", {}), ("writing.get_note", {"slug": NOTE})):
        told = call(bench, caller, tool, **sent).result
        assert told.get("rows", [told])[0]["published"] is None
