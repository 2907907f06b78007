"""The prompt templates of the model policy, and whether each says what it has to."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Final

from assay.brain.agent.policies._language import Language
from assay.errors import AssayError

LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")

_STATE: Final = ("idea", "directions", "results", "knowledge", "remarks", "critique", "round", "slots",
                 "remaining", "turns", "reply")  # fmt: skip
PLACEHOLDERS: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"platform", "criteria", "operators", "settings", "protocol"}),
    "discovery": frozenset({"data_sets", "knowledge", "turns", "reply"}),
    "research": frozenset({"idea", "data_sets", "knowledge", "critique", "turns", "reply"}),
    "creative": frozenset({*_STATE, "research"}),
    "improvement": frozenset({*_STATE, "latest", "advice", "knowledge_per_round"}),
}
"""What each template has to say, and nothing else."""


def render(language: Language, name: str, values: Mapping[str, str]) -> str:
    """A template filled in; what is filled in is never read as a template.

    Raises
    ------
    AssayError
        The template lacks a placeholder, or has one that is nothing here.
    """
    text = (files("assay.brain.agent.policies.model") / "prompts" / language / f"{name}.md").read_text(
        "utf-8"
    )
    return checked(Template(text), f"{language}/{name}.md", PLACEHOLDERS[name]).substitute(values)


def checked(template: Template, where: str, wanted: frozenset[str]) -> Template:
    """The template, if it has exactly these placeholders."""
    has = set(template.get_identifiers()) if template.is_valid() else set[str]()
    if has != wanted:
        odd = ", ".join(sorted(f"${name}" for name in has ^ wanted)) or "a lone $"
        raise AssayError(
            f"the template {where} lacks or adds {odd}",
            where=where,
            fix="have each placeholder, and no other",
        )
    return template
