"""What the sampler's formulas may be made of, and the groups that its forms draw fields from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from assay.expr import FieldInfo, Limits, Node, Space, fields_of, op_table

FieldClass = Literal["price", "activity", "return", "level", "event", "group"]
"""What kind of thing a field measures, told from its kind, exponent and unit."""

_ACTIVITY: Final = ("volume", "amount", "turn")
_UNFIT: Final = ("raw_", "limit_")
"""Prefixes of fields that are no measure across dates: prices as traded jump where shares are split."""
_NO_SIGNAL: Final = ("factor", "shares", "suspended", "is_st")
_WINDOWS: Final = (2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 90, 120, 180, 240)
_STEPS: Final = (
    "add", "sub", "mul", "div", "neg", "abs", "sign", "signed_log1p", "maximum", "minimum", "delay", "delta",
    "ts_return", "ts_sum", "ts_mean", "ts_max", "ts_min", "ts_median", "ts_mad", "ts_std", "ts_zscore",
    "ts_skew", "ts_kurt", "ts_argmax", "ts_argmin", "ts_rank", "ts_quantile", "ts_decay_linear", "ts_ema",
    "ts_slope", "ts_rsquare", "ts_corr", "ts_regression", "rank", "zscore", "group_neutralize", "group_rank",
)  # fmt: skip
"""Ops that mutation draws from: the typed sampler's own, without those that give conditions, which leave
formulas that are constant on most dates."""


def _default_limits() -> Limits:
    return Limits(characters=2000, nodes=60, depth=12, lookback=252)


@dataclass(frozen=True)
class SamplerSpace:
    """What formulas may be made of.

    Parameters
    ----------
    fields : fields of the vocabulary by name.
    ops : canonical names of the ops of the vocabulary.
    limits : those of the candidate gate.
    """

    fields: Mapping[str, FieldInfo]
    ops: tuple[str, ...] = field(default_factory=lambda: tuple(op_table()))
    limits: Limits = field(default_factory=_default_limits)

    @cached_property
    def classes(self) -> Mapping[FieldClass, tuple[str, ...]]:
        """Usable fields by class, in the order of the vocabulary."""
        found: dict[FieldClass, list[str]] = {}
        for name, info in self.fields.items():
            kind = class_of(info)
            if kind is not None:
                found.setdefault(kind, []).append(name)
        return {kind: tuple(names) for kind, names in found.items()}

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """Windows that fit the lookback."""
        return tuple(w for w in _WINDOWS if w < self.limits.lookback) or (1,)

    @cached_property
    def trees(self) -> Space:
        """The space of mutation and crossover: adjustment-invariant trees within the limits."""
        usable = {name for names in self.classes.values() for name in names}
        return Space(
            fields={name: info for name, info in self.fields.items() if name in usable},
            ops=tuple(name for name in _STEPS if name in self.ops),
            windows=self.windows,
            nodes=self.limits.nodes,
            depth=self.limits.depth,
            lookback=self.limits.lookback,
        )

    def classes_of(self, node: Node) -> frozenset[FieldClass]:
        """The classes of the fields that a formula reads, groups aside."""
        found = (class_of(self.fields[name]) for name in fields_of(node) if name in self.fields)
        return frozenset(kind for kind in found if kind is not None and kind != "group")


def class_of(info: FieldInfo) -> FieldClass | None:
    """The class of a field; None for what the sampler leaves aside, as its exponent is not known, say."""
    if info.name in _NO_SIGNAL or info.name.startswith(_UNFIT):
        return None
    if info.kind == "group":
        return "group"
    if info.kind == "vector":
        return "event" if info.exponent == 0 else None
    if info.kind != "number":
        return None
    if info.exponent == 1:
        return "price" if info.unit == "price" else None
    if info.name in _ACTIVITY or info.exponent == -1:
        return "activity"
    if info.exponent != 0:
        return None
    return "return" if info.name == "returns" else "level"
