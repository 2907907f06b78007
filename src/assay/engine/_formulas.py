"""Evaluating whatever stands for a formula: texts, parsed formulas, trees, lists and mappings of those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.engine._evaluate import evaluate
from assay.engine._inputs import Inputs, Mask, Panel
from assay.errors import DataError
from assay.expr import (
    Call,
    Constant,
    DialectName,
    Expression,
    Field,
    FieldInfo,
    Node,
    parse,
    require_runnable,
    to_text,
    validate,
)

if TYPE_CHECKING:
    from assay.engine._execute import Sink

Formulas: TypeAlias = Any
"""A formula (text, :class:`~assay.expr.Expression`, or tree), an iterable of them, or a mapping of names to
them."""

_ACCEPTED = "give a formula as text, an Expression or a node, a list of them, or a mapping of names to them"


def evaluate_formulas(
    formulas: Formulas,
    data: Inputs,
    *,
    universe: Mask | None = None,
    threads: int = 1,
    sink: Sink | None = None,
    dialect: DialectName = "core",
) -> dict[str, Panel]:
    """Values of formulas at every date and instrument; :func:`assay.evaluate` is this function.

    The batch becomes one graph in which every distinct sub-expression is computed once. Row t of a result
    uses rows <= t of the inputs; a lag is the caller's to apply.

    Parameters
    ----------
    formulas : one formula, a list of them, or a mapping of names to them. A formula is a text, an
        ``Expression`` (from :func:`assay.parse`) or a node.
    data : a panel, or any :class:`~assay.engine.Inputs`. The formulas are checked against the fields of a
        panel.
    universe : membership by date, bool ``(T, N)``, e.g. ``panel.universe("index_a")``; None = all.
        Cross-section and group ops see the members of the date only and give NaN to the others;
        time-series ops see all rows.
    threads : how many blocks of instruments, or of dates, are worked on at a time. The result does not
        depend on it.
    sink : called with the name and the array of each output soon after it is ready; the array is read-only
        and is used again after the call. Then nothing is kept.
    dialect : the language of the texts: core, report, fastexpr, qlib, alpha101 or alpha191.

    Returns
    -------
    float32 ``(T, N)`` by name, NaN = missing, no infinities; a group expression gives its codes. Names are
    those that :func:`assay.judge` gives: the name of a mapping, else the text of the formula; the second of
    a name is ``"name #2"``. Names of equal expressions share one array. Empty with a ``sink``.

    Raises
    ------
    Refusal
        A formula is refused, with its place; or a tree made by hand breaks the op table.
    DataError
        Something is not a formula, or the universe does not have the shape of the data.
    AssayError
        An op can not be evaluated, or ``threads`` is below 1.
    """
    known = _described(data)
    nodes: dict[str, Node] = {}
    for name, thing in _named(formulas):
        text, node = _read(name, thing, dialect, known)
        nodes[_unused(name or text, nodes)] = node
    if not nodes:
        raise DataError("there is nothing to evaluate", where="formulas", fix="give at least one formula")
    return evaluate(nodes, data, universe=universe, threads=threads, sink=sink)


def _described(data: Inputs) -> Mapping[str, FieldInfo] | None:
    """The fields of a panel; other inputs need not describe theirs."""
    fields = getattr(data, "fields", None)
    if isinstance(fields, Mapping) and all(isinstance(info, FieldInfo) for info in fields.values()):
        return fields
    return None


def _named(given: Formulas) -> Iterable[tuple[str | None, Any]]:
    if isinstance(given, (str, Expression, Constant, Field, Call)):
        return [(None, given)]
    if isinstance(given, Mapping):
        return [(str(name), thing) for name, thing in given.items()]
    if isinstance(given, Iterable):
        return [(None, thing) for thing in given]
    raise _no_formula(given, "formulas")


def _read(
    name: str | None, thing: Any, dialect: DialectName, fields: Mapping[str, FieldInfo] | None
) -> tuple[str, Node]:
    """The text of a formula, and its tree."""
    if isinstance(thing, str):
        return thing, parse(thing, dialect, fields=fields).node
    if isinstance(thing, Expression):
        require_runnable(thing, fields=fields)
        return thing.text, thing.node
    if isinstance(thing, (Constant, Field, Call)):
        validate(thing, fields)
        return to_text(thing, "core"), thing
    raise _no_formula(thing, name or "formulas")


def _no_formula(thing: object, where: str) -> DataError:
    return DataError(f"cannot evaluate a {type(thing).__name__}", where=where, fix=_ACCEPTED)


def _unused(name: str, taken: Mapping[str, Node]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name} #{count}"
    return free
