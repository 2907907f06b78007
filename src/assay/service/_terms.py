"""What a spec fixes of a backtest; :func:`assay.judge.spec_settings` makes settings of the judge of it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.spec import HOUSE_DEFAULTS, Direction, GatedSpec, with_defaults


@dataclass(frozen=True, slots=True)
class Terms:
    """What no client may change: the spec's fields, defaults filled in, and the spec's own formula."""

    universe: str = HOUSE_DEFAULTS["universe"]
    frequency: str = HOUSE_DEFAULTS["frequency"]
    neutralization: str = HOUSE_DEFAULTS["neutralization"]
    rebalance: str = HOUSE_DEFAULTS["rebalance"]
    direction: Direction = "undeclared"
    seed: str | None = None

    @classmethod
    def of(cls, gated: GatedSpec) -> Terms:
        """The terms of a gated spec."""
        spec = with_defaults(gated.spec)
        return cls(
            universe=spec.universe,
            frequency=spec.frequency,
            neutralization=spec.neutralization,
            rebalance=spec.rebalance,
            direction=gated.direction,
            seed=spec.expr,
        )

    def traded(self, formula: str) -> str:
        """The formula whose high values are bought: with the sign that the direction says."""
        return f"-({formula})" if self.direction == "negative" else formula
