"""What a set of cases must not do: leak over its splits, pass extractions as gold, train on spoiled cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from assay.errors import DataError
from assay.reports._case import FactorCase
from assay.reports.documents import read_document

SHINGLE: Final = 5
"""Characters of a shingle, blanks left out: about two words of Chinese or one of English."""

NEAR_DUPLICATE: Final = 0.30
"""Share of common shingles (Jaccard) from which two reports count as one text."""

CONTAINED: Final = 0.60
"""Share of the shorter report's shingles from which it counts as an excerpt of the longer one."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """Two texts: ``jaccard`` of their shingles, and the share of the shorter one that stands in the other."""

    jaccard: float
    contained: float

    @property
    def near_duplicate(self) -> bool:
        """Whether they count as one text."""
        return self.jaccard >= NEAR_DUPLICATE or self.contained >= CONTAINED


def similarity(first: str, second: str) -> Similarity:
    """How much of two texts is the same, whatever its blanks and case."""
    return _compare(_shingles(first), _shingles(second))


def check_split(cases: Sequence[FactorCase]) -> None:
    """Stop hard where train and holdout know of each other.

    Raises
    ------
    DataError
        A case id stands twice, a group or a report is on both sides, or two reports on different sides are
        near-duplicates: Jaccard of character shingles of at least ``NEAR_DUPLICATE``, or ``CONTAINED`` of the
        shorter one found in the longer one. All of them are listed.
    """
    problems = [*_repeated_ids(cases), *_shared_groups(cases), *_shared_texts(cases)]
    if problems:
        raise DataError(
            "the splits leak:\n" + "\n".join(f"  {problem}" for problem in problems),
            where="split",
            fix="move whole groups to one side, and drop one of each two copies",
        )


def require_annotated(cases: Sequence[FactorCase]) -> None:
    """Let only what an annotator wrote from the text pass as gold.

    Raises
    ------
    DataError
        A case was extracted or injected, or does not say who annotated it.
    """
    bad = [f"{case.case_id} ({case.origin})" for case in cases if case.origin != "annotated"]
    nameless = [
        f"{case.case_id} (no annotator)"
        for case in cases
        if case.origin == "annotated" and not case.annotator.strip()
    ]
    if bad or nameless:
        raise DataError(
            f"not gold: {', '.join([*bad, *nameless])}",
            where="origin",
            fix="gold takes only what a named annotator wrote from the text",
        )


def require_trainable(cases: Iterable[FactorCase]) -> None:
    """Let only cases of the training side that no rule has spoiled become training rows.

    Raises
    ------
    DataError
        A case was injected, or is held out.
    """
    bad = [
        f"{case.case_id} ({'injected' if case.origin == 'injected' else 'holdout'})"
        for case in cases
        if case.origin == "injected" or case.split == "holdout"
    ]
    if bad:
        raise DataError(
            f"no training rows: {', '.join(bad)}",
            where="training",
            fix="leave injected and held-out cases out",
        )


def _repeated_ids(cases: Sequence[FactorCase]) -> list[str]:
    times = Counter(case.case_id for case in cases)
    return [f"the case {name} stands {count} times" for name, count in sorted(times.items()) if count > 1]


def _shared_groups(cases: Sequence[FactorCase]) -> list[str]:
    """Groups on both sides, by their id and by institution and series, whatever the id claims."""
    sides: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        sides[f"the group {case.group_id}"].add(case.split)
        sides[f"the series {case.institution} / {case.series}"].add(case.split)
    return [f"{name} is on both sides" for name, splits in sorted(sides.items()) if len(splits) > 1]


def _shared_texts(cases: Sequence[FactorCase]) -> list[str]:
    texts: dict[str, dict[str, frozenset[str]]] = {"train": {}, "holdout": {}}
    read: dict[bytes, frozenset[str]] = {}
    for case in cases:
        content = case.document.content()
        if content not in read:
            read[content] = _shingles(read_document(content, name=case.document.name).text)
        texts[case.split].setdefault(case.document.name, read[content])
    problems = []
    for (train, first), (holdout, second) in product(texts["train"].items(), texts["holdout"].items()):
        found = _compare(first, second)
        if found.near_duplicate:
            problems.append(
                f"{train} (train) and {holdout} (holdout) are near-duplicates: Jaccard {found.jaccard:.2f}, "
                f"{found.contained:.0%} of the shorter one in the other"
            )
    return problems


def _shingles(text: str) -> frozenset[str]:
    folded = "".join(text.lower().split())
    return frozenset(folded[at : at + SHINGLE] for at in range(max(1, len(folded) - SHINGLE + 1)))


def _compare(first: frozenset[str], second: frozenset[str]) -> Similarity:
    common = len(first & second)
    return Similarity(common / len(first | second), common / min(len(first), len(second)))
