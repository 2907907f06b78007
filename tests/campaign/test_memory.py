from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.campaign._files import RunFiles
from assay.campaign._memory import MOST_CHARACTERS, memory_context, since, usable_memory, write_memory
from assay.campaign._settings import CampaignConfig, ContextSettings
from assay.campaign._types import Brief, History

from .past import history, rounds, trial

BRIEF = Brief("market", "label", "scoring", {}, (), {})


def _config(every: int = 2, **changes: bool) -> CampaignConfig:
    return CampaignConfig(context=ContextSettings(memory_every=every, **changes))


def _history(n: int, memory: dict[int, str] | None = None) -> History:
    return history(rounds(*([trial(number, 0)] for number in range(1, n + 1)), memory=memory))


def _due(every: int, memory: dict[int, str] | None = None) -> list[int]:
    return [
        number
        for number in range(1, 9)
        if memory_context(_history(number - 1, memory), number, _config(every), BRIEF) is not None
    ]


def test_a_memory_is_due_every_so_many_rounds() -> None:
    assert _due(1) == [2, 3, 4, 5, 6, 7, 8]
    assert _due(3) == [4, 7]
    assert _due(0) == []
    assert memory_context(_history(2), 3, _config(2, feedback=False), BRIEF) is None


def test_the_trials_since_the_last_memory_are_folded_in() -> None:
    context = memory_context(_history(4, {3: "so far"}), 5, _config(), BRIEF)
    assert context is not None
    assert context.memory == "so far"
    assert [item.id for item in context.trials] == ["r03-s00", "r04-s00"]
    assert [line[:7] for line in context.lines] == ["r03-s00", "r04-s00"]


def test_trials_whose_memory_was_not_kept_come_again() -> None:
    """The distiller failed before round 5: the next one gets the trials of rounds 3 to 6."""
    context = memory_context(_history(6, {3: "so far"}), 7, _config(), BRIEF)
    assert context is not None
    assert [item.round for item in context.trials] == [3, 4, 5, 6]
    assert context.memory == "so far"


def test_of_very_many_trials_the_latest_are_listed() -> None:
    past = history(rounds([trial(1, slot) for slot in range(99)], [trial(2, s) for s in range(350)]))
    context = memory_context(past, 3, _config(), BRIEF)
    assert context is not None
    assert len(context.trials) == 449
    assert len(context.lines) == 401
    assert context.lines[0] == "49 older ones are not listed"


def test_nothing_new_makes_no_memory() -> None:
    assert since(_history(0)) == ()
    assert memory_context(history(rounds([], [])), 3, _config(), BRIEF) is None


@pytest.mark.parametrize("reply", [None, "", " \n\t ", "\x00\x07", "﻿"])
def test_an_empty_reply_keeps_the_old_memory(reply: str | None) -> None:
    assert usable_memory(reply) is None


def test_a_memory_is_cleaned_and_bounded() -> None:
    assert usable_memory("  # a \r\n- b\x00\u2028c\ud800 \n\n") == "# a\n- b\nc?"
    lines = "\n".join(f"- line {n}" for n in range(3000))
    kept = usable_memory(lines)
    assert kept is not None
    assert len(kept) <= MOST_CHARACTERS
    assert lines.startswith(kept + "\n")
    assert usable_memory("x" * 10**6) == "x" * MOST_CHARACTERS


@given(st.text(max_size=200))
def test_what_is_kept_is_kept_as_it_is(text: str) -> None:
    kept = usable_memory(text)
    assert kept is None or usable_memory(kept) == kept
    if kept is not None:
        kept.encode("utf-8")


def test_files_hold_the_current_memory_and_every_version(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    write_memory(files, _history(2))
    assert list(tmp_path.iterdir()) == []
    write_memory(files, _history(5, {3: "one", 5: "two"}))
    assert (tmp_path / "memory.md").read_text() == "two\n"
    assert sorted(path.name for path in (tmp_path / "memory").iterdir()) == ["round_03.md", "round_05.md"]
    assert (tmp_path / "memory" / "round_03.md").read_text() == "one\n"


def test_a_resume_brings_the_files_back_to_the_ledger(tmp_path: Path) -> None:
    """The version of a round that was dropped goes; one that was lost or spoilt comes back."""
    files = RunFiles(tmp_path)
    write_memory(files, _history(5, {3: "one", 5: "two"}))
    (tmp_path / "memory" / "round_03.md").write_text("spoilt")
    (tmp_path / "memory" / "notes.md").write_text("mine")
    write_memory(files, _history(4, {3: "one"}))
    assert (tmp_path / "memory.md").read_text() == "one\n"
    assert sorted(path.name for path in (tmp_path / "memory").iterdir()) == ["notes.md", "round_03.md"]
    assert (tmp_path / "memory" / "round_03.md").read_text() == "one\n"
    write_memory(files, _history(2))
    assert not (tmp_path / "memory.md").exists()


def test_the_version_of_the_round_in_progress_is_written_too(tmp_path: Path) -> None:
    past = _history(2)
    write_memory(RunFiles(tmp_path), History(past.rounds, "new", 3))
    assert (tmp_path / "memory" / "round_03.md").read_text() == "new\n"
