"""What to judge: formulas as text or parsed, or tables of values, each under one name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from assay.errors import DataError, Reason, Refusal
from assay.expr import DialectName, Expression, FieldInfo, canonical, parse, require_runnable, to_text
from assay.judge._results import DateArray, Identity
from assay.judge._values import ValueFactor, is_values, read_values
from assay.judge._verdict import Refused

Judgeable: TypeAlias = Any
"""A formula (text or :class:`~assay.expr.Expression`), a sequence of them, a mapping of names to them, or
values: an array ``(T, N)``, a pandas or polars frame, or a pandas Series (or a mapping of names to those)."""


NO_SIGNAL = Reason(
    "no_signal", "the value of the formula cannot be ranked", "make a number of it, by a group or vector op"
)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to judge: an expression, or values."""

    name: str
    expression: Expression | None
    values: ValueFactor | None
    identity: Identity
    breaks_at: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Brings whatever a caller gives into items of a panel.

    ``fields`` describes the panel's fields to the parser. With ``collect``, an item that is refused is put
    aside instead of stopping the batch.
    """

    dates: DateArray
    instruments: Sequence[str]
    fields: Mapping[str, FieldInfo]
    dialect: DialectName = "core"
    collect: bool = False

    def read(self, given: Judgeable) -> tuple[list[Item], list[Refused]]:
        """Items in the given order under unique names, and those refused.

        Raises
        ------
        Refusal
            A formula is refused and ``collect`` is not set.
        DataError
            There is nothing to judge, or a table of values does not fit the panel.
        """
        items: list[Item] = []
        refused: list[Refused] = []
        names: set[str] = set()
        for name, thing in _named(given):
            try:
                found = self._items(name, thing)
            except (Refusal, DataError) as error:
                if not self.collect:
                    raise
                text = thing if isinstance(thing, str) else name or type(thing).__name__
                refused.append(Refused(name or text, text, error))
                continue
            items += [_unique(item, names) for item in found]
        if not items and not refused:
            raise DataError("there is nothing to judge", where="items", fix="give at least one formula")
        return items, refused

    def _items(self, name: str | None, thing: Any) -> list[Item]:
        if is_values(thing):
            factors = read_values(thing, self.dates, self.instruments, name or "values")
            return [_value_item(factor) for factor in factors]
        if isinstance(thing, Expression):
            require_runnable(thing, fields=self.fields)
            return [self._expression_item(name, thing)]
        if isinstance(thing, str):
            return [self._expression_item(name, parse(thing, self.dialect, fields=self.fields))]
        raise DataError(
            f"cannot judge a {type(thing).__name__}",
            where=name or "items",
            fix="give a formula as text, an Expression, an array, a frame, or a Series",
        )

    def _expression_item(self, name: str | None, expression: Expression) -> Item:
        if expression.kind not in ("number", "bool", "any"):
            raise Refusal(
                NO_SIGNAL,
                f"the formula gives a {expression.kind}, and a signal is a number for each name and date",
                where=name or expression.text,
            )
        whole = canonical(expression.node)
        identity = Identity(
            name=name or expression.text,
            text=expression.text,
            dialect=expression.dialect,
            canonical=to_text(whole, "core"),
            fingerprint=expression.fingerprint,
            signature=expression.signature,
            fields=tuple(expression.fields),
            lookback=expression.lookback,
            size=expression.size,
        )
        culprit = expression.exponent.culprit
        breaker = None if culprit is None else to_text(culprit, "core")
        notes = tuple(notice.message for notice in expression.warnings)
        return Item(identity.name, expression, None, identity, breaker, notes)


def _value_item(factor: ValueFactor) -> Item:
    identity = Identity(
        name=factor.name,
        text="values only",
        dialect=None,
        canonical=None,
        fingerprint=None,
        signature=None,
        values_sha256=factor.sha256,
    )
    return Item(factor.name, None, factor, identity, None, factor.warnings)


def _named(given: Judgeable) -> Iterable[tuple[str | None, Any]]:
    if isinstance(given, (str, Expression)) or is_values(given):
        return [(None, given)]
    if isinstance(given, Mapping):
        return [(str(name), thing) for name, thing in given.items()]
    if isinstance(given, Iterable):
        return [(None, thing) for thing in given]
    raise DataError(
        f"cannot judge a {type(given).__name__}", where="items", fix="give formulas or tables of values"
    )


def _unique(item: Item, names: set[str]) -> Item:
    """The item under a name that no other has; the second of a name becomes ``name #2``."""
    name, count = item.name, 1
    while name in names:
        count += 1
        name = f"{item.name} #{count}"
    names.add(name)
    if name == item.name:
        return item
    return replace(item, name=name, identity=replace(item.identity, name=name))
