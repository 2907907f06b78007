from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
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
_PLATFORMS: Final[Mapping[str, Limits]] = MappingProxyType(
    {"fastexpr": Limits(characters=16384, nodes=1000, depth=64, lookback=2520), "qlib": Limits(lookback=2520)}
)


def default_limits(dialect: DialectName) -> Limits:
    """Limits of a dialect: wider for those of platforms that allow long formulas and long histories."""
    return _PLATFORMS.get(dialect, _SHORT)
