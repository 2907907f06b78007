"""One episode: a policy changes the formula of a gated spec, and score is read once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from assay.base import Clock
from assay.errors import Refusal
from assay.evolve._candidate import Candidate, CandidateArguments, merge
from assay.evolve._notes import EVALUATE, Evaluated, Notes, NotingSink
from assay.evolve._prompt import evolution_prompt
from assay.evolve._reasons import NOT_GATED
from assay.evolve._rewarder import Rewarder
from assay.evolve._rewards import MINIMUM_DELTA, Graded, Hidden, grade
from assay.evolve._search import DESK, SearchFigures, SearchJudge
from assay.evolve._terms import FROZEN, Terms
from assay.evolve._tools import EVALUATIONS, evolve_tools
from assay.expr import FieldInfo
from assay.llm import ToolSpec
from assay.spec import FactorSpec, GatedSpec
from assay.tools import (
    Audit,
    Budget,
    Caller,
    DateGuard,
    Policy,
    Registry,
    Score,
    Task,
    Tool,
    Toolbox,
    ToolSink,
    Trajectory,
    TrajectoryStore,
    run_episode,
)

STEPS: Final = 12
"""Turns of an episode, at most."""
ROLLOUT: Final = "r0"
UNREADABLE: Final = ("look_budget_exhausted", "unknown_period", "score_unavailable")
"""Reasons for which the score period stays shut; the episode is kept without a reward."""

PolicyMaker = Callable[[Terms, SearchFigures], Policy]
"""Makes the policy of an episode from the seed and its figures on search."""


@dataclass(frozen=True)
class EvolveSearch:
    """What an episode may see.

    Parameters
    ----------
    judge : judges formulas on the search period.
    fields : the fields of the data; by default the standard ones.
    guard : lets pass the dates that the view of the data shows.
    registry : makes the registry of the tools, where a run answers recorded calls from its record.
    """

    judge: SearchJudge
    fields: Mapping[str, FieldInfo] | None = None
    guard: DateGuard | None = None
    registry: Callable[[tuple[Tool, ...]], Registry] | None = None

    def made(self, tools: tuple[Tool, ...]) -> Registry:
        """The registry of an episode's tools."""
        return Registry(tools, guard=self.guard) if self.registry is None else self.registry(tools)


@dataclass(frozen=True)
class Evolution:
    """What an episode came to.

    Parameters
    ----------
    best : the winner as a spec; None where no backtest of anything but the seed gave a figure. It is the
        best *change*, by its IR on search; ``improved`` says whether it beats the seed there.
    delta : after-cost IR of the winner minus that of the baseline on the score period, clipped to [-1, 1] and
        rounded to 0.05; -1 without a winner, or where it fails a control. None where the period could not be
        read, which ``unscored`` explains by a reason.
    reward : in [0, 1], after the caps; None with ``delta``.
    subscores, caps : the parts, and the caps that hold with their reasons.
    seed, candidates : figures on the search period.
    """

    best: FactorSpec | None
    delta: float | None
    reward: float | None
    subscores: Mapping[str, float]
    caps: Mapping[str, str]
    seed: SearchFigures
    candidates: tuple[Evaluated, ...]
    trajectory: Trajectory
    unscored: str | None = None

    @property
    def audit(self) -> Audit:
        """Counts of what the calls came to."""
        return self.trajectory.audit

    @property
    def improved(self) -> bool:
        """Whether the winner's IR on search is above the seed's."""
        best = self.winner
        if best is None or best.figures.ir is None:
            return False
        return self.seed.ir is None or best.figures.ir > self.seed.ir

    @property
    def winner(self) -> Evaluated | None:
        """The winner with its figures on search."""
        return Notes(evaluated=list(self.candidates)).best


def evolve(
    gated: GatedSpec,
    *,
    search: EvolveSearch,
    rewarder: Rewarder,
    policy: PolicyMaker,
    caller: Caller,
    budget: Budget | None = None,
    store: TrajectoryStore | None = None,
    sink: ToolSink | None = None,
    rollout: str = ROLLOUT,
    calls: Literal["native", "json"] = "native",
    clock: Clock | None = None,
) -> Evolution:
    """Let a policy improve the formula of a gated spec.

    The seed is evaluated on the search period first (a trial). The policy works with the two tools of this
    desk; what is fixed of the spec stays as the report has it. Of the candidates the one with the highest IR
    on search is the winner, and the score period is read for it alone, once, after the last turn; without a
    winner it is not read. Whatever ``budget`` says, there are at most 12 turns and 4 evaluations.

    Parameters
    ----------
    search : what the policy may see; nothing of it reaches beyond the search period.
    rewarder : reads the score period.
    policy : made for the seed; :func:`assay.evolve.sampler`, or an :class:`~assay.tools.LlmPolicy`.
    caller : in whose name trials and the look are recorded.
    store, sink : where the episode and its calls are recorded.
    calls : how the policy calls tools; see :class:`~assay.tools.LlmPolicy`.

    Raises
    ------
    Refusal
        ``not_gated``: the spec did not pass the extraction gate; ``seed_not_usable``; the judge refuses the
        seed.
    ProviderError
        The policy's service failed; nothing is stored.
    """
    terms = Terms.of(require_gated(gated), search.fields)
    seed = search.judge.evaluate(terms.traded, caller)
    notes = Notes()
    episode = _Episode(terms, seed, notes, rewarder, caller)
    toolbox = Toolbox(
        search.made(evolve_tools(terms, search.judge, notes, seed)),
        caller,
        one_call_per_step=True,
        limits={EVALUATE: EVALUATIONS},
        frozen=terms.frozen,
    )
    limits = bounded(budget)
    trajectory = run_episode(
        policy(terms, seed),
        toolbox,
        budget=limits,
        task=Task(
            DESK,
            gated.spec_id,
            evolution_prompt(terms, seed, toolbox.specs(), limits, calls=calls),
            rollout,
            score=episode.score,
        ),
        store=store,
        sink=NotingSink(notes, sink),
        clock=clock,
    )
    return episode.evolution(trajectory)


