"""What the trial graph says: fitness of trials, niches of behaviour, records of forms and parents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from assay.campaign._types import History, TrialRecord
from assay.campaign.sampler._space import FieldClass, SamplerSpace
from assay.errors import Refusal
from assay.expr import Expression, fields_of, parse

FIRM_T: Final = 2.0
"""Absolute t of a trial that speaks for its form though it was not admitted."""
_SIZE_COST: Final = 0.0002
_FREE_SIZE: Final = 8
_TURNOVER_COST: Final = 0.0001
_RAW_SHARE: Final = 0.5
_LOOKBACKS: Final = (5, 20, 60, 120)
_TURNOVERS: Final = (10.0, 25.0)
_ALIKE: Final = ("value_corr", "ic_corr", "residual_ic")
_COVERAGE: Final = "coverage"
_THIN_TRIES: Final = 5
_FORM: Final = re.compile(r"`([^`]+)`")


class Niche(NamedTuple):
    """A kind of behaviour: what a factor reads, how far back, how fast its book turns over (-1: unknown)."""

    classes: tuple[FieldClass, ...]
    lookback: int
    turnover: int


@dataclass(frozen=True, slots=True)
class Elite:
    """A scored trial with its formula."""

    trial: TrialRecord
    expression: Expression
    niche: Niche
    fitness: float


@dataclass(frozen=True, slots=True)
class Tally:
    """How often something was tried, and how often it came to something."""

    wins: float = 0.0
    tries: int = 0

    def more(self, won: float) -> Tally:
        """With one more try."""
        return Tally(self.wins + won, self.tries + 1)


@dataclass(frozen=True)
class Archive:
    """The best trial of each niche, and how forms and parents did.

    Parameters
    ----------
    scored : all scored trials by id, in the order of the history.
    elites : by niche; of equal fitness the earlier trial stays.
    forms : tally by mechanism and form, of new directions.
    children : tally by parent: a child wins when its fitness exceeds the parent's.
    thin : fields that are known for too few names: every scored formula with one failed for coverage.
    tried : signatures of all formulas that were proposed; see :attr:`Expression.signature`.
    """

    scored: Mapping[str, Elite]
    elites: Mapping[Niche, Elite]
    forms: Mapping[tuple[str, str], Tally]
    children: Mapping[str, Tally]
    tried: frozenset[str]
    thin: frozenset[str] = frozenset()


@dataclass
class Reader:
    """Makes the archive of a history; keeps what it read of formulas, which a text alone decides."""

    space: SamplerSpace
    _read: dict[str, Expression | None] = field(default_factory=dict)

    def archive(self, history: History) -> Archive:
        """A pure function of the history."""
        scored: dict[str, Elite] = {}
        elites: dict[Niche, Elite] = {}
        forms: dict[tuple[str, str], Tally] = {}
        children: dict[str, Tally] = {}
        for trial in history.trials:
            elite = self.elite(trial)
            if elite is not None:
                scored[trial.id] = elite
                best = elites.get(elite.niche)
                if best is None or elite.fitness > best.fitness:
                    elites[elite.niche] = elite
            form = form_of(trial.direction.text) if trial.direction.kind == "new" else None
            if form is not None:
                key = (trial.mechanism, form)
                forms[key] = forms.get(key, Tally()).more(worth(trial))
            if trial.parent is not None:
                won = elite is not None and _better(elite, scored.get(trial.parent))
                children[trial.parent] = children.get(trial.parent, Tally()).more(float(won))
        texts = [trial.candidate.expression for trial in history.trials if trial.candidate is not None]
        read = [self.expression(text) for text in texts]
        tried = frozenset(one.signature for one in read if one is not None)
        return Archive(scored, elites, forms, children, tried, _thin(scored.values()))

    def elite(self, trial: TrialRecord) -> Elite | None:
        """A trial in its niche; None for one without figures or with a formula of another space."""
        if not trial.evaluated or trial.candidate is None:
            return None
        expression = self.expression(trial.candidate.expression)
        if expression is None:
            return None
        niche = Niche(
            tuple(sorted(self.space.classes_of(expression.node))),
            _bucket(expression.lookback, _LOOKBACKS),
            _bucket(trial.figures.get("turnover"), _TURNOVERS),
        )
        return Elite(trial, expression, niche, fitness(trial, expression.size))

    def expression(self, text: str) -> Expression | None:
        """The formula of a text; None where this space cannot read it."""
        if text not in self._read:
            try:
                self._read[text] = parse(text, "core", fields=self.space.fields, limits=self.space.limits)
            except Refusal:
                self._read[text] = None
        return self._read[text]


def fitness(trial: TrialRecord, size: int) -> float:
    """What parents are chosen by: neutral RankIC and its worst fold, halved, less size and turnover.

    All figures are of the training segment. A factor whose neutral RankIC is not defined, as that of a style,
    counts with half its raw one. ``worst_fold`` is taken where the judge gives it, with the sign of the mean.
    """
    figures = trial.figures
    neutral, raw = figures.get("neutral_rank_ic"), figures.get("rank_ic")
    strength = abs(neutral) if neutral is not None else _RAW_SHARE * abs(raw or 0.0)
    worst = figures.get("worst_fold")
    if worst is not None:
        strength = (strength + max(worst, 0.0)) / 2
    turnover = figures.get("turnover") or 0.0
    return strength - _SIZE_COST * max(0, size - _FREE_SIZE) - _TURNOVER_COST * turnover


def worth(trial: TrialRecord) -> float:
    """What a trial says for its form: 1 admitted; a half if firm and unlike the pool; else 0."""
    if trial.admitted:
        return 1.0
    t = trial.figures.get("t")
    firm = trial.evaluated and t is not None and abs(t) >= FIRM_T
    return 0.5 if firm and not alike(trial) else 0.0


def alike(trial: TrialRecord) -> bool:
    """Whether admission refused it for being like a factor of the pool."""
    return trial.outcome == "rejected" and trial.reason.endswith(_ALIKE)


def form_of(text: str) -> str | None:
    """The form that a direction's text names between backticks."""
    found = _FORM.search(text)
    return None if found is None else found.group(1)


def _thin(scored: Iterable[Elite]) -> frozenset[str]:
    tries: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for elite in scored:
        names = fields_of(elite.expression.node)
        tries.update(names)
        if elite.trial.reason.endswith(_COVERAGE):
            failed.update(names)
    return frozenset(name for name, count in tries.items() if count >= _THIN_TRIES and failed[name] == count)


def _better(child: Elite, parent: Elite | None) -> bool:
    return parent is not None and child.fitness > parent.fitness and not alike(child.trial)


def _bucket(value: float | None, edges: Sequence[float]) -> int:
    return -1 if value is None else sum(value > edge for edge in edges)
