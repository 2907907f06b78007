"""The table of kinds: what is held to it before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.errors import Refusal
from assay.ledger import BAD_RECORD, KINDS, Draft, Ledger
from assay.ledger._docs import ledger_markdown

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "ledger.md"


def test_the_page_in_the_documentation_is_fresh() -> None:
    refresh = "python -m assay.ledger._docs docs/reference/ledger.md"
    assert PAGE.read_text(encoding="utf-8") == ledger_markdown(), f"refresh it: {refresh}"


def test_the_vocabulary_is_closed() -> None:
    assert list(KINDS) == [
        "ledger",
        "recovery",
        "run_start",
        "run_resume",
        "run_stop",
        "round",
        "llm_call",
        "tool_call",
        "refusal",
        "gate_verdict",
        "trial",
        "look",
        "seal",
        "admission",
        "retirement",
        "book_event",
        "provenance",
        "certificate",
    ]
    assert all(set(kind.objects) <= set(kind.keys) for kind in KINDS.values())
    assert all(kind.keys and kind.summary for kind in KINDS.values())


def whole(kind: str) -> dict[str, Any]:
    return dict.fromkeys(KINDS[kind].keys, None)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS.values() if not kind.own], ids=lambda kind: kind.name
)
def test_every_kind_wants_its_keys(kind: Any, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    before = (tmp_path / "ledger" / "ledger.jsonl").read_bytes()
    run = None if kind.run == "never" else "r-1"
    for key in kind.keys:
        body = whole(kind.name)
        del body[key]
        with pytest.raises(Refusal, match=key) as caught:
            ledger.append(kind.name, body, run=run)
        assert caught.value.reason is BAD_RECORD
        assert caught.value.details == {"missing": [key]}
    assert (tmp_path / "ledger" / "ledger.jsonl").read_bytes() == before
    entry = ledger.append(kind.name, {**whole(kind.name), "more": 1}, run=run)
    assert entry == next(ledger.entries(kind=kind.name))
    if kind.run == "always":
        with pytest.raises(Refusal, match="belongs to a run"):
            ledger.append(kind.name, whole(kind.name))


@pytest.mark.parametrize("kind", ["ledger", "recovery"])
def test_what_the_ledger_alone_writes(kind: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="by the ledger itself"):
        Ledger.create(tmp_path / "ledger").append(kind, whole(kind))


def test_an_unknown_kind_gets_a_hint(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    with pytest.raises(Refusal, match="'tral'") as caught:
        ledger.append("tral", {})
    assert caught.value.fix == "did you mean 'trial'?"
    with pytest.raises(Refusal, match="'tral'"):
        ledger.entries(kind="tral")


@pytest.mark.parametrize(
    "run", ["../x", "a/b", "a\\b", "", "A", "r 1", "r\n", "-r", "r" * 65, ".", "r\x00", 'r"']
)
def test_a_run_id_that_could_be_a_path_is_refused(run: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    good = Draft("round", whole("round"), "r-1")
    with pytest.raises(Refusal) as caught:
        ledger.append_many([good, Draft("round", whole("round"), run)])
    assert caught.value.reason is BAD_RECORD
    assert caught.value.where == "run"
    assert ledger.end().lines == 1
    with pytest.raises(Refusal):
        ledger.entries(run=run)
