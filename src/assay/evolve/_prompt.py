"""What a policy is told before it begins: made from the seed's parsed fields, the whitelist and the tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from assay.evolve._notes import EVALUATE, VALIDATE
from assay.evolve._search import SearchFigures
from assay.evolve._terms import FROZEN, Terms
from assay.evolve._tools import EVALUATIONS
from assay.expr import op_table, to_text
from assay.llm import Message, ToolSpec
from assay.spec import HOUSE_DEFAULTS, UNDECLARED, read_expr, whitelist
from assay.tools import Budget, json_protocol

_HEAD = f"""\
You improve a factor step by step. The factor came from a research report and is fixed but for its \
formula. In each turn change one thing in the formula or its windows; ask {VALIDATE} whether the changed \
formula may be evaluated, and when it is ok, call {EVALUATE}. One call in each turn; wait for its answer. \
At most {EVALUATIONS} evaluations run. Figures that you see are of the search period. The reward compares \
the best candidate with the seed on data that you do not see: prefer a change that has a reason to one \
that fits. A change of sign or scale, or a rank around the whole, is no change. When you are done, answer \
without a call: the best formula, and why it should work."""

_CONVENTIONS = """\
Conventions: the signal of a day uses data up to the day before and is traded on the day after. A window of \
w needs w bars, all present. Missing stays missing; a division by 0 and the log of 0 or less are missing. \
RANK is across the stocks of a day. Prices carry each stock's adjustment factor: use ratios, returns and \
ranks, not price levels; a formula whose value depends on it is refused. The book holds the best tenth, \
equally weighted, after costs."""


def evolution_prompt(
    terms: Terms,
    seed: SearchFigures,
    tools: Sequence[ToolSpec],
    budget: Budget,
    *,
    calls: Literal["native", "json"] = "native",
) -> tuple[Message, ...]:
    """The messages that an episode begins with.

    They name no date and hold no text of the report: of the spec only the parsed formula, printed anew, and
    words of closed vocabularies.

    Parameters
    ----------
    seed : the seed's figures on the search period.
    calls : how the model calls tools, as for :class:`~assay.tools.LlmPolicy`.
    """
    parts = [_HEAD, _CONVENTIONS, _language(terms)]
    parts.append(json_protocol(tools) if calls == "json" else f"Tools: {', '.join(t.name for t in tools)}.")
    return (Message("system", "\n\n".join(parts)), Message("user", _task(terms, seed, budget)))


def _language(terms: Terms) -> str:
    table = op_table()
    forms = [(form, op) for op in table.values() if (form := op.form("report")) is not None]
    named = [f"{name}: {op.definition}" for form, op in forms for name in form.names if not form.symbol]
    neutral = terms.spec.neutralization in ("industry", "industry_size")
    runnable = [line for line in named if _usable(line.partition(":")[0], neutral)]
    fields = ", ".join(f"${name}" for name in whitelist().fields if read_expr(f"ABS(${name})").runnable)
    lines = "\n".join(f"- {line}" for line in runnable)
    head = "Ops, besides + - * / and brackets; the second argument of TS ops is a number of bars:"
    return f"{head}\n{lines}\nFields: {fields}, $industry."


def _usable(name: str, neutral: bool) -> bool:
    """Whether a formula may call a function: neutralising is left to specs that declare it."""
    grouped = read_expr(f"{name}($close, $industry)").runnable
    return (neutral and grouped) or any(
        read_expr(text).runnable for text in (f"{name}($close)", f"{name}($close, 5)")
    )


def _task(terms: Terms, seed: SearchFigures, budget: Budget) -> str:
    figures = ", ".join(f"{name} {'undefined' if v is None else v}" for name, v in seed.as_dict().items())
    direction = {
        "positive": "high values are bought",
        "negative": "low values are bought: the desk changes the sign, keep the formula as it is written",
    }.get(terms.gated.direction, "undeclared; high values are bought")
    fixed = "\n".join(f"{name}: {_shown(name, terms)}" for name in FROZEN)
    return (
        f"Seed: {to_text(terms.seed.node, 'report')}\n"
        f"Windows: {list(terms.spec.windows)}\n"
        f"Direction: {direction}\n"
        f"Fixed, leave them out of your calls:\n{fixed}\n"
        f"The seed on the search period: {figures}\n"
        f"You have {budget.turns} turns."
    )


def _shown(name: str, terms: Terms) -> str:
    value = str(terms.frozen[name])
    return f"{value}; {HOUSE_DEFAULTS[name]} is used" if value == UNDECLARED else value
