"""One question to a model: it may call tools, and its answer has a form and makes sense, or is sent back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assay.llm import Message, UnreadableJson, read_json
from assay.tools import Budget, EpisodeState, LlmPolicy, Task, Toolbox, run_episode

M = TypeVar("M", bound=BaseModel)
A = TypeVar("A")

_LISTED: Final = 20
_AGAIN: Final = (
    "This reply cannot be used: {what}. Give the whole answer again, corrected, as one JSON object."
)
_NOW: Final = "No calls of tools are left. Answer now, with one JSON object of the schema and nothing else."


@dataclass(frozen=True, slots=True)
class Understood(Generic[A]):
    """An answer, and what is wrong with parts of it; with problems it is what could be kept."""

    value: A
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question(Generic[M, A]):
    """What is asked.

    Parameters
    ----------
    stage : names the phase.
    prompt : the messages that it begins with.
    form : of the answer.
    understand : what an answer of that form means, and what is wrong with it.
    """

    stage: str
    prompt: tuple[Message, ...]
    form: type[M]
    understand: Callable[[M], Understood[A]]


def ask(
    question: Question[M, A],
    policy: LlmPolicy,
    toolbox: Toolbox,
    *,
    turns: int,
    stalls: int,
    attempts: int,
) -> Understood[A] | str:
    """The answer; after the last attempt what could be kept of it, or what was wrong where nothing could.

    Parameters
    ----------
    turns : with tools, until an answer is due.
    stalls : turns on end that bring nothing new, after which it is due, too.
    attempts : answers that are asked for in all.

    Raises
    ------
    ProviderError, Refusal
        The service failed; the budget of calls is used up.
    """
    messages, budget = question.prompt, Budget(turns=turns)
    wrong = "no answer came"
    kept: Understood[A] | None = None
    answers = 0
    while answers < attempts:
        task = Task(question.stage, question.stage, messages, finished=lambda state: stalled(state, stalls))
        episode = run_episode(policy, toolbox, budget=budget, task=task)
        if episode.stop != "answered":
            follow = _NOW
            answers += budget.turns == 1  # was told that an answer is due
        else:
            answers += 1
            read = _read(episode.final_text, question)
            if isinstance(read, Understood):
                if not read.problems:
                    return read
                kept, wrong = read, "; ".join(read.problems[:_LISTED])
            else:
                wrong = read
            follow = _AGAIN.format(what=wrong)
        messages = (*episode.messages, Message("user", follow))
        budget = Budget(turns=1, calls=0)
    return wrong if kept is None else kept


def stalled(state: EpisodeState, most: int) -> bool:
    """Whether the last ``most`` answers of tools brought nothing new: refused, or had before."""
    seen: set[tuple[str, str]] = set()
    idle = 0
    for item in state.observations:
        known = (item.name, item.content) in seen
        idle = idle + 1 if known or not item.ok else 0
        seen.add((item.name, item.content))
    return idle >= most


def _read(text: str, question: Question[M, A]) -> Understood[A] | str:
    """What a text means, or what is wrong with it."""
    try:
        value = _answer(read_json(text).value)
        return question.understand(question.form.model_validate_json(json.dumps(value)))
    except UnreadableJson as error:
        return error.message
    except ValidationError as error:
        return listed(error)


def _answer(value: Any) -> Any:
    """What stands under ``answer``, where calls of tools are JSON, too."""
    if isinstance(value, dict) and "answer" in value:
        inner = value["answer"]
        return read_json(inner).value if isinstance(inner, str) else inner
    return value


def listed(error: ValidationError) -> str:
    """The faults of a reply in words for the model; the input is not echoed: it may be megabytes."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    kinds = Counter(f"{_place(item['loc'])}: {item['msg']}" for item in found)
    return "; ".join([*kinds][:_LISTED])


def _place(parts: Sequence[int | str]) -> str:
    return ".".join(map(str, parts)) or "the object"
