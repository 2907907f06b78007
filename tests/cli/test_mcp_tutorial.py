"""The commands and programs of the page on outside agents are run; its settings start a server."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from assay.cli._app import build_app
from mcp import StdioServerParameters

from ..mcp.conftest import MODES, talk
from ..mcp.processes import START

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "mcp.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_page(run: Callable[..., Any], monkeypatch, capsys, tmp_path: Path) -> None:
    here, printed = tmp_path, ""
    for language, part in BLOCK.findall(TEXT):
        if language == "python":
            capsys.readouterr()
            exec(compile(part, str(PAGE), "exec"), {"__name__": "mcp_tutorial"})
            printed = capsys.readouterr().out
            continue
        for line in part.splitlines():
            if line.startswith("cd "):
                here = here / line.split()[1]
                monkeypatch.chdir(here)
                continue
            done = run(*shlex.split(line)[1:])
            assert done.code == 0, (line, done.out, done.err)
    first, second, third = printed.splitlines()
    assert first == "simulated-market simulated: True"
    assert second == "refused: bad_expression: the data has no field 'clsoe'"
    assert third.startswith("RankIC 0.0")
    _the_entry_starts_a_server(here)


def _the_entry_starts_a_server(desk: Path) -> None:
    """What the page tells clients to start, with the paths of this machine."""
    entry = json.loads(block("json"))["mcpServers"]["assay"]
    assert entry == tomllib.loads(block("toml"))["mcp_servers"]["assay"]
    arguments = [str(desk) if part == "/home/me/desk" else part for part in entry["args"]]
    assert (entry["command"], arguments[0]) == ("assay", "mcp")
    server = StdioServerParameters(command=START[0], args=[*START[1:-1], *arguments], cwd="/")
    described = talk(server, lambda client: client.call_tool("data_describe", {}), MODES[0])
    assert described.structured_content["name"] == "sim"


@pytest.mark.parametrize("line", re.findall(r"^\$ (assay .*)$", TEXT, re.MULTILINE))
def test_commands_that_serve_are_real(line: str) -> None:
    """They would not end, so that only their options are held against the command's."""
    group = typer.main.get_command(build_app())
    words = shlex.split(line)[1:]
    serve = group.commands[words[0]].commands[words[1]]
    known = {name for param in serve.params for name in param.opts}
    assert {word for word in words if word.startswith("--")} <= known
