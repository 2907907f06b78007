"""Trials as lines of text: the same words in every language, explained by the prompts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from assay.campaign._types import Direction, TrialRecord

FIGURES: Final[Mapping[str, str]] = {
    "rank_ic": "+.4f",
    "neutral_rank_ic": "+.4f",
    "t": "+.2f",
    "icir": "+.3f",
    "coverage": ".3f",
    "turnover": ".3f",
    "break_even_bp": ".1f",
}
"""The figures that are shown, in this order, and how."""

_FORMULA: Final = 300
_TEXT: Final = 160


def one_line(text: str, limit: int) -> str:
    """Text without line ends and other control characters, of at most ``limit`` characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 3].rstrip() + "..."


def figures_text(figures: Mapping[str, float | None]) -> str:
    """``rank_ic=+0.0312 t=+3.20``; a figure that has no value is ``undefined``."""
    return " ".join(
        f"{name}={_number(figures[name], form)}" for name, form in FIGURES.items() if name in figures
    )


def origin(direction: Direction) -> str:
    """``new``, or ``mutation of r01-s02``."""
    return direction.kind if direction.parent is None else f"{direction.kind} of {direction.parent}"


def verdict(trial: TrialRecord) -> str:
    """How a trial ended, with the reason where there is one."""
    return f"{trial.outcome} ({trial.reason})" if trial.reason else trial.outcome


def trial_line(trial: TrialRecord, *, detail: int = 0) -> str:
    """One line about a trial; ``detail``: so many characters of the sentence on how it ended."""
    formula = one_line(trial.candidate.expression, _FORMULA) if trial.candidate is not None else ""
    parts = [
        trial.id,
        trial.mechanism,
        origin(trial.direction),
        one_line(trial.direction.text, _TEXT),
        formula,
        verdict(trial),
        figures_text(trial.figures),
        one_line(trial.detail, detail) if detail else "",
    ]
    return " | ".join(part for part in parts if part)


def strength(trial: TrialRecord) -> float:
    """Size of the t of the rank IC; 0 where it is undefined."""
    value = trial.figures.get("t")
    return abs(value) if value is not None and math.isfinite(value) else 0.0


def _number(value: float | None, form: str) -> str:
    return "undefined" if value is None or not math.isfinite(value) else format(value, form)
