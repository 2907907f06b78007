"""The commands and programs of the pages on campaigns and on the zoo are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r"^cat (>>?) (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Played:
    """A page that was run: what each command said, what the program printed, where it ended."""

    told: dict[str, str]
    printed: str
    here: Path


@pytest.fixture
def play(
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[str], Played]:
    def played(name: str) -> Played:
        page, here = PAGES / name, tmp_path
        told: dict[str, str] = {}
        printed = ""
        for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language == "python":
                capsys.readouterr()
                exec(compile(block, str(page), "exec"), {"__name__": "tutorial"})
                printed = capsys.readouterr().out
                continue
            for part in re.split(r"(?=^(?:assay|cd|cat) )", block, flags=re.MULTILINE):
                if written := WRITTEN.fullmatch(part):
                    with (here / written[2]).open("a" if written[1] == ">>" else "w") as file:
                        file.write(written[3])
                elif part.startswith("cd "):
                    here = here / part.split()[1]
                    monkeypatch.chdir(here)
                elif part.strip():
                    done = run(*shlex.split(part)[1:])
                    assert done.code == 0, (part, done.out, done.err)
                    told[part.strip()] = done.out
        return Played(told, printed, here)

    return played


def test_the_page_on_campaigns(play: Callable[[str], Played]) -> None:
    played = play("campaign.md")
    told, here, printed = played.told, played.here, played.printed
    assert len(told) == 12
    assert "it would start" in told["assay campaign check"]
    first = told["assay campaign run --run first"]
    assert [line.split("  ")[0] for line in first.splitlines() if line.startswith("round ")] == [
        "round 1/3", "round 2/3", "round 3/3",
    ]  # fmt: skip
    assert "finished" in told["assay campaign status first"]
    assert (here / "first.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "deadline" in told["assay campaign run short.toml --run second"]
    assert "1 rounds are done" in told["assay campaign resume second"]
    assert told["assay campaign replay first --to again"].startswith("equal: ")
    assert told["assay verify first"].splitlines()[-1] == "equal"
    assert printed.startswith("Funnel(slots=36, ")


def test_the_page_on_the_zoo(play: Callable[[str], Played]) -> None:
    played = play("zoo.md")
    told, here = played.told, played.here
    assert "in the zoo" in told["assay campaign accept first --yes --by ada"]
    assert "accepted before: nothing was opened" in told["assay campaign accept first"]
    assert "On dates that the search never read" in (here / "first.html").read_text(encoding="utf-8")
    members = [line.split()[0] for line in told["assay zoo list"].splitlines()]
    assert members
    assert told["assay zoo values --date 2021-06-15"].splitlines()[0].split() == ["2021-06-15", *members]
    head = (here / "values.csv").read_text(encoding="utf-8").splitlines()[0]
    assert head == ",".join(["date", "instrument", *members])
    readings = told["assay zoo monitor --yes --by ada"].splitlines()[1:]
    assert [line.split()[0] for line in readings] == members
    assert all(line.endswith("within") for line in readings)
    assert [line.split()[0] for line in played.printed.splitlines()] == members
    assert "looks at eval of sim" in told["assay ledger count"]
