from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, Refusal
from assay.notes import Note, NoteStore, content_hash
from assay.notes._file import note_text, read_note

TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=200)


def refused(code: str):
    return pytest.raises(Refusal, check=lambda error: error.reason.code == code)


def test_a_draft_becomes_a_note_that_reads_back(store: NoteStore) -> None:
    note = store.get("first")
    assert (note.status, note.published, note.visibility) == ("published", date(2022, 2, 22), "public")
    assert note.content_hash == content_hash("The first", "Some text.\n\nMore of it.")
    assert [(row.slug, row.status) for row in store.list()] == [("first", "published"), ("second", "draft")]
    assert NoteStore(store.folder).get("first") == note


def test_the_hash_covers_title_and_text_and_nothing_else(store: NoteStore) -> None:
    store.new("third", "The first", "Some text.\r\n\r\nMore of it.\n\n")
    assert store.publish("third", "internal").content_hash == store.get("first").content_hash
    assert content_hash("a", "b") != content_hash("ab", "")


@given(title=st.text(st.characters(blacklist_categories=("C", "Z")), min_size=1, max_size=60), body=TEXTS)
def test_what_is_written_reads_back(title: str, body: str) -> None:
    text = body.replace("\r\n", "\n").strip("\n")
    if "\r" in text:
        text = text.replace("\r", "")
    note = Note("n", title, "published", date(2020, 2, 29), "internal", None, content_hash(title, text), text)
    assert read_note("n", note_text(note)) == note


def test_a_draft_may_be_edited_and_a_published_note_may_not(store: NoteStore) -> None:
    edit(store, "second", "Better", "Best")
    assert store.get("second").body == "Best text."
    store.publish("second")
    edit(store, "second", "Best", "Worst")
    with refused("damaged_state") as caught:
        store.get("second")
    assert "content_hash" in caught.value.message
    assert "'second'" in caught.value.message
    with refused("damaged_state"):
        store.list()
    assert store.get("first").status == "published", "the others are served"
    rows, damaged = store.survey()
    assert ([row.slug for row in rows], list(damaged)) == (["first"], ["second"])


def edit(store: NoteStore, slug: str, old: str, new: str) -> None:
    file = store.folder / f"{slug}.md"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_nothing_is_written_twice(store: NoteStore) -> None:
    before = (store.folder / "first.md").read_bytes()
    with refused("note_exists"):
        store.new("first", "Another")
    with refused("note_exists"):
        store.publish("first")
    assert (store.folder / "first.md").read_bytes() == before


def test_chains(store: NoteStore) -> None:
    store.publish("second", supersedes="first")
    first = store.get("first")
    assert (first.status, first.superseded_by) == ("superseded", "second")
    assert first.content_hash == content_hash(first.title, first.body)
    store.new("third", "The third", "Another text.")
    with refused("superseded_already"):
        store.publish("third", supersedes="first")
    assert store.get("third").status == "draft"
    store.publish("third", supersedes="second")
    assert [row.superseded_by for row in store.list()] == ["second", "third", None]


@pytest.mark.parametrize("last", ["first", "second", "third"])
def test_no_chain_leads_back(store: NoteStore, last: str) -> None:
    store.publish("second", supersedes="first")
    store.new("third", "The third", "Another text.")
    store.publish("third", supersedes="second")
    before = {file: file.read_bytes() for file in store.folder.iterdir()}
    for other in ("first", "second", "third"):
        if other == last or (last, other) in (("second", "first"), ("third", "second")):
            continue  # itself below; the marks that are there
        with pytest.raises(Refusal):
            store.publish(last, supersedes=other)
    with pytest.raises(Refusal):
        store.publish(last, supersedes=last)
    assert {file: file.read_bytes() for file in store.folder.iterdir()} == before


def test_a_forged_circle_is_found(store: NoteStore) -> None:
    store.publish("second", supersedes="first")
    edit(store, "second", 'status = "published"', 'status = "superseded"\nsuperseded_by = "first"')
    with refused("damaged_state") as caught:
        store.list()
    assert "lead back" in caught.value.message
    with pytest.raises(Refusal):
        store.publish("first", supersedes="second")


