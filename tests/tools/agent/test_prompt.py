"""What a researcher is told: made from the tables, short, and without a date."""

from __future__ import annotations

from datetime import date

import pytest

from assay.expr import op_table
from assay.llm import ToolSpec
from assay.tools import WITHHELD, Budget, DateGuard, json_protocol, prompt_hash
from assay.tools.agent import researcher_prompt
from assay.tools.builtin import Workbench, builtin_tools

SPECS = tuple(ToolSpec(tool.id, tool.summary, tool.input_schema) for tool in builtin_tools(Workbench()))


def nothing(day: date) -> bool:
    return False


@pytest.mark.parametrize("calls", ["native", "json"])
def test_it_names_every_op_and_tool_and_no_date(calls: str) -> None:
    system, user = researcher_prompt("momentum", SPECS, Budget(turns=9, calls=4), calls=calls)  # type: ignore[arg-type]
    for name in op_table():
        assert f" {name}(" in system.content
    for spec in SPECS:
        assert spec.name in system.content
    assert user.content == "momentum\n\nYou have 9 turns and 4 calls of tools."
    assert WITHHELD not in DateGuard(nothing).text(system.content + user.content)
    assert len(system.content) < (7_000 if calls == "native" else 14_000)


def test_a_model_without_calls_is_told_the_protocol() -> None:
    plain = researcher_prompt("x", SPECS, Budget(), calls="json")
    native = researcher_prompt("x", SPECS, Budget())
    assert json_protocol(SPECS) in plain[0].content
    assert json_protocol(SPECS) not in native[0].content
    assert prompt_hash(plain) != prompt_hash(native)
    assert prompt_hash(native) == prompt_hash(researcher_prompt("x", SPECS, Budget()))
    assert prompt_hash(native) != prompt_hash(researcher_prompt("y", SPECS, Budget()))
