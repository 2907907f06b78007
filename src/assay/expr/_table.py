from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final

from assay.errors import ConfigProblems, Problem
from assay.expr._op import Composite, Form, Op
from assay.expr._ops import BUILTIN_COMPOSITES, BUILTIN_OPS
from assay.expr._plugins import listed_problems, load_plugins, plugin_error

ENTRY_POINT_GROUP: Final = "assay.ops"


def build_table(custom: Iterable[Op] = ()) -> Mapping[str, Op]:
    """The table of the built-in ops and the given ones, by canonical name.

    Raises
    ------
    ConfigProblems
        Two ops share a name, or a custom op lacks its evaluation.
    """
    table: dict[str, Op] = {op.name: _with_core_form(op) for op in BUILTIN_OPS}
    problems: list[Problem] = []
    for op in custom:
        if op.name in table:
            problems.append(Problem(f"op {op.name}", "the name is taken", "choose another name"))
        elif op.evaluate is None:
            problems.append(Problem(f"op {op.name}", "has no evaluate function", "set Op.evaluate"))
        else:
            table[op.name] = _with_core_form(op)
    if problems:
        raise ConfigProblems(problems, where=f"entry points of group {ENTRY_POINT_GROUP}")
    return MappingProxyType(table)


@lru_cache(maxsize=1)
def op_table() -> Mapping[str, Op]:
    """All ops by canonical name: the built-in ones and those of installed packages (``assay.ops``).

    An entry point names an :class:`Op` or a sequence of them. The table is read once.

    Raises
    ------
    AssayError
        A package cannot be loaded, or one of its ops cannot stand in the table.
    """
    custom: list[Op] = []
    table = builtin_table()
    for point, ops in load_plugins(entry_points(group=ENTRY_POINT_GROUP), Op, "ops"):
        custom.extend(ops)
        try:
            table = build_table(custom)
        except ConfigProblems as error:
            raise plugin_error(point, "ops", listed_problems(error)) from error
    return table


@lru_cache(maxsize=1)
def builtin_table() -> Mapping[str, Op]:
    """The ops of Assay alone, whatever is installed beside it."""
    return build_table()


def composites() -> tuple[Composite, ...]:
    """The words of dialects that stand for several ops."""
    return BUILTIN_COMPOSITES


def _with_core_form(op: Op) -> Op:
    if op.form("core") is not None:
        return op
    fields = {name: getattr(op, name) for name in Op.__dataclass_fields__ if name != "param_index"}
    return Op(**{**fields, "forms": (Form("core", (op.name,)), *op.forms)})
