"""What mutations may use, and small typed trees with holes in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from assay.brain._settings import SettingsChoices
from assay.brain._wire import DataFieldInfo
from assay.brain.fastexpr import field_infos
from assay.expr import STANDARD_FIELDS, Call, FieldInfo, Node, fields_of, parse
from assay.expr import Field as FieldNode

_PRICE_VOLUME: Final = (
    "open", "high", "low", "close", "vwap", "volume", "returns", "cap", "sector", "industry", "subindustry",
    "market",
)  # fmt: skip
_GROUPS: Final = ("subindustry", "industry", "sector", "market", "exchange", "country", "currency")
_HOLES: Final = {
    "x": FieldInfo("x"), "y": FieldInfo("y"), "z": FieldInfo("z"), "g": FieldInfo("g", "group")
}  # fmt: skip
WINDOWS: Final = (3, 5, 10, 21, 42, 63, 126, 252)


@dataclass(frozen=True)
class MutationSpace:
    """What mutations may use.

    Parameters
    ----------
    fields : the platform's fields by name.
    choices : what its settings may be; without it no setting is changed but decay and truncation.
    partners : expressions that do well, to be combined with.
    """

    fields: Mapping[str, FieldInfo] = field(
        default_factory=lambda: MappingProxyType({name: STANDARD_FIELDS[name] for name in _PRICE_VOLUME})
    )
    choices: SettingsChoices | None = None
    partners: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        fields: Iterable[DataFieldInfo],
        choices: SettingsChoices | None = None,
        partners: Iterable[str] = (),
    ) -> MutationSpace:
        """The space of a platform's data fields."""
        return cls(field_infos(fields), choices, tuple(partners))

    @classmethod
    def offline(cls, text: str) -> MutationSpace:
        """The usual price and volume fields, and those that an expression names.

        Raises
        ------
        ExpressionError
            It cannot be read.
        """
        usual = cls()
        named = fields_of(parse(text, "fastexpr", level="typed").node)
        own = {name: STANDARD_FIELDS.get(name, FieldInfo(name, "any")) for name in named}
        return cls({**own, **usual.fields})

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the group fields: the classifications first, then the rest as listed."""
        have = [name for name, info in self.fields.items() if info.kind == "group"]
        return tuple(sorted(have, key=lambda n: _GROUPS.index(n) if n in _GROUPS else len(_GROUPS)))

    def group(self, wanted: str) -> str | None:
        """That group field, or the finest that there is."""
        groups = self.groups
        return wanted if wanted in groups else next(iter(groups), None)

    def has(self, name: str) -> bool:
        """Whether there is such a field of numbers."""
        return name in self.fields and self.fields[name].kind == "number"


def filled(pattern: str, **parts: Node) -> Node:
    """A FASTEXPR pattern with trees in its holes ``x``, ``y``, ``z``, ``g``.

    The pattern is read once, with the platform's conventions; only trees are put together.
    """
    return _put(_pattern(pattern), parts)


def mapped(node: Node, change: Callable[[Call], Node | None]) -> Node:
    """The tree with each call exchanged for what ``change`` makes of it; None leaves it. Inputs first."""
    if not isinstance(node, Call):
        return node
    args = tuple(mapped(arg, change) for arg in node.args)
    call = node if args == node.args else Call(node.op, args, node.params)
    return change(call) or call


def places(node: Node, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Node]]:
    """Every part of a tree with the way to it."""
    yield path, node
    if isinstance(node, Call):
        for index, arg in enumerate(node.args):
            yield from places(arg, (*path, index))


def replaced(node: Node, path: tuple[int, ...], part: Node) -> Node:
    """The tree with another part at a place."""
    if not path:
        return part
    assert isinstance(node, Call)
    args = list(node.args)
    args[path[0]] = replaced(args[path[0]], path[1:], part)
    return Call(node.op, tuple(args), node.params)


@lru_cache(maxsize=128)
def _pattern(text: str) -> Node:
    return parse(text, "fastexpr", fields=_HOLES).node


def _put(node: Node, parts: Mapping[str, Node]) -> Node:
    if isinstance(node, FieldNode):
        return parts.get(node.name, node)
    if not isinstance(node, Call):
        return node
    return Call(node.op, tuple(_put(arg, parts) for arg in node.args), node.params)
