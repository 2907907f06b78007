"""The prompt templates: which there are, what each may say, and whether a replaced one can be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from assay.base import did_you_mean
from assay.campaign._settings import Language
from assay.errors import ConfigProblems, Problem

PLACEHOLDERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "market": "the market and its universe",
        "label": "the label with the bars that it spans",
        "scoring": "how factors are scored and admitted",
        "fields": "the fields that are loaded, one a line",
        "ops": "the ops, one a line, from the op table",
        "mechanisms": "the mechanism types, one a line",
        "limits": "what the gate allows",
        "reply": "the form of the reply",
        "round": "number of the round",
        "slots": "the slots to plan, one a line",
        "directions": "the directions to write candidates for, one a line",
        "parents": "the trials that the directions build on",
        "requests": "the candidates to mend, each with what is wrong",
        "candidates": "the candidates to review",
        "seed_directions": "the configured ideas, one a line",
        "families": "families of the reference factors and of the known ones, one a line",
        "memory": "the memory",
        "last_round": "what became of each slot of the last round, one a line",
        "best": "the best mechanism types so far, one a line",
        "recent": "the trials of the recent rounds, one a line",
        "earlier": "the older trials counted by type and outcome, one type a line",
        "accepted": "the accepted factors, one a line",
        "themes": "the trials grouped by what they measure, one group a line",
        "buildable": "ids of the trials that a direction may build on",
        "trials": "the trials since the last memory, one a line",
        "size": "characters that a memory may have",
    }
)
"""What templates may say, as text; empty where there is nothing of it."""

_TASK: Final = ("market", "label", "scoring", "fields", "ops", "mechanisms", "limits", "reply")
_PAST: Final = ("seed_directions", "families", "memory", "last_round", "best")


@dataclass(frozen=True, slots=True)
class TemplateForm:
    """The placeholders of a template: those that it must have, and those that it may have besides."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


TEMPLATES: Final[Mapping[str, TemplateForm]] = MappingProxyType(
    {
        "planner.system": TemplateForm(_TASK),
        "planner.user": TemplateForm(
            ("slots", *_PAST, "recent", "earlier", "accepted", "themes", "buildable"), ("round",)
        ),
        "proposer.system": TemplateForm(_TASK),
        "proposer.user": TemplateForm(("directions", "parents", *_PAST), ("round",)),
        "fix.user": TemplateForm(("requests", "memory"), ("round", "parents")),
        "reviewer.system": TemplateForm(("market", "label", "fields", "ops", "reply"), ("mechanisms",)),
        "reviewer.user": TemplateForm(("candidates",), ("round",)),
        "distiller.system": TemplateForm(("market", "label", "scoring", "mechanisms", "size", "reply")),
        "distiller.user": TemplateForm(("memory", "trials"), ("round",)),
    }
)
"""The templates of a language; a file ``NAME.md`` in the workspace's folder replaces one."""


class PromptTemplates:
    """The templates of one language, with those of the workspace in place of the package's.

    Raises
    ------
    ConfigProblems
        What :func:`check_templates` finds.
    """

    def __init__(self, language: Language, replaced: Mapping[str, str] | None = None) -> None:
        texts = {**packaged_templates(language), **(replaced or {})}
        problems = check_templates(replaced or {})
        if problems:
            raise ConfigProblems(problems, where="files.templates")
        environment = _environment()
        self._templates: dict[str, Template] = {
            name: environment.from_string(text) for name, text in texts.items()
        }

    def render(self, name: str, values: Mapping[str, str]) -> str:
        """A template with the placeholders that it may have filled from ``values``."""
        form = TEMPLATES[name]
        given = {key: values[key] for key in (*form.required, *form.optional)}
        return self._templates[name].render(given).strip() + "\n"


def packaged_templates(language: Language) -> dict[str, str]:
    """The texts of the package's templates, by name."""
    folder = files("assay.campaign.prompts") / language
    return {name: (folder / f"{name}.md").read_text("utf-8") for name in TEMPLATES}


def check_templates(replaced: Mapping[str, str]) -> list[Problem]:
    """Everything that is wrong with the templates that a workspace replaces; empty where all can be used.

    Parameters
    ----------
    replaced : text by name of the template, such as ``planner.user``.
    """
    problems: list[Problem] = []
    for name, text in replaced.items():
        where = f"files.templates: {name}.md"
        if name not in TEMPLATES:
            near = did_you_mean(name, TEMPLATES)
            fix = f"did you mean {near[0]}.md?" if near else f"known: {', '.join(TEMPLATES)}"
            problems.append(Problem(where, "no template has this name", fix))
            continue
        problems += _check(where, text, TEMPLATES[name])
    return problems


def _check(where: str, text: str, form: TemplateForm) -> list[Problem]:
    environment = _environment()
    try:
        used = meta.find_undeclared_variables(environment.parse(text))
    except TemplateSyntaxError as error:
        return [Problem(where, f"line {error.lineno}: {error.message}", "mend this line")]
    known = (*form.required, *form.optional)
    problems = [
        Problem(where, f"lacks {{{{ {name} }}}}, {PLACEHOLDERS[name]}", "put it where it belongs")
        for name in form.required
        if name not in used
    ]
    for name in sorted(used.difference(known)):
        near = did_you_mean(name, known)
        fix = f"did you mean {{{{ {near[0]} }}}}?" if near else f"known here: {', '.join(known)}"
        problems.append(Problem(where, f"has {{{{ {name} }}}}, which is nothing here", fix))
    return problems or _tried(where, environment, text, known)


def _tried(
    where: str, environment: ImmutableSandboxedEnvironment, text: str, known: tuple[str, ...]
) -> list[Problem]:
    """What goes wrong when a template is filled, and which required ones do not arrive in the prompt."""
    for value in ("", "0"):
        try:
            environment.from_string(text).render(dict.fromkeys(known, value))
        # what a template calls may raise anything
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            fix = "placeholders are texts; {% if %} asks whether there is one"
            return [Problem(where, f"cannot be filled: {error}", fix)]
    return []


def _environment() -> ImmutableSandboxedEnvironment:
    # a template of the workspace comes from anywhere: it can reach nothing but its placeholders. Prompts
    # are no markup, so nothing is escaped
    return ImmutableSandboxedEnvironment(
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
