"""What a gated spec fixes: the fields that no edit may change, and the settings of the judge that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.config import DataSettings
from assay.errors import ExpressionError, Refusal
from assay.evolve._reasons import SEED_NOT_USABLE, UNSUPPORTED_TERMS
from assay.expr import Expression, FieldInfo, parse, to_text
from assay.spec import FactorSpec, GatedSpec, with_defaults

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel

FROZEN: Final = ("universe", "frequency", "neutralization", "rebalance")
"""Fields of the spec that stay as the report has them."""


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
    from assay.judge import UNSUPPORTED_FREQUENCY, UNSUPPORTED_UNIVERSE, spec_settings

    try:
        return spec_settings(with_defaults(spec), panel, own)
    except Refusal as refusal:
        if refusal.reason not in (UNSUPPORTED_FREQUENCY, UNSUPPORTED_UNIVERSE):
            raise
        raise Refusal(UNSUPPORTED_TERMS, refusal.message, where=refusal.where) from refusal
