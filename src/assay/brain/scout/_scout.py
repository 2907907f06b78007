"""Ideas for what is hardly explored: a field, a hypothesis, and a first expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from assay.base import generator
from assay.brain._platform import Platform
from assay.brain._wire import DataFieldInfo
from assay.brain.agent.policies import Language
from assay.brain.agent.policies.sampler import FAMILIES, Family, Vocabulary, build, is_bookkeeping, worn
from assay.brain.scout._rank import Ranked, rank_data_sets, rank_fields, tried_fields
from assay.brain.search import StoredResult, fingerprint

IDEAS: Final = 10
MOST_SETS: Final = 8
"""Data sets whose fields are read: the most promising by themselves. A platform may have hundreds."""
PER_FIELD: Final = 2
_OPEN: Final = "field"
"""The family that any field has: what it tells by itself."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A hypothesis on a field with an expression that the platform would take and nobody here has tried."""

    field: str
    data_set: str
    family: str
    hypothesis: str
    expression: str


@dataclass(frozen=True, slots=True)
class ScoutReport:
    """Data sets and fields, the most promising first, and ideas on the best of the fields."""

    platform: str
    simulated: bool
    data_sets: tuple[Ranked, ...]
    fields: tuple[Ranked, ...]
    ideas: tuple[Idea, ...]


def scout(
    platform: Platform,
    stored: Sequence[StoredResult] = (),
    *,
    data_set: str | None = None,
    language: Language = "en",
    most: int = IDEAS,
) -> ScoutReport:
    """Rank a platform's data by coverage, by how few use it, and by how little of it was tried.

    No simulation is made, and no model asked.

    Parameters
    ----------
    stored : results of this platform so far.
    data_set : look at this one alone.
    most : ideas, at most.
    """
    data_sets = [info for info in platform.data_sets() if data_set in (None, info.id)]
    looked_at = [row.id for row in rank_data_sets(data_sets)][:MOST_SETS]
    fields = [
        info for name in looked_at for info in platform.data_fields(name) if not is_bookkeeping(info.id)
    ]
    tried = tried_fields(stored)
    ranked = rank_fields(fields, tried)
    shapes = {fingerprint(item.request.regular, "windows") for item in stored}
    ideas = islice(_ideas(ranked, _vocabulary(platform, fields), shapes, language), most)
    return ScoutReport(
        platform.name, platform.simulated, rank_data_sets(data_sets, fields, tried), ranked, tuple(ideas)
    )


def _ideas(
    ranked: Iterable[Ranked], vocabulary: Vocabulary, shapes: set[str], language: Language
) -> Iterator[Idea]:
    """At most two for each field, of families that speak of it; what has a tried structure is left out."""
    for row in ranked:
        found = 0
        for family, expression in _expressions(row, vocabulary):
            shape = fingerprint(expression, "windows")
            if shape in shapes:
                continue
            shapes.add(shape)
            hypothesis = family.hypothesis[language]
            yield Idea(row.id, row.data_set, family.name[language], hypothesis, expression)
            found += 1
            if found == PER_FIELD:
                break


def _expressions(row: Ranked, vocabulary: Vocabulary) -> Iterator[tuple[Family, str]]:
    own = Vocabulary(vocabulary.fields, vocabulary.operators, vocabulary.choices, frozenset({row.id}))
    for family in sorted(FAMILIES, key=lambda family: family.id == _OPEN):
        rng = generator(0, "brain", "scout", row.id, family.id)
        for built in islice(build(family, own, rng, named=(row.id,)), 1):
            yield family, worn(built.text, own, 1)


def _vocabulary(platform: Platform, fields: Sequence[DataFieldInfo]) -> Vocabulary:
    """The usual fields and groups of the platform with those that were looked at."""
    usual = Vocabulary.of(platform)
    known = {info.id: info for info in (*fields, *usual.fields)}
    return Vocabulary(tuple(known.values()), usual.operators, usual.choices)
