from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from assay.base import did_you_mean
from assay.errors import Reason, Refusal
from assay.library._factor import Factor, Gap
from assay.library._published import alpha101, alpha191, alpha191_gaps, classics
from assay.library._qlib import alpha158, alpha360

UNKNOWN_FACTOR: Final = Reason(
    "unknown_factor", "the library has no factor of this name", "list the sets and their factors first"
)

_SETS: Final[Mapping[str, Callable[[], tuple[Factor, ...]]]] = MappingProxyType(
    {
        "alpha101": alpha101,
        "alpha158": alpha158,
        "alpha191": alpha191,
        "alpha360": alpha360,
        "classics": classics,
    }
)

DEMO_FIELDS: Final = frozenset({"open", "high", "low", "close", "vwap", "volume", "amount", "returns"})
"""What every panel of daily bars holds."""


def sets() -> tuple[str, ...]:
    """The names of the sets of reference factors."""
    return tuple(_SETS)


@cache
def reference_factors(name: str) -> tuple[Factor, ...]:
    """The factors of a set, in the order of its source.

    Raises
    ------
    Refusal
        ``unknown_factor``: no set has this name.
    """
    if name not in _SETS:
        raise _unknown("set", name, _SETS)
    return _SETS[name]()


@cache
def _by_id() -> Mapping[str, Factor]:
    return MappingProxyType({f.id: f for name in _SETS for f in reference_factors(name)})


def factor(id: str) -> Factor:
    """The factor with this id, for example ``alpha101-012``.

    Raises
    ------
    Refusal
        ``unknown_factor``: no factor has this id.
    """
    found = _by_id().get(id)
    if found is None:
        raise _unknown("factor", id, _by_id())
    return found


def gaps(name: str) -> tuple[Gap, ...]:
    """The formulas of a set's source that the set leaves out, with reasons.

    Raises
    ------
    Refusal
        ``unknown_factor``: no set has this name.
    """
    if name not in _SETS:
        raise _unknown("set", name, _SETS)
    return alpha191_gaps() if name == "alpha191" else ()


@cache
def demo_set() -> tuple[Factor, ...]:
    """About 100 well-known factors that any panel of daily bars can judge.

    The classics, and those of Alpha101 that need neither groups nor market value and do not compare
    traded value with a number of shares.
    """
    usable = (f for f in reference_factors("alpha101") if not f.notes.startswith("compares"))
    return (*reference_factors("classics"), *(f for f in usable if set(f.fields) <= DEMO_FIELDS))


def _unknown(what: str, name: str, known: Iterable[str]) -> Refusal:
    close = did_you_mean(name, known)
    fix = f"did you mean {', '.join(map(repr, close))}?" if close else UNKNOWN_FACTOR.fix
    return Refusal(
        UNKNOWN_FACTOR,
        f"the library has no {what} {name!r}",
        where=what,
        fix=fix,
        details={"near": list(close)},
    )
