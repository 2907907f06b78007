"""Programs held to what a platform has, before anything is spent on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from assay.brain._platform import Platform
from assay.brain._wire import DataFieldInfo
from assay.brain.fastexpr._problem import Problem
from assay.brain.fastexpr._program import check_program
from assay.errors import ExpressionError
from assay.expr import Name, parse_syntax, parts_of

PRICES: Final = "pv1"


class ProgramCheck:
    """Says what a platform would say of a program.

    Parameters
    ----------
    data_set : the session's; its fields are asked for at once.
    """

    def __init__(self, platform: Platform, data_set: str = "") -> None:
        self._fields = KnownFields(platform, data_set)
        self._operators = platform.operators()

    @property
    def fields(self) -> Mapping[str, DataFieldInfo]:
        """The fields that programs have named so far, by id in lower case."""
        return self._fields

    def problem(self, text: str) -> Problem | None:
        """Why the platform would not simulate a program; None where it would."""
        self._fields.ask(names_in(text))
        return check_program(text, self._fields, self._operators)

    def forget(self, text: str) -> None:
        """Ask again for the fields of a program that failed: the platform may have taken them away."""
        self._fields.forget(names_in(text))


class KnownFields(Mapping[str, DataFieldInfo]):
    """The fields that were asked for so far, by id in lower case.

    A platform has tens of thousands, so it is asked for those that an expression names; prices and groups,
    and the session's data set, are asked for at once.
    """

    def __init__(self, platform: Platform, data_set: str = "") -> None:
        self._platform = platform
        self._known: dict[str, DataFieldInfo] = {}
        self._absent: set[str] = set()
        for name in {PRICES, data_set} & {info.id for info in platform.data_sets()}:
            self._take(platform.data_fields(name))

    def ask(self, names: frozenset[str]) -> None:
        """Look up names that nobody has asked for yet."""
        for name in sorted(names - self._known.keys() - self._absent):
            self._take(self._platform.data_fields(search=name))
            if name not in self._known:
                self._absent.add(name)

    def forget(self, names: frozenset[str]) -> None:
        """Ask again for these when they are next used."""
        for name in names:
            self._known.pop(name, None)
        self._absent -= names

    def _take(self, found: tuple[DataFieldInfo, ...]) -> None:
        self._known.update((info.id.lower(), info) for info in found)

    def __getitem__(self, name: str) -> DataFieldInfo:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def names_in(text: str) -> frozenset[str]:
    """Names in lower case that may be fields; none of a text that cannot be read."""
    try:
        program = parse_syntax(text, "fastexpr")
    except ExpressionError:
        return frozenset()
    own = {statement.target.lower() for statement in program.statements if statement.target}
    return frozenset(part.name.lower() for part in parts_of(program) if isinstance(part, Name)) - own
