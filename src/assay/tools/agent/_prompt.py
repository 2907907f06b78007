"""What a researcher is told before it begins: made from the op table, the tools and the conventions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from assay.expr import Op, op_table
from assay.llm import Message, ToolSpec
from assay.tools._budget import Budget
from assay.tools._json_calls import json_protocol

_HEAD = """\
You look for alpha factors: formulas over a panel of stocks (days x instruments) that rank next returns. \
Work with the tools, one call in each turn; each call is answered, and a refusal says what to do. A \
formula is scored on the search period alone. Every new formula and horizon that you score is a trial, \
and significance is held against the number of trials: form a hypothesis first, and check a formula \
before you score it. A negative RankIC of size is as good as a positive one: negate the formula. When \
you have something, or the turns run out, answer without a call: the formula, its figures, and why it \
should work."""

_CONVENTIONS = """\
Conventions: the signal of day t uses data up to t-1 (lag 1) and is traded on t+1; the label over h bars \
is the return from that fill to h bars later. NaN is missing and nothing is filled forward; division by \
0 and the log of 0 or less are missing. A window of w needs w bars, all present. rank is across the \
stocks of a day, in (0, 1]. Prices carry each stock's adjustment factor: compare returns, ratios and \
ranks, not price levels."""


def researcher_prompt(
    idea: str, tools: Sequence[ToolSpec], budget: Budget, *, calls: Literal["native", "json"] = "native"
) -> tuple[Message, ...]:
    """The messages that a researcher's episode begins with; they name no date.

    Parameters
    ----------
    idea : what is to be looked into, in a person's words.
    tools : the tools of the episode; listed in the text where calls are plain JSON.
    calls : how the model calls tools, as for :class:`~assay.tools.LlmPolicy`.
    """
    parts = [_HEAD, _CONVENTIONS, ops_summary()]
    parts.append(json_protocol(tools) if calls == "json" else f"Tools: {', '.join(t.name for t in tools)}.")
    return (
        Message("system", "\n\n".join(parts)),
        Message("user", f"{idea}\n\nYou have {_allowed(budget)}."),
    )


def ops_summary() -> str:
    """The ops of the language by category, each with its arguments; parameters come last."""
    by_category: dict[str, list[str]] = {}
    for op in op_table().values():
        by_category.setdefault(op.category, []).append(_signature(op))
    lines = [f"- {category}: {'; '.join(ops)}" for category, ops in by_category.items()]
    return "\n".join(["Ops (infix + - * / and comparisons work, too; windows are whole bars):", *lines])


def _signature(op: Op) -> str:
    return f"{op.name}({', '.join([*(arg.name for arg in op.args), *(param.name for param in op.params)])})"


def _allowed(budget: Budget) -> str:
    turns = f"{budget.turns} turns" if budget.turns != 1 else "1 turn"
    return turns if budget.calls is None else f"{turns} and {budget.calls} calls of tools"
