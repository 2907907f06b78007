"""Forms of factors by behaviour: formulas with holes, in the core dialect.

Holes: ``P`` price, ``V`` traded quantity, ``M`` traded quantity that splits leave alone, ``R`` return of a
bar, ``L`` level that is known from elsewhere (market value, book value), ``E`` a number a day made of events,
``G`` group; ``s``, ``w``, ``k`` windows: short, middle, long. A digit tells a second, different one; one hole
gets the same filling wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Behaviour = Literal[
    "momentum", "reversal", "volatility", "liquidity", "volume_price", "structure", "level", "event"
]

FORMS: Final[Mapping[Behaviour, tuple[str, ...]]] = MappingProxyType(
    {
        "momentum": (
            "ts_return(P, k)",
            "delay(P, s) / delay(P, k)",
            "delay(P, w) / delay(P, k)",
            "ts_mean(R, k)",
            "ts_ir(R, k)",
            "ts_decay_linear(R, k)",
            "ts_rank(P, k)",
            "ts_slope(P, k) / P",
            "ts_rsquare(P, k)",
            "P / ts_mean(P, k)",
            "ts_mean(P, s) / ts_mean(P, k)",
            "ts_mean(sign(R), k)",
            "P / ts_max(P2, k)",
        ),
        "reversal": (
            "ts_return(P, s)",
            "ts_return(P, w)",
            "P / ts_mean(P, w)",
            "P / ts_mean(P2, s)",
            "P / delay(P2, 1)",
            "ts_mean(P / delay(P2, 1), w)",
            "ts_zscore(P, w)",
            "ts_rank(P, w)",
            "ts_max(R, w)",
            "ts_min(R, w)",
            "ts_mean(R, s) / ts_std(R, w)",
            "R * V / ts_mean(V, w)",
            "ts_sum(R * V, s) / ts_sum(V, w)",
        ),
        "volatility": (
            "ts_std(R, w)",
            "ts_std(R, k)",
            "ts_skew(R, w)",
            "ts_kurt(R, w)",
            "ts_mean(abs(R), w)",
            "ts_std(P, w) / ts_mean(P, w)",
            "ts_std(R, s) / ts_std(R, k)",
            "ts_max(R, w) - ts_min(R, w)",
            "ts_max(R, w) + ts_min(R, w)",
            "ts_max(P, w) / ts_min(P2, w)",
            "ts_std(P / P2, w)",
            "ts_skew(P / P2, w)",
            "ts_mean(abs(P / P2 - 1), w)",
            "ts_std(ts_std(R, s), w)",
            "ts_corr(abs(R), delay(abs(R), 1), k)",
        ),
        "liquidity": (
            "ts_mean(abs(R) / M, w)",
            "ts_mean(abs(R), w) / ts_mean(M, w)",
            "V / ts_mean(V, w)",
            "ts_mean(V, s) / ts_mean(V, k)",
            "ts_std(V, w) / ts_mean(V, w)",
            "ts_zscore(V, w)",
            "ts_rank(V, w)",
            "ts_skew(V, w)",
            "ts_mean(M, w)",
            "ts_max(V, w) / ts_mean(V, w)",
            "ts_mean(M / L, w)",
            "ts_slope(V, w) / ts_mean(V, w)",
        ),
        "volume_price": (
            "ts_corr(P, V, w)",
            "ts_corr(P, V, k)",
            "ts_corr(R, V, w)",
            "ts_corr(abs(R), V, w)",
            "ts_corr(P / P2, V, w)",
            "ts_corr(R, delay(V, 1), w)",
            "ts_corr(R, ts_return(V, 1), w)",
            "ts_corr(ts_rank(P, s), ts_rank(V, s), w)",
            "ts_corr(V, delay(V, 1), w)",
            "ts_mean(R * V, w) / ts_mean(V, w)",
            "ts_sum(P * V, w) / ts_sum(V, w) / P",
            "ts_mean(ts_rank(V, w) * R, w)",
        ),
        "structure": (
            "P / P2",
            "ts_mean(P / P2, w)",
            "(P - ts_min(P2, w)) / (ts_max(P3, w) - ts_min(P2, w))",
            "ts_mean((P - P2) / P3, w)",
            "(P - P2) / (P3 - P4)",
            "ts_mean((P - P2) / (P3 - P4), w)",
            "ts_argmax(P, w)",
            "ts_argmin(P, w)",
            "ts_argmax(P, k) - ts_argmin(P2, k)",
            "ts_corr(P, P2, w)",
            "P / ts_median(P2, w)",
        ),
        "level": ("L / L2", "ts_mean(M, w) / L", "ts_return(L, k)", "ts_zscore(L, k)", "L"),
        "event": (
            "E",
            "ts_mean(E, w)",
            "ts_decay_linear(E, w)",
            "ts_max(E, w)",
            "ts_std(E, w)",
            "ts_mean(E, s) - ts_mean(E, k)",
        ),
    }
)
"""Simple forms; anything longer is made of them by wraps, mutation and crossover."""

WRAPS: Final = (
    "group_neutralize(F, G)",
    "ts_mean(F, s)",
    "ts_mean(F, w)",
    "ts_decay_linear(F, w)",
    "delta(F, w)",
    "ts_zscore(F, k)",
    "ts_rank(F, k)",
    "F / ts_std(F, k)",
    "rank(F) * rank(F2)",
    "rank(F) - rank(F2)",
    "rank(F) + rank(F2)",
)
"""What may be put around a form ``F``; ``F2`` is another one of the same mechanism."""

_WORDS: Final[tuple[tuple[Behaviour, tuple[str, ...]], ...]] = (
    ("momentum", ("momentum", "trend", "动量", "趋势")),
    ("reversal", ("revers", "overshoot", "contrarian", "反转", "反轉", "回复")),
    ("volatility", ("volatil", "risk", "skew", "lottery", "波动", "风险", "偏度")),
    ("liquidity", ("liquid", "turnover", "流动", "换手", "冲击")),
    ("volume_price", ("volume_price", "price_volume", "volume-price", "price-volume", "volume", "量价")),
    ("structure", ("structure", "position", "range", "microstructure", "结构", "形态", "位置")),
    ("level", ("structure", "valu", "fundamental", "quality", "growth", "size", "估值", "基本面", "规模")),
    ("event", ("structure", "event", "news", "sentiment", "attention", "事件", "新闻", "情绪")),
)  # fmt: skip


_HOLES: Final = re.compile(r"\b[PVMRLEGswk]\d?\b")


def complexity(form: str) -> int:
    """How many places of a form are to be filled.

    Examples
    --------
    >>> complexity("ts_mean(E, w)"), complexity("ts_mean(E, s) - ts_mean(E, k)")
    (2, 4)
    """
    return len(_HOLES.findall(form))


def behaviours(mechanism: str, description: str = "") -> tuple[Behaviour, ...]:
    """The behaviours that a mechanism type stands for, by the words of its name, else of its description.

    A type whose words say nothing stands for all of them.
    """
    for text in (mechanism.lower(), description.lower()):
        found = tuple(name for name, words in _WORDS if any(word in text for word in words))
        if found:
            return found
    return tuple(FORMS)
