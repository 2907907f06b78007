from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from assay.base import did_you_mean, json_hash
from assay.errors import AssayError, ConfigProblems, Problem, Refusal
from assay.features._feature import NAME, TIERS, Base, Feature, Formula, Label
from assay.features._reasons import UNKNOWN_FEATURE

MAX_LEVELS = 50
"""Features one upon the other, at most: values are computed from the top down."""


class FeatureProblems(ConfigProblems):
    """Features that cannot stand in one graph, all problems at once."""

    kind = "features"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems, where="features")
        self.fix = "mend the listed features"


class FeatureGraph(Mapping[str, Feature]):
    """Named features whose deps lead to no cycle, by name, each after its deps.

    The features in it have the lag and the licence tier that follow from their deps.

    Raises
    ------
    FeatureProblems
        A name is used twice or malformed; a dep is unknown; deps lead in a circle; a feature that is no label
        depends on a label; a lag is below 0, or shorter than a label reaches; a formula reads what is not
        among its deps; a function cannot be told apart from another; a feature stands on 50 levels of
        others. All of them at once.
    """

    def __init__(self, features: Iterable[Feature]) -> None:
        listed = tuple(features)
        self._features = _resolved(listed)
        self._hashes = self._all_hashes()

    def __getitem__(self, name: str) -> Feature:
        return self._features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def get_feature(self, name: str) -> Feature:
        """The feature of this name.

        Raises
        ------
        Refusal
            ``unknown_feature``.
        """
        found = self._features.get(name)
        if found is None:
            near = did_you_mean(name, self._features)
            raise Refusal(
                UNKNOWN_FEATURE,
                "there is no feature of this name",
                where="feature",
                fix=f"did you mean {', '.join(near)}?" if near else None,
                details={"did_you_mean": list(near)},
            )
        return found

    def hash(self, name: str) -> str:
        """SHA-256 over a feature's definition and the hashes of its deps: equal content, equal hash.

        Its name, words, namespace and licence are no part of the content.
        """
        return self._hashes[self.get_feature(name).name]

    def needed(self, names: Iterable[str]) -> tuple[str, ...]:
        """These features and all that they depend on, deps first."""
        wanted: set[str] = set()
        stack = [self.get_feature(name).name for name in names]
        while stack:
            name = stack.pop()
            if name not in wanted:
                wanted.add(name)
                stack.extend(self._features[name].deps)
        return tuple(name for name in self._features if name in wanted)

    def extended(self, features: Iterable[Feature]) -> FeatureGraph:
        """A graph with further features."""
        return FeatureGraph((*self._features.values(), *features))

    def _all_hashes(self) -> dict[str, str]:
        hashes: dict[str, str] = {}
        problems: list[Problem] = []
        for name, feature in self._features.items():
            try:
                definition = feature.rule.definition()
            except AssayError as error:
                problems.append(Problem(name, error.message, error.fix or ""))
                continue
            content = {
                "rule": definition,
                "lag": feature.lag,
                "is_label": feature.is_label,
                "deps": [hashes.get(dep, "") for dep in feature.deps],
            }
            hashes[name] = json_hash(content)
        if problems:
            raise FeatureProblems(problems)
        return hashes


def _resolved(listed: Sequence[Feature]) -> dict[str, Feature]:
    by_name = {feature.name: feature for feature in listed}
    problems = [*_doubles(listed)]
    for feature in listed:
        problems += _own_problems(feature)
        problems += _dep_problems(feature, by_name)
    order = _order(by_name, problems)
    problems += _level_problems(order, by_name)
    if problems:
        raise FeatureProblems(problems)
    done: dict[str, Feature] = {}
    for name in order:
        feature = by_name[name]
        deps = [done[dep] for dep in feature.deps]
        done[name] = replace(
            feature,
            lag=max([feature.lag, *(dep.lag for dep in deps)]),
            license_tier=TIERS[max(TIERS.index(each.license_tier) for each in (feature, *deps))],
        )
    return done


def _doubles(listed: Sequence[Feature]) -> Iterator[Problem]:
    seen: set[str] = set()
    for feature in listed:
        if feature.name in seen:
            yield Problem(feature.name, "two features have this name", "rename or leave out one")
        seen.add(feature.name)


def _own_problems(feature: Feature) -> Iterator[Problem]:
    where = feature.name
    if not NAME.fullmatch(feature.name):
        yield Problem(
            repr(feature.name)[:80], "is no name of a feature", "use letters, digits, _, . and -, at most 64"
        )
    if feature.namespace and not NAME.fullmatch(feature.namespace):
        yield Problem(
            where, f"its namespace is {feature.namespace[:80]!r}", "use letters, digits, _, . and -"
        )
    if feature.license_tier not in TIERS:
        yield Problem(where, f"its licence tier is {feature.license_tier!r}", f"use {', '.join(TIERS)}")
    if feature.lag < 0:
        yield Problem(
            where, f"its lag is {feature.lag}", "a value cannot be known before its bar: give 0 or more"
        )
    rule = feature.rule
    if isinstance(rule, Base) and feature.deps:
        yield Problem(where, "is a field and has deps", "leave the deps out")
    if isinstance(rule, Label):
        if rule.horizon < 1:
            yield Problem(where, f"its horizon is {rule.horizon}", "give at least 1 bar")
        if not feature.is_label:
            yield Problem(where, "says what followed and is not marked as a label", "set is_label")
        if 0 <= feature.lag < rule.lag:
            yield Problem(
                where,
                f"its lag is {feature.lag}, and it reaches {rule.lag} bars ahead",
                f"give {rule.lag} or more",
            )


def _dep_problems(feature: Feature, by_name: Mapping[str, Feature]) -> Iterator[Problem]:
    where = feature.name
    for dep in dict.fromkeys(feature.deps):
        found = by_name.get(dep)
        if found is None:
            near = did_you_mean(dep, by_name)
            yield Problem(
                where, f"depends on {dep!r}, which is unknown", f"did you mean {near[0]}?" if near else ""
            )
        elif found.is_label and not feature.is_label:
            yield Problem(
                where, f"is no label and depends on the label {dep!r}", "leave it out, or mark a label"
            )
    rule = feature.rule
    if isinstance(rule, Formula):
        hidden = [name for name in rule.expression.fields if name in by_name and name not in feature.deps]
        for name in hidden:
            yield Problem(
                where, f"reads {name!r}, which is not among its deps", "make it with formula_feature"
            )


def _level_problems(order: Iterable[str], by_name: Mapping[str, Feature]) -> Iterator[Problem]:
    levels: dict[str, int] = {}
    for name in order:
        levels[name] = 1 + max((levels.get(dep, 0) for dep in by_name[name].deps), default=0)
        if levels[name] == MAX_LEVELS + 1:
            yield Problem(name, f"stands on {MAX_LEVELS} levels of features", "write some formulas out")


def _order(by_name: Mapping[str, Feature], problems: list[Problem]) -> tuple[str, ...]:
    """Names with deps first; each circle becomes a problem."""
    edges = {name: [dep for dep in item.deps if dep in by_name] for name, item in by_name.items()}
    while True:
        try:
            return tuple(TopologicalSorter(edges).static_order())
        except CycleError as error:
            circle: list[str] = error.args[1][::-1]
            problems.append(Problem(circle[0], f"depends on itself: {' -> '.join(circle)}", "cut the circle"))
            edges[circle[0]] = [dep for dep in edges[circle[0]] if dep != circle[1]]
