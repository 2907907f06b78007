"""FactorSpec: what a report says of a factor, with the quotes that say it."""

from assay.spec._evidence import EvidenceSpan, SpecField
from assay.spec._spec import (
    HOUSE_DEFAULTS,
    UNDECLARED,
    Direction,
    FactorSpec,
    Frequency,
    Neutralization,
    UniverseName,
    spec_schema,
    with_defaults,
)

__all__ = [
    "HOUSE_DEFAULTS",
    "UNDECLARED",
    "Direction",
    "EvidenceSpan",
    "FactorSpec",
    "Frequency",
    "Neutralization",
    "SpecField",
    "UniverseName",
    "spec_schema",
    "with_defaults",
]
