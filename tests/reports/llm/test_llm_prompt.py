"""The prompt is made from the tables, and quotes the report as data."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from assay.reports._lexicon import FIELD_WORDS, OP_WORDS
from assay.reports._reasons import REASONS
from assay.reports.documents import read_document
from assay.reports.llm import PromptTask, extraction_prompt, fence_of, instructions, instructions_hash
from assay.reports.llm._reply import AnswerReason, FactorList, SpecAnswer, WhyNot
from assay.spec import whitelist
from assay.spec._universe import ALIASES

from ..notes_llm import CLEAN

NOTE = read_document(CLEAN.encode(), name="note.txt")


@pytest.mark.parametrize("work", ["list", "spec"])
def test_every_op_and_field_of_the_whitelist_is_told_with_its_words(work: str) -> None:
    text = instructions(work, "none")  # type: ignore[arg-type]
    for name in whitelist().ops:
        line = next(line for line in text.splitlines() if line.startswith(f"- {name}("))
        assert OP_WORDS[name].zh[0] in line
        assert OP_WORDS[name].en[0] in line
    for name in whitelist().fields:
        line = next(line for line in text.splitlines() if line.startswith(f"- ${name} "))
        assert FIELD_WORDS[name].zh[0] in line
    assert all(name in text for name in ALIASES) == (work == "spec")


def test_the_reasons_are_of_the_table_and_the_schemas_are_whole() -> None:
    known = {reason.code for reason in REASONS}
    assert {*get_args(AnswerReason), *get_args(WhyNot)} <= known
    for work, model in (("list", FactorList), ("spec", SpecAnswer)):
        schema = instructions(work, "none").splitlines()[-1]  # type: ignore[arg-type]
        assert json.loads(schema) == model.model_json_schema()


def test_the_text_stands_between_fences_that_no_author_can_write() -> None:
    _, question = extraction_prompt(NOTE, PromptTask("list", (1, 1)))
    fence = fence_of(NOTE)
    assert NOTE.sha256.startswith(fence.removeprefix("REPORT-"))
    before, begin, rest = question.content.partition(f"{fence} begins\n")
    inside, end, after = rest.partition(f"\n{fence} ends")
    assert (begin != "", end != "", after) == (True, True, "")
    assert inside.startswith("[page 1]\n")
    assert "二十个交易日" in inside
    assert "二十" not in before
    assert fence_of(read_document((CLEAN + fence).encode(), name="note.txt")) != fence


def test_instructions_do_not_hang_on_the_document() -> None:
    other = read_document(b"Another report, about rates.", name="other.txt")
    task = PromptTask("spec", (1, 1))
    assert extraction_prompt(NOTE, task)[0] == extraction_prompt(other, task)[0]
    assert len(instructions_hash()) == 64
    assert "answer" in instructions("spec", "json").splitlines()[-2]
