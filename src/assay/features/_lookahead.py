"""Whether a Python feature looks ahead: run again without the rows to come, and with nonsense in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.base import generator
from assay.errors import Refusal
from assay.features._feature import Feature, Function, Values
from assay.features._reasons import BROKEN_FEATURE

CUTS = (0.3, 0.6, 0.9)
"""Where the future begins, as shares of the rows; the last row is one more."""


def run_function(feature: Feature, inputs: Sequence[Values], shape: tuple[int, int]) -> Values:
    """What a Python feature gives, float32 ``(T, N)``, infinities missing.

    Raises
    ------
    Refusal
        ``broken_feature``: it raises, or gives something else.
    """
    assert isinstance(feature.rule, Function)
    try:
        with np.errstate(all="ignore"):
            found = np.array(feature.rule.call(*map(_read_only, inputs)), dtype=np.float32)
    except Exception as error:
        raise _broken(feature, f"its function raised {type(error).__name__}") from error
    if found.shape != shape:
        raise _broken(feature, f"its function gave shape {found.shape} for {shape}")
    found[~np.isfinite(found)] = np.nan
    return found


def check_lookahead(feature: Feature, inputs: Sequence[Values], reach: int) -> None:
    """Hold a Python feature to rows ``<= t + reach``, on the values at hand.

    Raises
    ------
    Refusal
        ``broken_feature``: rows change with what comes after them, or from one run to the next.
    """
    shape = inputs[0].shape[0], inputs[0].shape[1]
    whole = run_function(feature, inputs, shape)
    if not _same(whole, run_function(feature, inputs, shape)):
        raise _broken(feature, "its function gives other values when it is run again")
    for cut in _cuts(shape[0]):
        kept = max(0, cut - reach)
        short = [np.ascontiguousarray(values[:cut]) for values in inputs]
        if not _same(whole[:kept], run_function(feature, short, (cut, shape[1]))[:kept]):
            raise _broken(feature, "its values change when later rows are left out: it looks ahead")
        other = [_nonsense(values, cut, number) for number, values in enumerate(inputs)]
        if not _same(whole[:kept], run_function(feature, other, shape)[:kept]):
            raise _broken(feature, "its values change when later rows are replaced: it looks ahead")


def _cuts(rows: int) -> tuple[int, ...]:
    places = {round(rows * share) for share in CUTS} | {rows - 1}
    return tuple(sorted(place for place in places if 0 < place < rows))


def _nonsense(values: Values, cut: int, number: int) -> Values:
    rng = generator(0, "lookahead", number, cut)
    out = values.copy()
    tail = out[cut:]
    tail[:] = rng.permutation(tail.ravel()).reshape(tail.shape) * np.float32(rng.choice((-3.0, 0.25, 7.0)))
    tail[rng.random(tail.shape) < 0.1] = np.nan
    return out


def _read_only(values: Values) -> Values:
    view = values.view()
    view.flags.writeable = False
    return view


def _same(a: Values, b: Values) -> bool:
    return bool(np.all((a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))))


def _broken(feature: Feature, message: str) -> Refusal:
    return Refusal(BROKEN_FEATURE, f"the feature {feature.name!r} is broken: {message}", where=feature.name)
