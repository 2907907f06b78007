"""For what a scored candidate is not admitted; agents branch on the codes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from assay.errors import Reason

DAYS: Final = Reason(
    "admission.days",
    "A RankIC exists on too few dates.",
    "Shorten its windows, or use fields that begin earlier.",
)
COVERAGE: Final = Reason(
    "admission.coverage",
    "Too few members have a value.",
    "See at which step values are lost, and use fields that are known for more stocks there.",
)
T: Final = Reason(
    "admission.t", "The mean RankIC is not told from zero.", "Find a stronger or steadier mechanism."
)
PAYOFF: Final = Reason(
    "admission.payoff",
    "The portfolio of its ranks does not earn what its RankIC promises.",
    "Find what moves returns themselves: ranks of volatile stocks are low by the skew of returns alone.",
)
RANK_IC: Final = Reason("admission.rank_ic", "The mean RankIC is too small.", "Find a stronger mechanism.")
NEUTRAL_IC: Final = Reason(
    "admission.neutral_ic", "Industries and styles explain the RankIC.", "Find something that is no style."
)
VALUE_CORR: Final = Reason(
    "admission.value_corr", "The values are those of a factor in the pool.", "Measure what the pool does not."
)
IC_CORR: Final = Reason(
    "admission.ic_corr", "It gains and loses with a factor of the pool.", "Find what pays at other times."
)
RESIDUAL_IC: Final = Reason(
    "admission.residual_ic", "The pool explains its RankIC.", "Find a mechanism that the pool lacks."
)
TURNOVER: Final = Reason(
    "admission.turnover", "The book trades too much.", "Smooth the signal, or use longer windows."
)
BREAK_EVEN: Final = Reason(
    "admission.break_even", "The book's gain does not pay its trades.", "Find a stronger or slower signal."
)
DEFLATED: Final = Reason(
    "admission.deflated", "The best of so many trials shows as much by luck.", "Find a stronger effect."
)

ADMISSION_REASONS: Final[Mapping[str, Reason]] = MappingProxyType(
    {
        "days": DAYS,
        "coverage": COVERAGE,
        "t": T,
        "payoff": PAYOFF,
        "rank_ic": RANK_IC,
        "neutral_ic": NEUTRAL_IC,
        "value_corr": VALUE_CORR,
        "ic_corr": IC_CORR,
        "residual_ic": RESIDUAL_IC,
        "turnover": TURNOVER,
        "break_even": BREAK_EVEN,
        "deflated": DEFLATED,
    }
)
"""Reason by the name of its check, in the order of the checks."""
