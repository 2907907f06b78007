"""The generated pages are fresh."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from assay.cli._app import build_app
from assay.cli._reference import cli_markdown, declared_reasons, refusals_markdown, tools_page

DOCS = Path(__file__).parents[2] / "docs" / "reference"


PAGES = [("cli", cli_markdown), ("refusals", refusals_markdown), ("tools", tools_page)]


@pytest.mark.parametrize(("name", "make"), PAGES)
def test_the_page_in_the_documentation_is_fresh(name: str, make: object) -> None:
    assert callable(make)
    refresh = f"python -m assay.cli._reference docs/reference  # writes {name}.md"
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == make(), f"refresh it: {refresh}"


def test_every_command_takes_json() -> None:
    sections = cli_markdown().split("\n## ")[1:]
    assert len(sections) >= 10
    assert [text.splitlines()[0] for text in sections if "`--json`" not in text] == []


def test_every_option_says_what_it_means() -> None:
    rows = [line for line in cli_markdown().splitlines() if line.startswith("| `")]
    assert rows
    assert [row for row in rows if not row.replace("\\|", "").split("|")[2].strip()] == []


def test_every_reason_tells_what_to_do() -> None:
    reasons = [reason for listed in declared_reasons().values() for reason in listed]
    assert len(reasons) > 20
    for reason in reasons:
        assert all(part.isidentifier() for part in reason.code.split("."))
        assert reason.code == reason.code.lower()
        assert reason.summary
        assert reason.fix


COMMAND = re.compile(r"\bassay ([a-z]+)(?: ([a-z]+))?")


def test_a_command_that_a_reason_names_exists() -> None:
    commands = typer.main.get_command(build_app()).commands
    named = [
        (reason.code, *found.groups())
        for listed in declared_reasons().values()
        for reason in listed
        for found in COMMAND.finditer(reason.fix)
    ]
    assert len(named) > 10
    for code, first, second in named:
        assert first in commands, code
        below = getattr(commands[first], "commands", None)
        assert below is None or second is None or second in below, code
