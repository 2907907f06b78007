from __future__ import annotations

from typing import Final

from assay.errors import Reason

BAD_SPEC = Reason("bad_spec", "The spec breaks its schema.", "Mend the listed problems.")
UNKNOWN_UNIVERSE = Reason(
    "unknown_universe",
    "The vocabulary has no universe of this name.",
    "Use a name or alias of the vocabulary.",
)
UNIVERSE_WITHOUT_BACKTEST = Reason(
    "universe_without_backtest",
    "The universe can be declared and has no membership data.",
    "Use CSI300 or CSI500.",
)
OFF_WHITELIST = Reason(
    "off_whitelist",
    "The formula uses a name outside the ops and fields of the report dialect.",
    "Use the listed ops and fields, or write the factor in the core dialect.",
)
NO_FIELD = Reason(
    "no_field",
    "The formula is no series of numbers: it reads no field of them.",
    "Write a formula of fields.",
)
NOT_ADMITTED = Reason(
    "spec_not_admitted", "The extraction gate did not admit the spec.", "See the reasons of its verdict."
)
ALTERED = Reason(
    "spec_altered", "The document does not have the content that was gated.", "Run the gate again."
)

REASONS: Final[tuple[Reason, ...]] = (
    BAD_SPEC, UNKNOWN_UNIVERSE, UNIVERSE_WITHOUT_BACKTEST, OFF_WHITELIST, NO_FIELD, NOT_ADMITTED, ALTERED,
)  # fmt: skip
"""Every reason for which this package refuses."""
