from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.spec._evidence import EvidenceSpan

UNDECLARED = "undeclared"
"""Value of a field that the text does not state. The house default is applied and shown, never written in."""

Frequency = Literal["daily", "weekly", "monthly", "undeclared"]
Neutralization = Literal["none", "industry", "size", "industry_size", "undeclared"]
UniverseName = Literal["CSI300", "CSI500", "CSI1000", "CHINEXT", "ALL_A", "undeclared"]
Direction = Literal["positive", "negative", "undeclared"]
"""Whether a high value of the formula, as the text writes it, predicts a high return (``positive``)."""

Window = Annotated[int, Field(ge=1, le=504)]


class FactorSpec(BaseModel):
    """A factor as a report states it: seven fields, and the quotes that support them.

    ``expr`` is a formula of the ``report`` dialect as the text writes it; the sign that makes it a signal is
    the direction, which is no field of the spec. ``windows`` are the bars that the formula uses, in the order
    in which they stand in it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(min_length=1, max_length=200)
    universe: UniverseName
    frequency: Frequency
    neutralization: Neutralization
    rebalance: Frequency
    expr: str = Field(min_length=1, max_length=4096)
    windows: tuple[Window, ...] = Field(max_length=64)
    evidence: tuple[EvidenceSpan, ...] = Field((), max_length=200)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The fields that the text does not state, in the order of the spec."""
        names = ("universe", "frequency", "neutralization", "rebalance")
        return tuple(name for name in names if getattr(self, name) == UNDECLARED)


HOUSE_DEFAULTS: dict[str, str] = {
    "universe": "CSI300",
    "frequency": "daily",
    "neutralization": "none",
    "rebalance": "weekly",
}
"""What is used where the text is silent."""


def with_defaults(spec: FactorSpec) -> FactorSpec:
    """The spec with the house default in each undeclared field: what a backtest runs."""
    return spec.model_copy(update={name: HOUSE_DEFAULTS[name] for name in spec.undeclared})


def spec_schema() -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of a spec."""
    schema = FactorSpec.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["$id"] = "urn:assay:factor-spec:1"
    return schema
