from __future__ import annotations

from assay.errors import Reason

UNKNOWN_FIELD = Reason("unknown_field", "the data set has no such field", "use one of the fields that it has")
UNKNOWN_UNIVERSE = Reason(
    "unknown_universe", "the data set has no such universe", "use one of the universes that it has"
)
UNIVERSE_OUTDATED = Reason(
    "universe_outdated",
    "the membership of the universe is not known for these dates",
    "end the dates earlier, or import a newer membership file",
)
NO_DATES = Reason(
    "no_dates", "the data set has no trading day in this range", "choose dates inside its range"
)
FACTOR_MISMATCH = Reason(
    "factor_mismatch",
    "the new rows do not continue the adjustment factors that are stored",
    "import the whole history again under a new name",
)

REASONS = (UNKNOWN_FIELD, UNKNOWN_UNIVERSE, UNIVERSE_OUTDATED, NO_DATES, FACTOR_MISMATCH)
"""Every refusal of this package, for the generated reference."""
