from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.expr import Call, Expression, canonical, op_table, to_text, walk
from assay.features._code import code_digest
from assay.market import Fill

Values: TypeAlias = NDArray[np.float32]
LicenseTier = Literal["open", "licensed", "restricted"]
TIERS: tuple[LicenseTier, ...] = ("open", "licensed", "restricted")
"""From what anybody may have to what nobody else may."""

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
LAG = 1
"""Rows until a value is known, by the convention that the signal of t uses rows <= t-1."""


@dataclass(frozen=True, slots=True)
class Base:
    """A field of the panel as it is. ``code`` is the digest of the code that makes it, where code does."""

    field: str
    code: str = ""

    def definition(self) -> dict[str, Any]:
        """JSON-ready content."""
        return {"field": self.field, "code": self.code}


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression over fields and other features."""

    expression: Expression

    def definition(self) -> dict[str, Any]:
        """JSON-ready content: the canonical text, which is what is evaluated, and the code of own ops."""
        node = canonical(self.expression.node)
        ops = op_table()
        called = {item.op for item in walk(node) if isinstance(item, Call)}
        own = {name: code_digest(make) for name in called if (make := ops[name].evaluate) is not None}
        return {"formula": to_text(node, "core"), "ops": own}


@dataclass(frozen=True, slots=True)
class Label:
    """What followed: ``price[t+1+horizon] / price[t+1] - 1``, see :func:`assay.metrics.forward_returns`."""

    horizon: int
    fill: Fill = "close"

    def definition(self) -> dict[str, Any]:
        """JSON-ready content."""
        return {"label": self.horizon, "fill": self.fill}

    @property
    def lag(self) -> int:
        """Rows until it is known."""
        return 1 + self.horizon


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function of the deps' arrays, float32 ``(T, N)`` each, in the order of the deps.

    ``version`` is for what the code does not show, such as another version of a library.
    """

    call: Callable[..., Any]
    version: str = "1"

    def definition(self) -> dict[str, Any]:
        """JSON-ready content: the digest of the code, and the version."""
        return {"function": code_digest(self.call), "version": self.version}


Rule: TypeAlias = Base | Formula | Label | Function


@dataclass(frozen=True, slots=True)
class Feature:
    """A named array of one value a date and instrument, and when its values are known.

    Parameters
    ----------
    name : unique in a graph.
    rule : how it is computed.
    deps : names of the features that it is computed from.
    lag : the value of row ``t`` is known ``lag`` bars later. A graph raises it to that of the deps.
    is_label : it knows what came after its row; only labels may depend on it.
    namespace : whose it is; empty for the generic universe.
    license_tier : who may have it. A graph raises it to the strictest of the deps.
    """

    name: str
    rule: Rule
    deps: tuple[str, ...] = ()
    doc: str = ""
    lag: int = LAG
    is_label: bool = False
    namespace: str = ""
    license_tier: LicenseTier = "open"


def label_feature(horizon: int, *, fill: Fill = "close") -> Feature:
    """The label ``fwd_ret_<horizon>``."""
    rule = Label(horizon, fill)
    doc = f"Return over {horizon} bars from the {fill} of the next bar."
    return Feature(f"fwd_ret_{horizon}", rule, (fill,), doc, rule.lag, is_label=True)


def formula_feature(
    name: str,
    expression: Expression,
    *,
    doc: str = "",
    lag: int = LAG,
    namespace: str = "",
    license_tier: LicenseTier = "open",
    inputs: frozenset[str] = frozenset(),
) -> Feature:
    """A feature of an expression; its fields are its deps, but for ``inputs``, which the panel alone has
    (groups and vectors).
    """
    deps = tuple(field for field in expression.fields if field not in inputs)
    return Feature(
        name, Formula(expression), deps, doc or expression.text, lag, False, namespace, license_tier
    )
