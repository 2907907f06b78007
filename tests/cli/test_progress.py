from __future__ import annotations

import io
import sys

import pytest

from assay.cli import _progress
from assay.cli._progress import Steps, ask, note, slow_notice, usable_cores


def test_notes_go_to_standard_error_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    note("a\x1b[31mb")
    assert capsys.readouterr() == ("", "a [31mb\n")


@pytest.mark.parametrize(("answer", "meant"), [("y\n", True), ("YES\n", True), ("n\n", False), ("", False)])
def test_only_yes_is_yes(monkeypatch: pytest.MonkeyPatch, answer: str, meant: bool) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert ask("open?") is meant


def test_quick_work_needs_no_notice(capsys: pytest.CaptureFixture[str]) -> None:
    with slow_notice():
        assert usable_cores() >= 1
    assert capsys.readouterr().err == ""


def test_compiling_is_explained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    said: list[str] = []
    monkeypatch.setattr(_progress, "note", said.append)
    doubled = numba.njit(lambda value: 2 * value)
    with slow_notice():
        assert doubled(2) == 4
        assert doubled(2.5) == 5.0
        assert doubled(3) == 6
    assert said == [_progress.COMPILING]


def test_steps_off_a_terminal_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    with Steps() as steps:
        steps.begin("making")
        steps.begin("judging")
        steps.advance("judged", 1, 3)
        steps.advance("judged", 2, 3)
        steps.advance("leak checks", 1, 1)
    lines = capsys.readouterr().err.split("\n")
    assert lines == ["making", "judging", "judging: judged", "judging: leak checks", ""]
