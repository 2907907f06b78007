from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def here(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert run("init", "desk").code == 0
    monkeypatch.chdir(tmp_path / "desk")
    return tmp_path / "desk"


def test_a_new_workspace_has_two_published_notes(run, here: Path) -> None:
    rows = run("note", "list", "--json").data
    assert [(row["slug"], row["status"]) for row in rows] == [
        ("the-promotion-gate", "published"),
        ("walk-forward-without-leakage", "published"),
    ]
    assert "Purge" in run("note", "show", "walk-forward-without-leakage").out


def test_from_draft_to_a_superseded_note(run, here: Path) -> None:
    (here / "text.md").write_text("Losers rebound.\n", encoding="utf-8")
    made = run("note", "new", "idea", "--title", "An idea", "--file", "text.md", "--json").data
    assert (made["status"], made["published"]) == ("draft", None)
    assert run("note", "publish", "idea", "--internal", "--json").data["visibility"] == "internal"
    assert run("note", "new", "better", "--title", "A better one").code == 0
    empty = run("note", "publish", "better", "--supersedes", "idea")
    assert empty.code == 2
    assert "no text" in empty.err
    with open(here / "notes" / "better.md", "a", encoding="utf-8") as file:
        file.write("Losers rebound where volume fell.\n")
    done = run("note", "publish", "better", "--supersedes", "idea")
    assert "idea is superseded" in done.out
    assert "(see better)" in run("note", "list").out


def test_what_is_published_stays(run, here: Path) -> None:
    again = run("note", "publish", "the-promotion-gate")
    assert (again.code, "published already" in again.err) == (2, True)
    file = here / "notes" / "the-promotion-gate.md"
    file.write_text(file.read_text().replace("three gates", "two gates"))
    listed = run("note", "list", "--json")
    assert listed.code == 1
    whole, damaged = listed.data
    assert (whole["slug"], whole["status"]) == ("walk-forward-without-leakage", "published")
    assert (damaged["slug"], damaged["status"], damaged["reason"]) == (
        "the-promotion-gate", "damaged", "damaged_state",
    )  # fmt: skip
    shown = run("note", "list")
    assert shown.code == 1
    assert "walk-forward-without-leakage     published" in shown.out
    assert "put the file back" in shown.out
    assert "--supersedes the-promotion-gate" in shown.out


@pytest.mark.parametrize("slug", ["../idea", "A", "a b"])
def test_bad_slugs_and_titles_are_refused(run, here: Path, slug: str) -> None:
    before = sorted((here / "notes").iterdir())
    assert run("note", "new", slug, "--title", "T").code == 2
    assert run("note", "new", "fine", "--title", "").code == 2
    assert run("note", "show", slug).code == 2
    assert sorted((here / "notes").iterdir()) == before


def test_a_note_of_later_days_is_published_with_a_warning(run, desk: Path) -> None:
    run("note", "new", "late", "--title", "Late")
    with open(desk / "notes" / "late.md", "a", encoding="utf-8") as file:
        file.write("It held until 2031-01-01.\n")
    done = run("note", "publish", "late")
    assert done.code == 0
    assert "after the search period of small" in done.err


def test_outside_a_workspace(run) -> None:
    done = run("note", "list")
    assert (done.code, "no workspace" in done.err) == (2, True)


def test_what_was_never_begun_cannot_be_published(run, here: Path) -> None:
    assert run("note", "new", "idea", "--title", "An idea").code == 0
    near = run("note", "publish", "idee")
    assert (near.code, "did you mean idea?" in near.err) == (2, True)
    far = run("note", "publish", "something-else")
    assert (far.code, "assay note new SLUG" in far.err) == (2, True)
