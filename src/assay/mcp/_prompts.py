"""Prompts for common jobs, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import Final

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from assay.mcp._faults import BAD_ARGUMENT, MISSING_ARGUMENT, UNKNOWN_PROMPT, protocol_fault
from assay.mcp._names import WireNames

LANGUAGES: Final = ("en", "zh")
LONGEST: Final = 2000
_TOOL = re.compile(r"`([a-z_]+\.[a-z_]+)`")

_LANGUAGE: Final = PromptArgument(
    name="language", description="Language of the prompt: en (default) or zh.", required=False
)


@dataclass(frozen=True, slots=True)
class Job:
    """A common job: what it is, and what has to be said to begin it."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...] = ()

    @property
    def prompt(self) -> Prompt:
        """As it is listed."""
        return Prompt(
            name=self.name,
            title=self.title,
            description=self.description,
            arguments=[*self.arguments, _LANGUAGE],
        )


JOBS: Final = (
    Job(
        "extract_report",
        "Extract a factor from the attached report",
        "Reads the attached report, and writes a spec that its text bears out, or says why there is none.",
    ),
    Job(
        "mine_factor",
        "Look for a factor",
        "Looks into an idea: reads notes, tries formulas on the search period, and reports honestly.",
        (PromptArgument(name="idea", description="What to look into, in your words.", required=True),),
    ),
    Job(
        "review_certificate",
        "Review a certificate",
        "Reads a certificate as a sceptical referee would.",
        (
            PromptArgument(
                name="certificate", description="Its content hash; certificate.list gives it.", required=True
            ),
        ),
    ),
)


def listed_prompts() -> list[tuple[str, Prompt]]:
    """The prompts by name, sorted."""
    return [(job.name, job.prompt) for job in JOBS]


def get_prompt(name: str, given: Mapping[str, str], names: WireNames) -> GetPromptResult:
    """A prompt, filled with what was given; the tools in it are named as they are on the wire.

    Raises
    ------
    MCPError
        There is none of this name; an argument is missing, unknown, or too long; the language is neither.
    """
    job = next((job for job in JOBS if job.name == name), None)
    if job is None:
        raise protocol_fault(UNKNOWN_PROMPT, known=[job.name for job in JOBS])
    required = [argument.name for argument in job.arguments]
    for argument in required:
        if not given.get(argument, "").strip():
            raise protocol_fault(MISSING_ARGUMENT, f"{argument} is missing", argument=argument)
    language = given.get("language") or LANGUAGES[0]
    if language not in LANGUAGES:
        raise protocol_fault(BAD_ARGUMENT, "language is en or zh", argument="language")
    for argument, value in given.items():
        if argument not in (*required, "language") or len(value) > LONGEST:
            raise protocol_fault(BAD_ARGUMENT, argument=argument[:64])
    text = Template(prompt_text(name, language)).substitute({key: given[key] for key in required})
    message = PromptMessage(role="user", content=TextContent(text=_on_the_wire(text, names)))
    return GetPromptResult(description=job.description, messages=[message])


def prompt_text(name: str, language: str) -> str:
    """The text of a prompt, with its places for arguments."""
    file = resources.files("assay.mcp").joinpath("prompts", f"{name}.{language}.md")
    return file.read_text(encoding="utf-8").strip()


def _on_the_wire(text: str, names: WireNames) -> str:
    def shown(found: re.Match[str]) -> str:
        known = names.canonical(found[1])
        return found[0] if known is None else f"`{names.shown(known)}`"

    return _TOOL.sub(shown, text)
