"""Universes: a closed vocabulary, and the names under which reports mention its members."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from assay.base import did_you_mean
from assay.errors import Refusal
from assay.spec._reasons import UNIVERSE_WITHOUT_BACKTEST, UNKNOWN_UNIVERSE
from assay.spec._spec import HOUSE_DEFAULTS, UNDECLARED, UniverseName

BACKTESTED: Final[tuple[UniverseName, ...]] = ("CSI300", "CSI500")
"""Universes with membership by date; the others can be declared, and are refused at the backtest."""

_INDEX_CODES: Final[Mapping[UniverseName, tuple[str, ...]]] = MappingProxyType(
    {
        "CSI300": ("000300.SH", "000300.XSHG", "399300.SZ", "399300.XSHE", "SH000300", "SZ399300", "000300"),
        "CSI500": ("000905.SH", "000905.XSHG", "399905.SZ", "399905.XSHE", "SH000905", "SZ399905", "000905"),
        "CSI1000": ("000852.SH", "000852.XSHG", "399852.SZ", "SH000852", "SZ399852", "000852"),
        "CHINEXT": ("399006.SZ", "399006.XSHE", "SZ399006", "399006", "399102.SZ"),
    }
)

ALIASES: Final[Mapping[UniverseName, tuple[str, ...]]] = MappingProxyType(
    {
        "CSI300": (
            "CSI300", "CSI 300", "CSI-300", "HS300", "HS 300", "沪深300", "沪深三百", "中证300", "300指数",
            "Shanghai Shenzhen 300", "Shanghai-Shenzhen 300", *_INDEX_CODES["CSI300"],
        ),
        "CSI500": ("CSI500", "CSI 500", "CSI-500", "ZZ500", "中证500", "中证五百", *_INDEX_CODES["CSI500"]),
        "CSI1000": (
            "CSI1000", "CSI 1000", "CSI-1000", "CSI 1,000", "ZZ1000", "中证1000", "中证一千",
            *_INDEX_CODES["CSI1000"],
        ),
        "CHINEXT": (
            "CHINEXT", "ChiNext", "Chi Next", "ChiNext board", "GEM board", "Growth Enterprise Market",
            "Growth Enterprise Board", "创业板指", "创业板指数", "创业板", *_INDEX_CODES["CHINEXT"],
        ),
        "ALL_A": (
            "ALL_A", "ALL A", "all A-shares", "all A shares", "all A-share stocks", "A-share market",
            "all listed A-shares", "entire A-share market", "whole A-share market", "full A-share market",
            "all-A", "全A", "全部A股", "全A股", "全市场", "全体A股", "所有A股",
            "A股全市场", "万得全A", "中证全指",
        ),
    }
)  # fmt: skip
"""Names by which each universe is known; case, width, blanks and hyphens do not matter."""


@dataclass(frozen=True, slots=True)
class UniverseMention:
    """A universe named in a text, ``[start, end)``."""

    name: UniverseName
    start: int
    end: int


def universe_of(text: str) -> UniverseName:
    """The universe of the vocabulary that a name or alias stands for, as 沪深300成分股 does for CSI300.

    Raises
    ------
    Refusal
        ``unknown_universe``, with names that may have been meant.
    """
    names = {mention.name for mention in universes_in(text)}
    if len(names) == 1:
        return names.pop()
    if names:
        message = f"{text!r} names several universes: {', '.join(sorted(names))}"
    else:
        message = f"no universe is called {text!r}; there are {', '.join(ALIASES)}"
    aliases = [alias for known in ALIASES.values() for alias in known]
    raise Refusal(
        UNKNOWN_UNIVERSE,
        message,
        where="universe",
        details={"did_you_mean": list(did_you_mean(text, aliases))},
    )


def universes_in(text: str) -> tuple[UniverseMention, ...]:
    """Every place where a text names a universe, in order; of overlapping names the longest."""
    matches = _pattern().finditer(text.translate(_NARROW))
    return tuple(UniverseMention(_names()[_key(match.group())], *match.span()) for match in matches)


def require_backtest(universe: UniverseName) -> UniverseName:
    """The universe that a backtest of a spec uses, the house default where it is undeclared.

    Raises
    ------
    Refusal
        ``universe_without_backtest``: the name is of the vocabulary and there is no membership for it.
    """
    used = HOUSE_DEFAULTS["universe"] if universe == UNDECLARED else universe
    for name in BACKTESTED:
        if name == used:
            return name
    raise Refusal(
        UNIVERSE_WITHOUT_BACKTEST,
        f"{universe} has no membership by date, so there is no backtest on it",
        where="universe",
        details={"universe": universe, "available": list(BACKTESTED)},
    )


# one character for one, so that places in the narrowed text are places in the text
_NARROW: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


def _key(text: str) -> str:
    return re.sub(r"[\s,_-]", "", text).upper()


@lru_cache(maxsize=1)
def _names() -> Mapping[str, UniverseName]:
    return {_key(alias): name for name, aliases in ALIASES.items() for alias in aliases}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    parts = []
    for key in sorted(_names(), key=len, reverse=True):
        body = r"[\s,_-]?".join(re.escape(character) for character in key)
        # 中证1000 is not 中证100, and CSI300 stands beside Chinese text without a blank
        before = r"(?<![A-Za-z0-9.])" if key[0].isascii() else ""
        after = r"(?![A-Za-z0-9])" if key[-1].isascii() else ""
        parts.append(f"{before}{body}{after}")
    return re.compile("|".join(parts), re.IGNORECASE)
