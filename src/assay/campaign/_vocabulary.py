from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from assay.campaign._config import read_toml, unknown_name
from assay.errors import ConfigProblems, Problem
from assay.expr import FieldInfo, Op, ParamValue, op_table


@dataclass(frozen=True)
class Vocabulary:
    """What formulas of a campaign may be made of.

    Parameters
    ----------
    fields : those of the data that may be used, with the words that prompts say of them.
    ops : canonical names in the order of the op table.
    notes : what the op file adds to an op, by name.
    """

    fields: Mapping[str, FieldInfo]
    ops: tuple[str, ...]
    notes: Mapping[str, str] = field(default_factory=dict)

    def op_lines(self) -> tuple[str, ...]:
        """One line for each op, from the op table: how it is written, what it gives, and its note.

        Ops of groups or lists are left out where neither a field nor another op gives one.
        """
        table = op_table()
        kinds: set[str] = {info.kind for info in self.fields.values()} | {"number", "bool"}
        plain = [table[name] for name in self.ops if _fed(table[name], {"number", "bool"})]
        kinds |= {op.result for op in plain}
        return tuple(self._line(table[name]) for name in self.ops if _fed(table[name], kinds))

    def _line(self, op: Op) -> str:
        params = (param.name + _default(param.default) for param in op.params)
        inputs = ", ".join([*(arg.name for arg in op.args), *params])
        note = f" ({self.notes[op.name]})" if self.notes.get(op.name) else ""
        return f"{op.name}({inputs}): {op.definition}{note}"


def _fed(op: Op, kinds: Collection[str]) -> bool:
    return "any" in kinds or all(arg.kind in kinds or arg.kind == "any" for arg in op.args)


def _default(value: ParamValue | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "=true" if value else "=false"
    return f'="{value}"' if isinstance(value, str) else f"={value:g}"


def build_vocabulary(
    loaded: Mapping[str, FieldInfo], *, fields: str | None = None, ops: str | None = None
) -> Vocabulary:
    """The vocabulary of a campaign.

    Parameters
    ----------
    loaded : the fields that the data has.
    fields, ops : texts of the files; without one, everything may be used.

    Raises
    ------
    ConfigProblems
        A file is not valid, or names a field that the data lacks, or an op that there is not; all at once.
    """
    problems: list[Problem] = []
    chosen = _fields(loaded, fields, problems)
    names, notes = _ops(ops, problems)
    if problems:
        raise ConfigProblems(problems, where="vocabulary")
    return Vocabulary(MappingProxyType(chosen), names, MappingProxyType(notes))


def _fields(
    loaded: Mapping[str, FieldInfo], text: str | None, problems: list[Problem]
) -> dict[str, FieldInfo]:
    if text is None:
        return dict(loaded)
    chosen: dict[str, FieldInfo] = {}
    for name, table in _tables(text, "fields", problems).items():
        where = f"fields.{name}"
        said = _text(table, where, "description", problems)
        if name not in loaded:
            problems.append(unknown_name(where, name, loaded, "field in the data"))
            continue
        info = loaded[name]
        chosen[name] = FieldInfo(name, info.kind, info.exponent, info.unit, said or info.description)
    if not chosen and not problems:
        problems.append(Problem("fields", "names no field", "name at least one, or leave the file out"))
    return chosen


def _ops(text: str | None, problems: list[Problem]) -> tuple[tuple[str, ...], dict[str, str]]:
    table = op_table()
    if text is None:
        return tuple(table), {}
    notes: dict[str, str] = {}
    for name, given in _tables(text, "ops", problems).items():
        where = f"ops.{name}"
        if name not in table:
            problems.append(unknown_name(where, name, table, "op"))
        notes[name] = _text(given, where, "note", problems)
    if not notes and not problems:
        problems.append(Problem("ops", "names no op", "name at least one, or leave the file out"))
    return tuple(name for name in table if name in notes), notes


def _tables(text: str, what: str, problems: list[Problem]) -> dict[str, Any]:
    try:
        return read_toml(text, what)
    except ConfigProblems as error:
        problems += [Problem(what, item.message, item.fix) for item in error.problems]
        return {}


def _text(table: Any, where: str, key: str, problems: list[Problem]) -> str:
    if not isinstance(table, Mapping):
        problems.append(Problem(where, "is no table", f"write [{where.partition('.')[2]}]"))
        return ""
    problems += [unknown_name(f"{where}.{name}", name, (key,)) for name in table if name != key]
    value = table.get(key, "")
    if not isinstance(value, str):
        problems.append(Problem(f"{where}.{key}", f"is {value!r}"[:80], "write a text"))
        return ""
    return value


def used_ops(nodes: Iterable[Any]) -> tuple[str, ...]:
    """The canonical names of the ops in trees."""
    from assay.expr import Call, walk

    return tuple(sorted({part.op for node in nodes for part in walk(node) if isinstance(part, Call)}))


def foreign_ops(node: Any, allowed: Sequence[str]) -> tuple[str, ...]:
    """Ops of a tree that the vocabulary lacks."""
    return tuple(name for name in used_ops([node]) if name not in allowed)
