"""For what a candidate is refused before it is evaluated; agents branch on the codes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from assay.errors import Reason

DuplicateOf = Literal["reference", "known", "zoo", "run", "round"]

PARSE: Final = Reason(
    "candidate.parse", "The text is no formula of its dialect.", "Write one expression; see the place named."
)
TYPE: Final = Reason(
    "candidate.type",
    "The formula breaks the rules of an op.",
    "Use ops of the vocabulary with the arguments of their signature.",
)
UNKNOWN_FIELD: Final = Reason(
    "candidate.unknown_field", "The formula reads a field that is not loaded.", "Use the fields listed."
)
TOO_LARGE: Final = Reason(
    "candidate.too_large", "The formula is longer, deeper or looks back further than allowed.", "Simplify it."
)
ADJUSTMENT: Final = Reason(
    "candidate.adjustment",
    "The value changes with a stock's adjustment factor, so it ranks stocks by their history of splits.",
    "Make the part named a ratio, a return, or a time-series rank.",
)
CONSTANT: Final = Reason(
    "candidate.constant",
    "On most dates the formula gives all stocks one value, or none.",
    "Let it differ between the stocks of one date.",
)
LEAK_PREFIX: Final = Reason(
    "candidate.leak_prefix",
    "Values change when later dates are taken away: the formula reads the future.",
    "Use only ops that look back.",
)
LEAK_SCRAMBLE: Final = Reason(
    "candidate.leak_scramble",
    "Values change when later dates are replaced: the formula reads the future.",
    "Use only ops that look back.",
)
LEAK_PERMUTATION: Final = Reason(
    "candidate.leak_permutation",
    "Values depend on the order in which the stocks are listed.",
    "Leave out ops that break ties by position.",
)

DUPLICATE_REFERENCE: Final = Reason(
    "candidate.duplicate_reference",
    "The formula is one of the reference set.",
    "Propose something that the reference set lacks.",
)
DUPLICATE_KNOWN: Final = Reason(
    "candidate.duplicate_known", "The formula is a known factor.", "Propose something that is not known yet."
)
DUPLICATE_ZOO: Final = Reason(
    "candidate.duplicate_zoo",
    "The formula was admitted before.",
    "Propose another mechanism, or one that is orthogonal to it.",
)
DUPLICATE_RUN: Final = Reason(
    "candidate.duplicate_run",
    "The formula was tried before in this run.",
    "Read what it scored, and change more than sign or scale.",
)
DUPLICATE_ROUND: Final = Reason(
    "candidate.duplicate_round",
    "An earlier candidate of this round is the same formula.",
    "Propose something else for this direction.",
)
DUPLICATES: Final[Mapping[DuplicateOf, Reason]] = MappingProxyType(
    {
        "reference": DUPLICATE_REFERENCE,
        "known": DUPLICATE_KNOWN,
        "zoo": DUPLICATE_ZOO,
        "run": DUPLICATE_RUN,
        "round": DUPLICATE_ROUND,
    }
)

GATE_REASONS: Final[tuple[Reason, ...]] = (
    PARSE, TYPE, UNKNOWN_FIELD, TOO_LARGE, *DUPLICATES.values(), ADJUSTMENT, CONSTANT, LEAK_PREFIX,
    LEAK_SCRAMBLE, LEAK_PERMUTATION,
)  # fmt: skip
"""Every reason of the candidate gate, in the order of its checks."""