def require_gated(gated: object) -> GatedSpec:
    """The gated spec, its verdict looked at again.

    Raises
    ------
    Refusal
        ``not_gated``: it is something else, such as a spec that was injected; ``spec_not_admitted``.
    """
    if not isinstance(gated, GatedSpec):
        raise Refusal(NOT_GATED, f"this is a {type(gated).__name__}, not a gated spec", where="spec")
    return GatedSpec.of(gated.gate)


def bounded(budget: Budget | None) -> Budget:
    """The budget within the bounds of this desk."""
    asked = budget or Budget(turns=STEPS)
    return replace(asked, turns=min(asked.turns, STEPS))


def described_tools() -> tuple[Tool, ...]:
    """The tools as they are declared, with no episode behind them: for the reference page."""
    return evolve_tools(None, _Nobody(), Notes(), _UNKNOWN)


def evolve_specs() -> tuple[ToolSpec, ...]:
    """The tools as a policy is told of them."""
    listed = sorted(described_tools(), key=lambda tool: tool.id)
    return tuple(ToolSpec(tool.id, tool.summary, tool.input_schema) for tool in listed)


_UNKNOWN = SearchFigures(None, None, None, None, None, None, None, None, days=0)


class _Nobody:
    """A judge for tools that are described and never called."""

    def evaluate(self, expression: object, caller: Caller) -> SearchFigures:
        raise AssertionError("a description evaluates nothing")


@dataclass
class _Episode:
    terms: Terms
    seed: SearchFigures
    notes: Notes
    rewarder: Rewarder
    caller: Caller
    unscored: str | None = None
    hidden: Hidden | None = None
    graded: Graded | None = None
    _winner: Candidate | None = field(default=None)

    def score(self, trajectory: Trajectory) -> Score:
        """The reward of the finished trajectory: the one place from which the score period is read."""
        self._winner = self._best()
        self.hidden = self._hidden()
        if self.hidden is not None:
            winner = None if self._winner is None else self._winner.traded.node
            self.graded = grade(
                self.notes, trajectory.audit, self.hidden, seed=self.terms.traded.node, winner=winner
            )
        graded = self.graded
        return Score(
            reward=None if graded is None else graded.reward,
            raw=None if graded is None else graded.raw,
            active_caps=() if graded is None else tuple(graded.caps),
            parts={} if graded is None else {str(k): v for k, v in graded.subscores.items()},
            details=self._details(),
        )

    def evolution(self, trajectory: Trajectory) -> Evolution:
        """What is told of the episode."""
        graded = self.graded
        return Evolution(
            best=None if self._winner is None else self._winner.spec,
            delta=None if self.hidden is None else self.hidden.delta,
            reward=None if graded is None else graded.reward,
            subscores={} if graded is None else {str(k): v for k, v in graded.subscores.items()},
            caps={} if graded is None else {str(k): v for k, v in graded.caps.items()},
            seed=self.seed,
            candidates=tuple(self.notes.evaluated),
            trajectory=trajectory,
            unscored=self.unscored,
        )

    def _best(self) -> Candidate | None:
        best = self.notes.best
        if best is None:
            return None
        found = merge(self.terms, CandidateArguments(factor_expr=best.formula, factor_name=best.name))
        assert isinstance(found, Candidate)  # it was evaluated
        return found

    def _hidden(self) -> Hidden | None:
        if self._winner is None:
            return Hidden(MINIMUM_DELTA, passed=False)
        try:
            found = self.rewarder.reward(self._winner.traded, self.terms.traded, self.caller)
        except Refusal as refusal:
            if refusal.reason.code not in UNREADABLE:
                raise  # it may be tried again: a ledger that is busy
            self.unscored = refusal.reason.code
            return None
        return Hidden(found.value, passed=found.floor_reason is None)

    def _details(self) -> dict[str, Any]:
        gated, winner = self.terms.gated, self._winner
        return {
            "spec_id": gated.spec_id,
            "spec_hash": gated.hash,
            "verdict_hash": gated.verdict_hash,
            "direction": gated.direction,
            "frozen": {name: self.terms.frozen[name] for name in FROZEN},
            "seed": {"formula": gated.spec.expr, "figures": self.seed.as_dict()},
            "best": None if winner is None else winner.spec.model_dump(mode="json"),
            "candidates": [item.as_dict() for item in self.notes.evaluated],
            "delta": None if self.hidden is None else self.hidden.delta,
            "unscored": self.unscored,
            "cap_reasons": {} if self.graded is None else dict(self.graded.caps),
        }
