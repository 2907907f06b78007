from __future__ import annotations

import pickle
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.base import Operator
from assay.errors import AssayError, Refusal
from assay.ledger import Ledger
from assay.notes import NoteStore
from assay.provenance import Citation, CitationRefused, draft, recent, record

UUID = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
AGENT = Operator("agent", f"small/{UUID}", "small-1")
HUMAN = Operator.human("li")


class Still:
    def now(self) -> datetime:
        return datetime(2022, 2, 22, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger", clock=Still())


@pytest.fixture
def notes(tmp_path: Path) -> NoteStore:
    store = NoteStore(tmp_path / "notes", clock=Still())
    store.new("walk-forward", "Walk forward", "Train, then test.")
    store.publish("walk-forward")
    store.new("idea", "An idea", "Not yet.")
    return store


@pytest.mark.parametrize(
    "text", ["note:walk-forward", f"agent:Qwen/Qwen3-4B/{UUID}", f"certificate:{'ab' * 32}"]
)
def test_a_citation_reads_back(text: str) -> None:
    assert str(Citation.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "note",
        "note:",
        "note:A",
        "note:../assay",
        "note:a/b",
        "note:a\n",
        "url:http://x",
        "agent:small",
        f"agent:{UUID}",
        "agent:small/017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
        "certificate:abc",
        f"certificate:sha256:{'ab' * 32}",
        "NOTE:walk-forward",
    ],
)
def test_what_is_no_citation_is_refused(text: str) -> None:
    with pytest.raises(CitationRefused) as caught:
        Citation.parse(text)
    assert caught.value.reason.code == "bad_citation"


def test_a_record_holds_who_what_and_why(ledger: Ledger, notes: NoteStore) -> None:
    row = record(
        ledger, AGENT, "factor:ab", citations=["note:walk-forward"] * 2, details={"rank": 1}, notes=notes
    )
    assert row.operator == AGENT
    (entry,) = ledger.entries(kind="provenance")
    assert entry.body == {
        "operator": AGENT.as_dict(),
        "subject": "factor:ab",
        "citations": ["note:walk-forward"],
        "details": {"rank": 1},
    }
    assert recent(ledger) == [row]


def test_an_agent_can_be_cited_once_it_has_a_record(ledger: Ledger, notes: NoteStore) -> None:
    with pytest.raises(CitationRefused):
        record(ledger, HUMAN, "x", citations=[f"agent:{AGENT.identifier}"])
    record(ledger, AGENT, "factor:ab", citations=["note:walk-forward"], notes=notes)
    row = record(ledger, HUMAN, "x", citations=[f"agent:{AGENT.identifier}"])
    assert row.citations == (Citation("agent", AGENT.identifier),)


def test_a_certificate_can_be_cited_once_the_ledger_has_it(ledger: Ledger) -> None:
    (name,) = ledger.put([b"{}"])
    cited = [f"certificate:{name.removeprefix('sha256:')}"]
    with pytest.raises(CitationRefused):
        record(ledger, HUMAN, "x", citations=cited)
    ledger.append("certificate", {"fingerprint": "f", "config_hash": "c", "document": name})
    assert record(ledger, HUMAN, "x", citations=cited).citations[0].kind == "certificate"
    # as the judge records it
    body = {"fingerprint": "g", "config_hash": "c", "document": name, "content_hash": f"sha256:{'cd' * 32}"}
    ledger.append("certificate", body)
    assert record(ledger, HUMAN, "x", citations=[f"certificate:{'cd' * 32}"]).citations[0].target == "cd" * 32


@pytest.mark.parametrize(
    ("citations", "reason"),
    [
        ([], "uncited"),
        (["note:hallucinated"], "unresolved_citation"),
        (["note:idea"], "unresolved_citation"),
        (["note:walk-forward", "note:hallucinated"], "unresolved_citation"),
        (["note:walk-forward", "nonsense"], "bad_citation"),
        ([f"agent:other/{UUID}"], "unresolved_citation"),
        ([f"certificate:{'00' * 32}"], "unresolved_citation"),
    ],
)
def test_what_does_not_resolve_raises_before_any_write(ledger, notes, citations, reason) -> None:
    before = (ledger.folder / "ledger.jsonl").read_bytes()
    with pytest.raises(ValueError) as caught:
        record(ledger, AGENT, "factor:ab", citations=citations, notes=notes)
    assert isinstance(caught.value, Refusal)
    assert caught.value.reason.code == reason
    assert (ledger.folder / "ledger.jsonl").read_bytes() == before


def test_all_that_does_not_resolve_is_named(ledger: Ledger) -> None:
    with pytest.raises(CitationRefused) as caught:
        record(ledger, HUMAN, "x", citations=["note:a", "note:b"])
    assert caught.value.details == {"unresolved": ["note:a", "note:b"]}
    assert pickle.loads(pickle.dumps(caught.value)).details == caught.value.details


def test_notes_may_be_named_by_their_folder(ledger: Ledger, notes: NoteStore) -> None:
    assert record(ledger, AGENT, "x", citations=["note:walk-forward"], notes=notes.folder).line == 2


def test_a_superseded_note_can_be_cited_and_a_damaged_one_cannot(ledger: Ledger, notes: NoteStore) -> None:
    notes.publish("idea", supersedes="walk-forward")
    record(ledger, AGENT, "x", citations=["note:walk-forward"], notes=notes)
    file = notes.folder / "idea.md"
    file.write_text(file.read_text().replace("Not yet", "Surely"))
    before = (ledger.folder / "ledger.jsonl").read_bytes()
    with pytest.raises(Refusal) as caught:
        record(ledger, AGENT, "x", citations=["note:idea"], notes=notes)
    assert caught.value.reason.code == "damaged_state"
    assert (ledger.folder / "ledger.jsonl").read_bytes() == before


def test_a_draft_record_is_checked_and_not_written(ledger: Ledger, notes: NoteStore) -> None:
    made = draft(ledger, AGENT, "x", citations=["note:walk-forward"], notes=notes)
    assert list(ledger.entries(kind="provenance")) == []
    assert made.body["citations"] == ["note:walk-forward"]


def test_resolvers_can_be_handed_in(ledger: Ledger) -> None:
    asked = []
    record(ledger, AGENT, "x", citations=["note:known"], resolvers={"note": lambda t: not asked.append(t)})
    assert asked == ["known"]


def test_a_person_need_not_cite(ledger: Ledger) -> None:
    assert record(ledger, HUMAN, "promotion", citations=[]).citations == ()


@pytest.mark.parametrize("subject", ["", "a\nb", "x" * 201])
def test_a_subject_is_one_line(ledger: Ledger, subject: str) -> None:
    with pytest.raises(AssayError, match="one line"):
        record(ledger, HUMAN, subject, citations=[])


def test_the_newest_come_first(ledger: Ledger) -> None:
    for number in range(5):
        record(ledger, HUMAN, f"s{number % 2}", citations=[], run="r" if number > 2 else None)
    assert [row.subject for row in recent(ledger, limit=3)] == ["s0", "s1", "s0"]
    assert [row.line for row in recent(ledger, subject="s1")] == [5, 3]
    assert len(recent(ledger, run="r")) == 2
    with pytest.raises(AssayError):
        recent(ledger, limit=0)
