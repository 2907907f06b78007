"""Formulas that the report dialect cannot write, offered in the core dialect, which has more ops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assay.reports._extraction import core_formula
from assay.reports.rules._factors import Analysis, Factor
from assay.reports.rules._formula import Place, settle_core
from assay.reports.rules._tree import INFIX, Apply, Field, Number, Tree, Window

_NAMES: Final[Mapping[str, str]] = {
    "TS_PCTCHANGE": "ts_return",
    "TS_SKEWNESS": "ts_skew",
    "TS_KURTOSIS": "ts_kurt",
    "TS_COVARIANCE": "ts_cov",
    "INDUSTRY_NEUTRALIZE": "group_zscore",
}
"""Ops whose name in the core dialect is another one than their own in small letters."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A formula of the core dialect; ``windows`` are places that state a window apart from the definition."""

    formula: str
    windows: tuple[Place, ...]


def offered(analysis: Analysis, factor: Factor) -> Offer | None:
    """The formula of a factor that stops only at an op outside the report dialect, where it was read whole.

    None where its definitions differ, a window is not stated, or the core dialect lacks the op too.
    """
    read = [item.core for item in factor.definitions if item.core is not None]
    if not read or factor.first.core is None or len({_write(tree) for tree in read}) > 1:
        return None
    settled = settle_core(analysis, factor, factor.first.core)
    if settled.tree is None:
        return None
    formula = core_formula(_write(settled.tree))
    return None if formula is None else Offer(formula, settled.windows)


def _write(tree: Tree) -> str:
    if isinstance(tree, Field):
        return "returns" if tree.name == "return" else tree.name
    if isinstance(tree, Number):
        return tree.text
    if isinstance(tree, Window):
        return str(tree.days[0]) if tree.days else tree.symbol
    assert isinstance(tree, Apply)
    args = [_write(arg) for arg in tree.args]
    if tree.op == "neg":
        return f"-({args[0]})"
    if tree.op in INFIX:
        return f"({args[0]}) {tree.op} ({args[1]})"
    return f"{_NAMES.get(tree.op, tree.op.lower())}({', '.join(args)})"
