"""What a spec fixes of a backtest, as settings of the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.config import DataSettings
from assay.errors import Refusal
from assay.judge import Costs, JudgeSettings
from assay.service._reasons import UNSUPPORTED_FREQUENCY, UNSUPPORTED_UNIVERSE
from assay.spec import BACKTESTED, HOUSE_DEFAULTS, Direction, GatedSpec, with_defaults

if TYPE_CHECKING:
    from assay.market import Panel

BARS: Final[Mapping[str, int]] = {"daily": 1, "weekly": 5, "monthly": 20}
MOST_UNKNOWN = 0.10
"""Share of a universe's members that may lack data."""


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


def judge_settings(terms: Terms, panel: Panel, own: DataSettings) -> JudgeSettings:
    """How a formula under these terms is judged: long-only, the best tenth, after the data set's costs.

    Raises
    ------
    Refusal
        ``unsupported_universe``, ``unsupported_frequency``.
    """
    if BARS[terms.rebalance] < BARS[terms.frequency]:
        raise Refusal(
            UNSUPPORTED_FREQUENCY,
            f"a {terms.frequency} factor is rebalanced {terms.rebalance}",
            where="rebalance",
        )
    costs = None if own.costs is None else Costs(buy_bp=own.costs.buy_bp, sell_bp=own.costs.sell_bp)
    return JudgeSettings(
        universe=_universe(terms.universe, panel),
        lag=own.lag,
        fill=own.fill,
        costs=costs,
        rebalance=BARS[terms.rebalance],
        neutralize=terms.neutralization,  # type: ignore[arg-type]  # a spec's words are the judge's
        adjustment="refuse",
        horizons=(5,),
        bootstrap=0,
    )


def _universe(name: str, panel: Panel) -> str:
    """The panel's name of a universe of the vocabulary; ``sim300`` plays CSI300 on a simulated market."""
    known = {alias: own for own, item in panel.data.universes.items() for alias in (own, *item.aliases)}
    wanted = name.lower() if not panel.manifest.simulated else name.lower().replace("csi", "sim")
    if name not in BACKTESTED or wanted not in known:
        raise Refusal(UNSUPPORTED_UNIVERSE, f"no backtest on {name} here", where="universe")
    universe = panel.data.universes[known[wanted]]
    lacking, members = len(universe.unknown_members), len(set(universe.spans[:, 0].tolist()))
    if lacking > MOST_UNKNOWN * (lacking + members):
        raise Refusal(
            UNSUPPORTED_UNIVERSE,
            f"the data set lacks {lacking} of the {lacking + members} names that were ever in {name}",
            where="universe",
        )
    return known[wanted]
