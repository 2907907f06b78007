"""The words of each dialect, made from the op table: what a name means and how its arguments are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from assay.expr._grammar import GRAMMARS
from assay.expr._op import Arg, Composite, DialectName, Example, Form, Level, Op, Param
from assay.expr._table import builtin_table, composites, op_table
from assay.expr._tree import Call, Node, Params, ParamValue

Builder: TypeAlias = Callable[[tuple[Node, ...], tuple[ParamValue | None, ...]], Node]
"""Makes the tree from the inputs and parameters, both in the order of the word's slots."""


@dataclass(frozen=True, slots=True)
class Word:
    """One name of a dialect.

    Parameters
    ----------
    slots : arguments in written order.
    by_name : written argument name (lower case) to slot.
    build : see :data:`Builder`.
    direct : the op, when the word is that op and all it needs is its arguments in order.
    """

    name: str
    slots: tuple[Arg | Param, ...]
    by_name: Mapping[str, int]
    build: Builder
    op: Op | None
    composite: Composite | None
    variadic: bool
    runnable: bool
    legacy: bool = False
    args_before_params: bool = field(default=False)

    @property
    def signature(self) -> str:
        """``ts_mean(x, window)``; defaults are shown."""
        return self._signature({})

    @property
    def platform_signature(self) -> str:
        """The signature with the platform's names of arguments: ``ts_mean(x, d)``."""
        return self._signature(self.platform_names)

    @property
    def platform_names(self) -> Mapping[str, str]:
        """The platform's names of arguments that the table calls otherwise."""
        form = self._form
        renames = (("d", "window"),) if form is None else form.renames
        return {canonical: written for written, canonical in reversed(renames)}

    def _signature(self, renames: Mapping[str, str]) -> str:
        parts = []
        for slot in self.slots:
            shown = renames.get(slot.name, slot.name)
            if isinstance(slot, Param) and slot.default is not None:
                shown += f"={_shown(slot.default)}"
            parts.append(shown)
        if self.variadic:
            parts.insert(sum(isinstance(s, Arg) for s in self.slots), "..")
        return f"{self.name}({', '.join(parts)})"

    @property
    def inert(self) -> tuple[tuple[str, str], ...]:
        """Arguments of older lists, in lower case, each with the one value that changes nothing."""
        return () if self._form is None else self._form.inert

    @property
    def level(self) -> Level:
        """Who may use the word on the platform; empty for a word of another dialect."""
        if self.composite is not None:
            return self.composite.level
        form = self._form
        return "" if form is None else form.level

    @property
    def meaning(self) -> str:
        """What it stands for, in one or two sentences."""
        if self.composite is not None:
            note = self.composite.note
            return self.composite.definition + (f". Note: {note}" if note else "")
        assert self.op is not None
        form = self._form
        presets = () if form is None else form.presets
        shown = f" ({', '.join(f'{n}={v}' for n, v in presets)})" if presets else ""
        return f"`{self.op.name}`{shown}: {self.op.definition}"

    @property
    def example(self) -> Example | None:
        """A value of it that is published or was worked out by hand."""
        if self.composite is not None:
            return self.composite.example
        form = self._form
        return None if form is None else form.example

    @property
    def _form(self) -> Form | None:
        return None if self.op is None else self.op.form("fastexpr")


def _shown(value: ParamValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


UNSUPPORTED: Final[Mapping[DialectName, Mapping[str, str]]] = MappingProxyType(
    {
        "fastexpr": MappingProxyType(
            {
                **dict.fromkeys(
                    (
                        "combo_a", "generate_stats", "reduce_avg", "reduce_choose", "reduce_count",
                        "reduce_ir", "reduce_kurtosis", "reduce_max", "reduce_min", "reduce_norm",
                        "reduce_percentage", "reduce_powersum", "reduce_range", "reduce_skewness",
                        "reduce_stddev", "reduce_sum", "self_corr", "universe_size", "in",
                    ),
                    "works on sets of alphas, not inside an expression",
                ),
                **dict.fromkeys(
                    ("ts_target_tvr_decay", "ts_target_tvr_hump", "ts_target_tvr_delta_limit"),
                    "tunes its parameter to a turnover; how is not published",
                ),
                "inst_pnl": "is the PnL of each instrument; its holdings, scale and timing are not published",
                "one_side": "shifts x to one side; by how much is not published",
                "generalized_rank": "adds powers of differences to ranks; their scale is not published",
                "convert": "turns dollars into shares or back; at which price is not published",
                **dict.fromkeys(
                    ("multi_regression", "group_multi_regression"),
                    "regresses on several inputs; whether it gives the fit or the residual is not published",
                ),
                **dict.fromkeys(("position_safeguard", "unit"), "is a name without a published definition"),
            }
        ),
        "qlib": MappingProxyType(
            dict.fromkeys(
                ("ChangeInstrument", "Mask", "P", "PRef", "Cut", "TResample"),
                "reads other instruments or bars",
            )
        ),
        "alpha191": MappingProxyType(
            {"FILTER": "keeps a subset of bars, which leaves no series to evaluate"}
        ),
    }
)  # fmt: skip
"""Names that a dialect knows and Assay does not evaluate, with why."""

LEGACY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "correlation": "ts_corr", "corr": "ts_corr", "covariance": "ts_covariance", "cov": "ts_covariance",
        "delta": "ts_delta", "delay": "ts_delay", "decay_linear": "ts_decay_linear", "stddev": "ts_std_dev",
        "ts_std": "ts_std_dev", "sum": "ts_sum", "product": "ts_product", "ts_argmax": "ts_arg_max",
        "ts_argmin": "ts_arg_min", "indneutralize": "group_neutralize", "ts_skew": "ts_skewness",
        "ts_kurt": "ts_kurtosis", "mean": "ts_mean", "ts_shift": "ts_delay", "where": "if_else",
        "ceil": "ceiling", "ema_decay": "ts_weighted_decay", "group_stddev": "group_std_dev", "negate": "not",
        "round0": "round_down", "signedpower": "signed_power", "ts_stddev": "ts_std_dev",
        "ts_weighted_delay": "ts_weighted_decay",
    }
)  # fmt: skip
"""FASTEXPR names from before 2016 and from the 2016 paper, and their names of today."""


