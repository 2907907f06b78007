from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assay.expr._op import DialectName


@dataclass(frozen=True, slots=True)
class Limits:
    """What a formula may cost.

    Parameters
    ----------
    characters : length of the text.
    nodes : nodes of the typed tree, written out; the text may hold twice as many symbols.
    depth : levels of the typed tree.
    nesting : open brackets, calls and branches at one place of the text.
    lookback : bars needed, the current one included.
    """

    characters: int = 4096
    nodes: int = 200
    depth: int = 32
    nesting: int = 64
    lookback: int = 504


_SHORT: Final = Limits()
_PLATFORM: Final = Limits(lookback=2520)


def default_limits(dialect: DialectName) -> Limits:
    """Limits of a dialect: a lookback of 504 bars, 2,520 where platforms allow long ones."""
    return _PLATFORM if dialect in ("fastexpr", "qlib") else _SHORT
