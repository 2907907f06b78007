"""Weights, caps and the threshold of the verifier: one table, from which the documentation is generated."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Part = Literal["schema_ok", "executable", "fields", "grounding"]

WEIGHTS: Final[Mapping[Part, float]] = MappingProxyType(
    {"schema_ok": 0.25, "executable": 0.25, "fields": 0.40, "grounding": 0.10}
)
"""Of the four subscores, each in [0, 1]."""

MEANINGS: Final[Mapping[Part, str]] = MappingProxyType(
    {
        "schema_ok": "the prediction is a spec of the schema, or a refusal with a reason of the list",
        "executable": "the formula parses, types, and has values on a small market",
        "fields": "share of universe, frequency, neutralization, rebalance, expr, windows, direction that "
        "equal gold; the formula by canonical form, `undeclared` only to `undeclared`",
        "grounding": "share of numbers (in their role), ops, fields and direction that the cited text states",
    }
)

CapName = Literal[
    "invalid_json", "illegal_expr", "bad_citation", "hallucinated_expr", "field_mismatch",
    "false_admission", "false_refusal", "wrong_reason",
]  # fmt: skip

CAPS: Final[Mapping[CapName, tuple[float, str]]] = MappingProxyType(
    {
        "invalid_json": (0.0, "the prediction is no JSON of the schema"),
        "illegal_expr": (
            0.15,
            "the formula does not parse or type, or uses a name off the whitelist; `COUNT` and "
            "`net_mf_amount` are on it",
        ),
        "bad_citation": (
            0.20,
            "nothing is cited, a quote does not stand in its chunk or is part of an order to programs, or "
            "the cited words do not state what they are cited for",
        ),
        "hallucinated_expr": (0.35, "the formula is not gold's, and its cited words do not state it"),
        "field_mismatch": (
            0.60,
            "expr, universe, frequency, neutralization, rebalance, windows or direction differ from gold",
        ),
        "false_admission": (0.0, "a spec where gold refuses"),
        "false_refusal": (0.0, "a refusal where gold has a spec"),
        "wrong_reason": (0.60, "a refusal for another reason than gold's"),
    }
)
"""The most that a prediction can earn where the cap applies, and when it does."""

GATE: Final = 0.70
"""A prediction passes with this reward, no cap, and an executable formula."""

SCORED_FIELDS: Final = (
    "universe", "frequency", "neutralization", "rebalance", "expr", "windows", "direction",
)  # fmt: skip


def verifier_markdown() -> str:
    """The page ``docs/reference/verifier.md``."""
    lines = [
        "# Verifier",
        "",
        "The reward of a prediction is the weighted sum of four subscores, and no more than the lowest cap",
        "that applies.",
        f"It passes the gate with a reward of at least {GATE:.2f}, no cap, and an executable formula.",
        "",
        "| subscore | weight | meaning |",
        "|---|---|---|",
        *(f"| `{name}` | {weight:.2f} | {MEANINGS[name]} |" for name, weight in WEIGHTS.items()),
        "",
        "| cap | at most | when |",
        "|---|---|---|",
        *(f"| `{name}` | {value:.2f} | {when} |" for name, (value, when) in CAPS.items()),
    ]
    return "\n".join(lines) + "\n"