@lru_cache(maxsize=16)
def words(dialect: DialectName) -> Mapping[str, Word]:
    """All names of a dialect, in lower case where the dialect ignores case."""
    return words_of(dialect, op_table())


@lru_cache(maxsize=16)
def builtin_words(dialect: DialectName) -> Mapping[str, Word]:
    """The names that Assay alone gives a dialect, whatever is installed beside it."""
    return words_of(dialect, builtin_table())


def words_of(dialect: DialectName, table: Mapping[str, Op]) -> Mapping[str, Word]:
    """All names of a dialect by an op table."""
    fold = GRAMMARS[dialect].ignore_case
    found: dict[str, Word] = {}

    def enter(name: str, word: Word) -> None:
        found.setdefault(name.lower() if fold else name, word)

    for composite in composites():
        if composite.dialect == dialect:
            for name in composite.names:
                enter(name, _of_composite(name, composite))
    for op in table.values():
        form = op.form(dialect)
        for name in form.names if form is not None else ():
            assert form is not None
            enter(name, _of_form(name, op, form))
    if dialect == "fastexpr":
        for old, new in LEGACY.items():
            if old not in found:
                known = found[new]
                found[old] = Word(
                    old, known.slots, known.by_name, known.build, known.op, known.composite, known.variadic,
                    known.runnable, True, known.args_before_params,
                )  # fmt: skip
    return MappingProxyType(found)


def _names(slots: Iterable[Arg | Param], renames: Iterable[tuple[str, str]]) -> Mapping[str, int]:
    place = {slot.name: i for i, slot in enumerate(slots)}
    named = {written.lower(): place[canonical] for written, canonical in renames if canonical in place}
    return MappingProxyType({**{k.lower(): v for k, v in place.items()}, **named})


def _args_first(slots: tuple[Arg | Param, ...]) -> bool:
    kinds = [isinstance(slot, Arg) for slot in slots]
    return kinds == sorted(kinds, reverse=True)


def _of_form(name: str, op: Op, form: Form) -> Word:
    known: dict[str, Arg | Param] = {a.name: a for a in op.args} | {p.name: p for p in op.params}
    preset = dict(form.presets)
    order = form.order or tuple(n for n in known if n not in preset)
    defaults = dict(form.defaults)
    slots = tuple(_with_default(known[n], defaults) for n in order)
    return Word(
        name, slots, _names(slots, form.renames), _form_builder(op, slots, preset), op, None, form.variadic,
        form.runnable, False, _args_first(slots),
    )  # fmt: skip


def _with_default(slot: Arg | Param, defaults: Mapping[str, ParamValue]) -> Arg | Param:
    if isinstance(slot, Param) and slot.name in defaults:
        return Param(
            slot.name, slot.type, defaults[slot.name], slot.low, slot.high, slot.choices, slot.description
        )
    return slot


def _form_builder(op: Op, slots: tuple[Arg | Param, ...], preset: Mapping[str, ParamValue]) -> Builder:
    written = [s.name for s in slots if isinstance(s, Arg)]
    order = tuple(written.index(a.name) for a in op.args)
    in_order = order == tuple(range(len(order)))
    names = tuple(s.name for s in slots if isinstance(s, Param))

    @lru_cache(maxsize=4096)
    def params(values: tuple[ParamValue | None, ...]) -> Params:
        given = {n: v for n, v in zip(names, values, strict=True) if v is not None}
        return op.fill({**preset, **given})

    def build(inputs: tuple[Node, ...], values: tuple[ParamValue | None, ...]) -> Node:
        if len(inputs) > len(order):  # a variadic word folds from the left
            result = Call(op.name, inputs[:2], params(values))
            for other in inputs[2:]:
                result = Call(op.name, (result, other), params(values))
            return result
        return Call(op.name, inputs if in_order else tuple(inputs[i] for i in order), params(values))

    return build


def _of_composite(name: str, composite: Composite) -> Word:
    slots = composite.slots
    args = tuple(s.name for s in slots if isinstance(s, Arg))
    names = tuple(s.name for s in slots if isinstance(s, Param))
    standard = (("d", "window"), ("lookback", "window"), ("n", "window"))

    def build(inputs: tuple[Node, ...], values: tuple[ParamValue | None, ...]) -> Node:
        given: dict[str, Any] = dict(zip(names, values, strict=True))
        if composite.variadic:
            given["inputs"] = inputs
        else:
            given.update(zip(args, inputs, strict=True))
        return composite.build(given)

    return Word(
        name, slots, _names(slots, standard), build, None, composite, composite.variadic, True, False,
        _args_first(slots),
    )  # fmt: skip


@lru_cache(maxsize=16)
def symbols(dialect: DialectName) -> Mapping[str, str]:
    """Infix symbol to canonical op; prefix symbols are entered as ``prefix-`` and so on."""
    found: dict[str, str] = {}
    for op in op_table().values():
        form = op.form(dialect)
        if form is not None and form.symbol and form.symbol != "?":
            found[form.symbol if len(op.args) == 2 else "prefix" + form.symbol] = op.name
    return MappingProxyType(found)
