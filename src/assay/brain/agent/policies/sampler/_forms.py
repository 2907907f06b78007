"""From families to expressions that the platform takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay.brain._wire import DataFieldInfo
from assay.brain.agent.policies.sampler._families import WINDOWS, Family
from assay.brain.agent.policies.sampler._vocabulary import Vocabulary

_PRODUCT: Final = re.compile(r"(\d+) \* 2\b")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_FIELDS: Final = 6


@dataclass(frozen=True, slots=True)
class Built:
    """An expression and the family that it belongs to."""

    family: Family
    text: str


def build(
    family: Family,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
    *,
    named: Sequence[str] = (),
    usual: bool = True,
) -> Iterator[Built]:
    """The raw expressions of a family that the platform takes, the likeliest first.

    Parameters
    ----------
    named : fields to prefer where a form leaves the field open.
    usual : with the usual windows; else they are drawn, and so is the order.
    """
    forms = list(family.forms)
    if not usual:
        forms = [forms[place] for place in rng.permutation(len(forms))]
    for form in forms:
        windows = {
            name: sizes[0] if usual else sizes[int(rng.integers(len(sizes)))]
            for name, sizes in WINDOWS.items()
        }
        sized = form.format(**windows, field="{field}", vector="{vector}")
        sized = _PRODUCT.sub(lambda hit: str(int(hit[1]) * 2), sized)
        for filled in _with_field(sized, family, vocabulary, rng, named, usual):
            if _uses_required(filled, vocabulary) and vocabulary.takes(filled):
                yield Built(family, filled)


def worn(text: str, vocabulary: Vocabulary, choice: int) -> str:
    """The raw expression made comparable across names: ranked, or ranked within groups."""
    group = vocabulary.group
    shapes = ["rank({x})"]
    if group is not None:
        shapes += [f"group_rank({{x}}, {group})", f"group_neutralize(rank({{x}}), {group})"]
    shape = shapes[choice % len(shapes)].format(x=text)
    return shape if vocabulary.takes(shape) else text


def combined(texts: Sequence[str]) -> str:
    """The sum of ranks: each counts alike, whatever its scale."""
    return " + ".join(f"rank({text})" if not _is_ranked(text) else text for text in texts)


def _is_ranked(text: str) -> bool:
    """Whether the whole is one call of ``rank``."""
    if not text.startswith("rank("):
        return False
    depth = 0
    for place, mark in enumerate(text):
        depth += (mark == "(") - (mark == ")")
        if mark == ")" and depth == 0:
            return place == len(text) - 1
    return False


def _with_field(
    form: str,
    family: Family,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
    named: Sequence[str],
    usual: bool,
) -> Iterator[str]:
    if "{field}" in form:
        fields = [info for info in vocabulary.numbers if _is_kind(info, family)]
    elif "{vector}" in form:
        fields = list(vocabulary.vectors)
    else:
        yield form
        return
    if not usual:
        fields = [fields[place] for place in rng.permutation(len(fields))]
    for info in sorted(fields, key=lambda info: info.id not in named)[:_MOST_FIELDS]:
        yield form.replace("{field}", info.id).replace("{vector}", info.id)


def _is_kind(info: DataFieldInfo, family: Family) -> bool:
    said = f"{info.id} {info.description}".lower()
    return not family.kinds or any(word in said for word in family.kinds)


def _uses_required(text: str, vocabulary: Vocabulary) -> bool:
    return not vocabulary.required or bool(vocabulary.required & set(_WORD.findall(text)))
