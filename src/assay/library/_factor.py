from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from assay.base import check_id
from assay.expr import STANDARD_FIELDS, FieldInfo, Limits, parse

if TYPE_CHECKING:
    from assay.expr import DialectName, Expression, Node

# published formulas are trusted and finite in number; some are larger than what a stranger may submit
_LIMITS = Limits(characters=16384, nodes=1000, depth=48, lookback=504)


def _known_fields() -> Mapping[str, FieldInfo]:
    # a stock's adjustment factor does not reach the level of an index
    index = {
        name: FieldInfo(name, "number", 0.0, "points", f"{what} level of the benchmark index")
        for name, what in (("benchmark_open", "opening"), ("benchmark_close", "closing"))
    }
    return MappingProxyType({**STANDARD_FIELDS, **index})


_FIELDS = _known_fields()


@dataclass(frozen=True)
class Factor:
    """A published factor.

    Parameters
    ----------
    id : unique over all sets, for example ``alpha101-012``.
    set : the set it belongs to.
    name : a few words of English.
    text : the formula in ``dialect``.
    citation : author, year, title, and its number or name there.
    notes : what was repaired or chosen where the print is not clear; empty where nothing was.
    """

    id: str
    set: str
    name: str
    text: str
    dialect: DialectName
    citation: str
    notes: str = ""

    def __post_init__(self) -> None:
        check_id(self.id, "factor id")

    @cached_property
    def expression(self) -> Expression:
        """The parsed formula; parsing waits until it is asked for.

        The limits are wider than those for formulas of strangers (1,000 nodes, depth 48).
        """
        return parse(self.text, self.dialect, fields=_FIELDS, limits=_LIMITS)

    @property
    def node(self) -> Node:
        """The typed tree."""
        return self.expression.node

    @property
    def fields(self) -> tuple[str, ...]:
        """The input fields that the formula reads."""
        return self.expression.fields


@dataclass(frozen=True, slots=True)
class Gap:
    """A published formula that a set leaves out, with the reason."""

    id: str
    citation: str
    printed: str
    reason: str
