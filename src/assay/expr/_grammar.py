"""How each dialect is written: operators with their binding power, and what else its texts may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from assay.expr._op import DialectName

TERNARY, OR, AND, COMPARE, SUM, PRODUCT, PREFIX, POWER = 10, 20, 30, 40, 50, 60, 70, 80

_ARITHMETIC: Final = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
_COMPARISONS: Final = {"<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "==": COMPARE, "!=": COMPARE}
_LOGIC: Final = {"||": OR, "&&": AND}


@dataclass(frozen=True, slots=True)
class Grammar:
    """Parameters
    ----------
    infix : binding power of each infix symbol; a higher one binds tighter.
    synonyms : symbols and words read as another symbol.
    ternary, programs, texts, named : whether ``c ? a : b``, assignments, quoted texts, and arguments by
        name are part of the dialect.
    dollar : whether fields are written with ``$``.
    ignore_case : whether the case of op names is ignored.
    trailing_comma : whether a call may end in a comma.
    """

    dialect: DialectName
    infix: Mapping[str, int]
    prefix: frozenset[str]
    synonyms: Mapping[str, str]
    ternary: bool
    programs: bool
    texts: bool
    named: bool
    dollar: Literal["never", "always"]
    ignore_case: bool
    trailing_comma: bool


def _grammar(
    dialect: DialectName,
    infix: Mapping[str, int],
    *,
    prefix: str = "-",
    synonyms: Mapping[str, str] | None = None,
    ternary: bool = False,
    programs: bool = False,
    texts: bool = False,
    named: bool = False,
    dollar: Literal["never", "always"] = "never",
    ignore_case: bool = False,
    trailing_comma: bool = False,
) -> Grammar:
    return Grammar(
        dialect,
        MappingProxyType(dict(infix)),
        frozenset(prefix),
        MappingProxyType(dict(synonyms or {})),
        ternary,
        programs,
        texts,
        named,
        dollar,
        ignore_case,
        trailing_comma,
    )


_WORDS: Final = {"and": "&&", "or": "||"}
_FULL: Final = {**_ARITHMETIC, **_COMPARISONS, **_LOGIC, "^": POWER}
# Python's own: the bitwise operators bind tighter than comparisons there
_PYTHON: Final = {**_ARITHMETIC, **_COMPARISONS, "|": COMPARE + 2, "&": COMPARE + 4, "**": POWER}

GRAMMARS: Final[Mapping[DialectName, Grammar]] = MappingProxyType(
    {
        "core": _grammar("core", _FULL, prefix="-!", ternary=True, texts=True, named=True),
        "report": _grammar("report", _ARITHMETIC, dollar="always"),
        "fastexpr": _grammar(
            "fastexpr",
            _FULL,
            prefix="-!",
            synonyms=_WORDS,
            ternary=True,
            programs=True,
            texts=True,
            named=True,
            ignore_case=True,
        ),
        "qlib": _grammar("qlib", _PYTHON, prefix="-~", dollar="always", trailing_comma=True),
        "alpha101": _grammar("alpha101", _FULL, prefix="-!", ternary=True, ignore_case=True),
        "alpha191": _grammar(
            "alpha191",
            _FULL,
            prefix="-!",
            synonyms={"=": "==", "&": "&&", "|": "||"},
            ternary=True,
            ignore_case=True,
        ),
    }
)

DIALECTS: Final[tuple[DialectName, ...]] = tuple(GRAMMARS)
"""The dialects that can be read and written."""
