"""The trials of a campaign as compact data, which the page's own script sorts and filters."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from assay.campaign import TrialRecord
from assay.views._report_words import visible

FIGURES: Final = (
    ("rank_ic", "RankIC", 4, "mean daily RankIC on the training segment"),
    ("neutral_rank_ic", "neutral", 4, "the same after industry and style ranks are taken out"),
    ("t", "t", 2, "Newey-West t of the mean RankIC; sorted by its size"),
    ("coverage", "coverage", 3, "mean share of the members with a value"),
    ("turnover", "turnover, a year", 1, "one-way: 1 is the whole book bought anew"),
    ("break_even_bp", "break-even, bp", 1, "cost of a unit traded, in bp, that uses up the book's excess"),
)
"""Columns of figures: key, heading, decimals, meaning."""

OUTCOMES: Final = {
    "admitted": "admitted",
    "rejected": "rejected",
    "review_rejected": "review: no",
    "gate_refused": "gate: no",
    "no_candidate": "no formula",
}
TONES: Final = {"admitted": "passed", "rejected": "rejected"}


@dataclass
class _Texts:
    """Each text once; rows name it by its place, as ideas and reasons repeat."""

    listed: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        if text not in self.places:
            self.places[text] = len(self.listed)
            self.listed.append(text)
        return self.places[text]


def least_counted(detail: str, least_n: int | None) -> str:
    """What a check of admission found; where it counts the rule's least N, that is said beside the figure."""
    figure = f"after {least_n} trials"
    return detail.replace(figure, f"{figure} (an N below {least_n} counts as {least_n})")


def table_json(trials: Sequence[TrialRecord], least_n: int | None = None) -> str:
    """The rows as JSON that can stand in a ``<script>`` element: no ``<`` is in it.

    ``least_n`` is the N that the rule of admission counts at least.
    """
    texts = _Texts()
    rows = [_row(trial, texts, least_n) for trial in trials]
    data = {
        "texts": texts.listed,
        "rows": rows,
        "digits": [digits for _, _, digits, _ in FIGURES],
        "outcomes": OUTCOMES,
        "tones": TONES,
    }
    # "<" would let a text end the element or open a comment in it
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _row(trial: TrialRecord, texts: _Texts, least_n: int | None) -> list[Any]:
    candidate = trial.candidate
    return [
        trial.id,
        texts.add(trial.mechanism),
        texts.add(trial.direction.kind),
        trial.parent or "",
        "" if candidate is None else visible(candidate.expression),
        texts.add(trial.outcome),
        texts.add(trial.reason),
        [_rounded(trial.figures.get(key)) for key, _, _, _ in FIGURES],
        texts.add(visible(trial.direction.text)),
        texts.add("" if candidate is None else visible(candidate.hypothesis)),
        texts.add("" if candidate is None else visible(candidate.description)),
        least_counted(visible(trial.detail), least_n),
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")
