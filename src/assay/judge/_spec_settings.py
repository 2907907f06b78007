"""How formulas under a spec of a report are judged: one place for the desk and for the backtest service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol

from assay.config import DataSettings
from assay.errors import Reason, Refusal
from assay.judge._settings import Costs, JudgeSettings

if TYPE_CHECKING:
    from assay.market import Panel

UNSUPPORTED_UNIVERSE = Reason(
    "unsupported_universe",
    "there is no backtest on this universe here",
    "use CSI300 or CSI500 where the data has it",
)
UNSUPPORTED_FREQUENCY = Reason(
    "unsupported_frequency",
    "the spec trades more often than its factor is formed",
    "a rebalance is at least as slow as the frequency",
)

BARS: Final[Mapping[str, int]] = {"daily": 1, "weekly": 5, "monthly": 20}
"""Bars between rebalances."""

MOST_UNKNOWN: Final = 0.10
"""Share of a universe's names that the data may lack."""


class SpecTerms(Protocol):
    """The fields of a spec that fix its backtest, defaults filled in."""

    @property
    def universe(self) -> str: ...

    @property
    def frequency(self) -> str: ...

    @property
    def neutralization(self) -> str: ...

    @property
    def rebalance(self) -> str: ...


def spec_settings(terms: SpecTerms, panel: Panel, own: DataSettings) -> JudgeSettings:
    """The settings of the judge: long-only, the best tenth, after the data set's costs.

    Parameters
    ----------
    terms : of a spec; see :func:`assay.spec.with_defaults`.
    own : the settings of the workspace for the data set: lag, fill, costs.

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
    from assay.spec import BACKTESTED

    known = {alias: own for own, item in panel.data.universes.items() for alias in (own, *item.aliases)}
    wanted = name.lower() if not panel.manifest.simulated else name.lower().replace("csi", "sim")
    if name not in BACKTESTED or wanted not in known:
        raise Refusal(UNSUPPORTED_UNIVERSE, f"there is no backtest on {name} here", where="universe")
    universe = panel.data.universes[known[wanted]]
    lacking, members = len(universe.unknown_members), len(set(universe.spans[:, 0].tolist()))
    if lacking > MOST_UNKNOWN * (lacking + members):
        raise Refusal(
            UNSUPPORTED_UNIVERSE,
            f"the data set lacks {lacking} of the {lacking + members} names that were ever in {name}",
            where="universe",
        )
    return known[wanted]
