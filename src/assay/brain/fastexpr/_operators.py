"""The operators of the language as the platform lists them, made from the op table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from assay.brain._wire import OperatorInfo
from assay.config import BrainLevel
from assay.expr import Word, words

_CATEGORIES: Final[Mapping[str, str]] = {"ts": "Time Series", "group": "Group", "vec": "Vector"}
"""By the first part of a name; the others are listed below."""
_LISTED: Final[Mapping[str, tuple[str, ...]]] = {
    "Logical": (
        "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "and", "or", "not", "is_nan",
        "if_else", "is_not_nan", "is_finite", "is_not_finite",
    ),
    "Time Series": (
        "inst_tvr", "kth_element", "last_diff_value", "days_from_last_change", "hump", "jump_decay",
        "hump_decay",
    ),
    "Cross Sectional": (
        "rank", "zscore", "scale", "normalize", "quantile", "winsorize", "truncate", "vector_neut",
        "regression_neut", "scale_down", "rank_by_side", "vector_proj", "regression_proj",
        "rank_gmean_amean_diff",
    ),
    "Transformational": (
        "bucket", "trade_when", "left_tail", "right_tail", "pasteurize", "tail", "keep", "filter",
    ),
}  # fmt: skip
_CATEGORY_OF: Final = {name: category for category, names in _LISTED.items() for name in names}


def category_of(name: str) -> str:
    """The platform's category of an operator."""
    return _CATEGORY_OF.get(name) or _CATEGORIES.get(name.split("_")[0], "Arithmetic")


@lru_cache(maxsize=2)
def operators(level: BrainLevel = "user") -> tuple[OperatorInfo, ...]:
    """The operators open to an account, in the platform's categories: 66 to every user, more to consultants.

    Only those that can be evaluated are listed.
    """
    allowed = ("user",) if level == "user" else ("user", "consultant")
    found = [
        _info(name, word)
        for name, word in words("fastexpr").items()
        if not word.legacy and word.level in allowed
    ]
    return tuple(sorted(found, key=lambda info: (info.category, info.name)))


def _info(name: str, word: Word) -> OperatorInfo:
    return OperatorInfo(
        name=name,
        category=category_of(name),
        definition=word.platform_signature,
        description=word.meaning,
        documentation=word.example.text if word.example is not None else None,
        level="ALL" if word.level == "user" else None,
    )