@pytest.mark.parametrize(("old", "new", "said"), [
    ("+++\nslug", "slug", "first line"),
    ("content_hash", "superseded_by = 'gone'\ncontent_hash", "only then"),
    ('status = "published"', 'status = "superseded"\nsuperseded_by = "gone"', "was not published"),
    ('status = "published"', 'status = "superseded"\nsuperseded_by = "second"', "was not published"),
    ('status = "published"', 'status = "draft"', "a draft has no published"),
    ('status = "published"', 'status = "final"', "status is none of"),
    ('slug = "first"', 'slug = "other"', "as the file is named"),
    ('title = "The first"', 'title = "The best"', "content_hash"),
    ('title = "The first"', "title = 7", "title is not one line"),
    ("published = 2022-02-22", "published = 2022-02-22T00:00:00", "published is no date"),
    ("published = 2022-02-22", "published = 2022-02-30", "not TOML"),
    ("visibility", "visiblity", "'visiblity' is no key"),
    ("visibility", "x = " + "[" * 3000 + "]" * 3000 + "\nvisibility", "cannot be right"),
    ("Some text", "Some other text", "content_hash"),
    ("+++\n\nSome", "\nSome", "no line +++ ends"),
])  # fmt: skip
def test_a_damaged_note_is_named_with_what_is_wrong(store: NoteStore, old: str, new: str, said: str) -> None:
    edit(store, "first", old, new)
    with refused("damaged_state") as caught:
        store.list()
    assert "'first'" in caught.value.message
    assert said in caught.value.message


def test_all_faults_of_the_front_matter_are_told_at_once(store: NoteStore) -> None:
    edit(store, "first", 'title = "The first"\nstatus = "published"', "status = 1\nmore = 2")
    with refused("damaged_state") as caught:
        store.get("first")
    for word in ("'more'", "title", "status"):
        assert word in caught.value.message


def test_bytes_that_are_no_text_and_files_without_an_end(store: NoteStore) -> None:
    (store.folder / "first.md").write_bytes(b"+++\n\xff\xfe\n+++\n")
    with refused("damaged_state"):
        store.get("first")
    (store.folder / "first.md").write_bytes(b"+++\n" + b"#" * (1 << 20))
    with refused("damaged_state"):
        store.get("first")
    with refused("bad_note"):
        store.new("long", "Long", "x" * (1 << 20))
    assert not (store.folder / "long.md").exists()


@pytest.mark.parametrize(
    "slug",
    ["../first", "/etc/passwd", "a/b", "", ".", "..", "First", "first.md", "first\n", "a" * 65, "\x00"],
)
def test_what_is_no_slug_leads_to_no_file(store: NoteStore, slug: str) -> None:
    with refused("unknown_slug"):
        store.get(slug)
    assert not store.is_citable(slug)
    with refused("bad_slug"):
        store.new(slug, "Title")
    with refused("unknown_slug"):
        store.publish(slug)


def test_links_pipes_and_folders_are_no_notes(store: NoteStore, tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere.md"
    secret.write_text((store.folder / "first.md").read_text().replace('"first"', '"link"'))
    (store.folder / "link.md").symlink_to(secret)
    os.mkfifo(store.folder / "pipe.md")
    (store.folder / "folder.md").mkdir()
    (store.folder / "gone.md").symlink_to(tmp_path / "nowhere")
    for slug in ("link", "pipe", "folder", "gone"):
        with refused("damaged_state") as caught:
            store.get(slug)
        assert slug in caught.value.message
        assert str(tmp_path) not in caught.value.message
        with refused("note_exists"):
            store.new(slug, "Title")
    assert secret.exists()


def test_other_files_are_no_notes(store: NoteStore) -> None:
    for name in ("README.md", "data.csv", ".first.md.abc.tmp", ".hidden.md"):
        (store.folder / name).write_text("anything")
    assert [row.slug for row in store.list()] == ["first", "second"]


def test_an_absent_folder_is_no_empty_store(tmp_path: Path) -> None:
    store = NoteStore(tmp_path / "none")
    for act in (store.list, lambda: store.get("a"), lambda: store.publish("a")):
        with refused("no_note_store"):
            act()
    assert not store.is_citable("a")
    store.folder.mkdir()
    assert store.list() == ()


@pytest.mark.parametrize("title", ["", " ", "two\nlines", "x" * 201, "\x07"])
def test_a_title_is_one_line(store: NoteStore, title: str) -> None:
    with refused("bad_note"):
        store.new("new", title)


def test_an_empty_note_is_not_published(store: NoteStore) -> None:
    store.new("empty", "Empty", "\n \n")
    with refused("bad_note"):
        store.publish("empty")
    assert store.get("empty").status == "draft"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot create"):
        NoteStore(tmp_path / "file" / "notes").new("a", "A")


def test_shipped_notes_are_whole() -> None:
    from importlib import resources

    with resources.as_file(resources.files("assay.config").joinpath("template", "notes")) as folder:
        rows = NoteStore(folder).list()
    assert [row.slug for row in rows] == ["the-promotion-gate", "walk-forward-without-leakage"]
    assert {row.status for row in rows} == {"published"}
