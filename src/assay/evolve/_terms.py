"""What a gated spec fixes: the fields that no edit may change, and the settings of the judge that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.config import DataSettings
from assay.errors import ExpressionError, Refusal
from assay.evolve._reasons import SEED_NOT_USABLE, UNSUPPORTED_TERMS
from assay.expr import Expression, FieldInfo, parse, to_text
from assay.spec import BACKTESTED, FactorSpec, GatedSpec, with_defaults

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel

FROZEN: Final = ("universe", "frequency", "neutralization", "rebalance")
"""Fields of the spec that stay as the report has them."""

BARS: Final[Mapping[str, int]] = {"daily": 1, "weekly": 5, "monthly": 20}
"""Bars between rebalances."""

MOST_UNKNOWN: Final = 0.10
"""Share of a universe's names that the data may lack."""


@dataclass(frozen=True)
class Terms:
    """A gated spec as the ground of an evolution. Make it with :meth:`of`.

    Parameters
    ----------
    gated : the spec with the verdict that admitted it.
    fields : the fields of the data.
    seed : its formula.
    traded : its formula with the sign that the direction says: high is bought.
    """

    gated: GatedSpec
    fields: Mapping[str, FieldInfo] | None
    seed: Expression
    traded: Expression

    @classmethod
    def of(cls, gated: GatedSpec, fields: Mapping[str, FieldInfo] | None = None) -> Terms:
        """The terms of a spec on data with these fields; by default the standard ones.

        Raises
        ------
        Refusal
            ``seed_not_usable``.
        """
        try:
            seed = read(gated.spec.expr, fields)
            return cls(gated, fields, seed, signed(seed, gated, fields))
        except ExpressionError as error:
            raise Refusal(SEED_NOT_USABLE, error.message, where="spec.expr") from error

    @property
    def spec(self) -> FactorSpec:
        """The spec, undeclared fields as they are."""
        return self.gated.spec

    @property
    def frozen(self) -> dict[str, Any]:
        """The fixed fields with the values that the spec has."""
        return {name: getattr(self.spec, name) for name in FROZEN}

    def trade(self, expression: Expression) -> Expression:
        """A formula with the sign that the spec's direction says."""
        return signed(expression, self.gated, self.fields)


def read(text: str, fields: Mapping[str, FieldInfo] | None) -> Expression:
    """A formula of the report dialect that runs on the data and whose value no adjustment factor changes.

    Raises
    ------
    ExpressionError
        It is not one.
    """
    return parse(text, "report", fields=fields, adjustment="refuse")


def signed(expression: Expression, gated: GatedSpec, fields: Mapping[str, FieldInfo] | None) -> Expression:
    """The formula whose high values are bought."""
    if gated.direction != "negative":
        return expression
    # from the tree: the text may end in a comment
    return read(f"-({to_text(expression.node, 'report')})", fields)


def judge_settings(spec: FactorSpec, panel: Panel, own: DataSettings) -> JudgeSettings:
    """How formulas under a spec are judged: long-only, the best tenth, after the data set's costs.

    Parameters
    ----------
    own : the settings of the workspace for the data set: lag, fill, costs.

    Raises
    ------
    Refusal
        ``unsupported_terms``: there is no backtest on the universe here, or the spec trades more often than
        its factor is formed.
    """
    from assay.judge import Costs, JudgeSettings

    used = with_defaults(spec)
    if BARS[used.rebalance] < BARS[used.frequency]:
        raise Refusal(
            UNSUPPORTED_TERMS, f"a {used.frequency} factor is rebalanced {used.rebalance}", where="rebalance"
        )
    costs = None if own.costs is None else Costs(buy_bp=own.costs.buy_bp, sell_bp=own.costs.sell_bp)
    return JudgeSettings(
        universe=_universe(used.universe, panel),
        lag=own.lag,
        fill=own.fill,
        costs=costs,
        rebalance=BARS[used.rebalance],
        neutralize=used.neutralization,  # type: ignore[arg-type]  # defaults are filled in
        adjustment="refuse",
        horizons=(5,),
        bootstrap=0,
    )


def _universe(name: str, panel: Panel) -> str:
    """The panel's name of a universe of the vocabulary; ``sim300`` plays CSI300 on a simulated market."""
    known = {alias: own for own, item in panel.data.universes.items() for alias in (own, *item.aliases)}
    wanted = name.lower() if not panel.manifest.simulated else name.lower().replace("csi", "sim")
    if name not in BACKTESTED or wanted not in known:
        raise Refusal(UNSUPPORTED_TERMS, f"there is no backtest on {name} here", where="universe")
    universe = panel.data.universes[known[wanted]]
    lacking, members = len(universe.unknown_members), len(set(universe.spans[:, 0].tolist()))
    if lacking > MOST_UNKNOWN * (lacking + members):
        raise Refusal(
            UNSUPPORTED_TERMS,
            f"the data set lacks {lacking} of the {lacking + members} names that were ever in {name}",
            where="universe",
        )
    return known[wanted]
