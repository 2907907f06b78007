from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from assay.expr import load_plugins
from assay.features._feature import Feature, Function, LicenseTier

ENTRY_POINT_GROUP = "assay.features"


def feature(
    name: str,
    *,
    deps: Sequence[str],
    lag: int = 0,
    version: str = "1",
    doc: str = "",
    is_label: bool = False,
    namespace: str = "",
    license_tier: LicenseTier = "open",
) -> Callable[[Callable[..., Any]], Feature]:
    """Make a feature of a Python function.

    The function takes the deps' values in their order, read-only float32 ``(T, N)`` with NaN for missing, and
    gives as many. Row ``t`` may use rows ``<= t``; a label ``lag`` rows more than its deps do. That is
    checked before the feature is first served.

    Parameters
    ----------
    lag : rows that are needed on top; a feature is never known before its deps are.
    version : change it when what the function calls changes in a way that its own code does not show.
    doc : by default the first line of the function's docstring.

    Examples
    --------
    >>> from assay.features import feature
    >>> @feature("bar_range", deps=("high", "low", "close"))
    ... def bar_range(high, low, close):
    ...     "Width of the bar as a share of its close."
    ...     return (high - low) / close
    >>> bar_range.name, bar_range.doc
    ('bar_range', 'Width of the bar as a share of its close.')
    """

    def made(call: Callable[..., Any]) -> Feature:
        said = doc or (call.__doc__ or "").strip().split("\n")[0]
        rule = Function(call, version)
        return Feature(name, rule, tuple(deps), said, lag, is_label, namespace, license_tier)

    return made


@lru_cache(maxsize=1)
def installed_features() -> tuple[Feature, ...]:
    """Features of installed packages (entry points of the group ``assay.features``); read once.

    An entry point names a :class:`Feature` or a sequence of them.

    Raises
    ------
    AssayError
        A package cannot be loaded; the message names it.
    """
    found: list[Feature] = []
    for _, features in load_plugins(entry_points(group=ENTRY_POINT_GROUP), Feature, "features"):
        found.extend(features)
    return tuple(found)
