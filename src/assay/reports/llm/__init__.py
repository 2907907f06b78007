"""Extraction by a language model: the text is data, and answers pass through schema and evidence alone."""

from assay.reports.llm._extractor import LOOP_BUDGET, SINGLE_SHOT, LlmExtractor, agent_of
from assay.reports.llm._prompt import (
    PromptTask,
    extraction_prompt,
    fence_of,
    instructions,
    instructions_hash,
)
from assay.reports.llm._reply import (
    FactorList,
    ListedFactor,
    SpecAnswer,
    UnreadableAnswer,
    read_answer,
    to_extraction,
)

__all__ = [
    "LOOP_BUDGET",
    "SINGLE_SHOT",
    "FactorList",
    "ListedFactor",
    "LlmExtractor",
    "PromptTask",
    "SpecAnswer",
    "UnreadableAnswer",
    "agent_of",
    "extraction_prompt",
    "fence_of",
    "instructions",
    "instructions_hash",
    "read_answer",
    "to_extraction",
]
