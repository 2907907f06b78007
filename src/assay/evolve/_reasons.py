"""Every reason for which this package says no."""

from __future__ import annotations

from typing import Final

from assay.errors import Reason

NOT_GATED = Reason(
    "not_gated",
    "Only a spec that the extraction gate admitted is evolved.",
    "Run the gate: assay report extract FILE --out SPEC.json, and give what it writes.",
)
SEED_NOT_USABLE = Reason(
    "seed_not_usable",
    "The formula of the spec cannot be evolved on this data.",
    "Choose a spec whose formula runs on the data and does not change with a stock's adjustment factor.",
)
UNSUPPORTED_TERMS = Reason(
    "unsupported_terms",
    "The data cannot keep to what the spec fixes.",
    "Use a data set with the spec's universe, and a rebalance at least as slow as the frequency.",
)
NOT_AN_EVOLUTION = Reason(
    "not_an_evolution",
    "The run is not an evolution.",
    "See the run's desk: assay ledger show --kind run_start.",
)

# -- of the tools --------------------------------------------------------------------------------------------
BAD_FACTOR_EXPR = Reason(
    "bad_factor_expr", "The formula is no text of 1 to 4096 characters.", "Send the formula as text."
)
BAD_FACTOR_NAME = Reason(
    "bad_factor_name", "The name is no text of 1 to 200 characters.", "Send a short name, or none."
)
BAD_WINDOWS = Reason(
    "bad_windows",
    "The windows are not those of the formula.",
    "Leave them out: they are read from the formula.",
)
ILLEGAL_EXPR = Reason(
    "illegal_expr",
    "The formula does not parse, type or run in the report dialect on this data.",
    "Ask evolve.validate_expr what is wrong before you evaluate.",
)
NOT_VALIDATED = Reason(
    "not_validated",
    "The formula was not validated before.",
    "Call evolve.validate_expr with it; evaluate it when it is ok.",
)
EVALUATIONS_FAILED = Reason(
    "evaluations_failed",
    "As many backtests were begun as an episode may begin, and some of them failed.",
    "Finish with what is known.",
)

REASONS: Final[tuple[Reason, ...]] = (
    NOT_GATED, SEED_NOT_USABLE, UNSUPPORTED_TERMS, NOT_AN_EVOLUTION, BAD_FACTOR_EXPR, BAD_FACTOR_NAME,
    BAD_WINDOWS, ILLEGAL_EXPR, NOT_VALIDATED, EVALUATIONS_FAILED,
)  # fmt: skip
"""Every reason for which this package refuses."""
