"""The run of an evolution in a ledger: started, or taken up where it was broken off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.base import Operator
from assay.errors import AssayError, Refusal
from assay.evolve._evolve import ROLLOUT, Evolution, EvolveSearch, PolicyMaker, evolve
from assay.evolve._reasons import NOT_AN_EVOLUTION
from assay.evolve._rewarder import JudgeRewarder, Rewarder
from assay.evolve._search import DESK, PanelSearch, SearchFigures, SearchJudge
from assay.evolve._setup import EvolveSetup
from assay.expr import Expression
from assay.ledger import Ledger, Run
from assay.llm import ToolCall, read_calls
from assay.tools import (
    Caller,
    LedgerToolSink,
    Outcome,
    Registry,
    Tool,
    TrajectoryStore,
    calls_of_run,
    content_hash,
    ledger_sink,
)
from assay.tools.agent._recorded import ContinuedLedger, RecordedRegistry
from assay.tools.agent._run import Watch

if TYPE_CHECKING:
    from assay.judge import Reward

_BOOKKEEPING: Final = ("run_start", "run_resume", "run_stop")
SEED, SCORED = "seed", "scored"


def start_evolution(
    setup: EvolveSetup, ledger: Ledger, runs: Path, run_id: str, *, watch: Watch | None = None
) -> Evolution:
    """Start a run and let it come to its end.

    It is stopped as ``finished``; where a service or a budget of ``[llm]`` stops it, as ``stopped``, to be
    resumed; on any other error as ``failed``, which may be resumed too.

    Parameters
    ----------
    runs : the workspace's folder of runs; the episode lies in ``<run>/<spec id>/r0/``.
    watch : is told of each call of a tool, after it was recorded.

    Raises
    ------
    Refusal
        ``run_exists``; an exhausted budget of ``[llm]``; what :func:`assay.evolve.evolve` refuses.
    ProviderError
        The model's service failed.
    AssayError
        The id cannot name a run, or its folder holds something else.
    """
    folder = TrajectoryStore(runs, run_id).folder(setup.gated.spec_id, ROLLOUT)
    if folder.exists() and not ledger.run(run_id).was_started():
        raise AssayError(
            f"runs/{run_id} holds an episode that the ledger knows nothing of",
            where="run",
            fix="choose another id, or move the folder away",
        )
    inputs, operator = setup.inputs(), setup.operator()
    ledger.run(run_id).start(DESK, operator, config_hash(inputs), inputs)
    return _guarded(_Playing(setup, ledger, runs, run_id, operator, watch))


def resume_evolution(
    setup: EvolveSetup, ledger: Ledger, runs: Path, run_id: str, *, watch: Watch | None = None
) -> Evolution:
    """Let a run that was killed or stopped come to its end, as if it had not been.

    Replies and answers that are recorded are taken from the record: nothing is paid or tried twice. A run
    that was killed between the look at the score period and the record of what it said charges it again.

    Raises
    ------
    Refusal
        ``inputs_changed``, ``run_ended``, ``unknown_run``, ``not_an_evolution``.
    AssayError
        As :func:`start_evolution`; or the run would do something else than it did before.
    """
    inputs, operator = setup.inputs(), operator_of(ledger, run_id)
    ledger.run(run_id).resume(operator, config_hash(inputs), inputs)
    return _guarded(_Playing(setup, ledger, runs, run_id, operator, watch))


def operator_of(ledger: Ledger, run_id: str) -> Operator:
    """Who started an evolution.

    Raises
    ------
    Refusal
        ``unknown_run``, ``not_an_evolution``.
    """
    run = ledger.run(run_id)
    run.state()
    start = next(run.entries(kind="run_start")).body
    if start["desk"] != DESK:
        message = f"the run {run_id!r} is one of the desk {start['desk']!r}"
        raise Refusal(NOT_AN_EVOLUTION, message, where="run")
    return Operator.from_dict(start["operator"])


def config_hash(inputs: Mapping[str, str]) -> str:
    """The configuration of a run: all its inputs but the data."""
    return content_hash({name: value for name, value in inputs.items() if not name.startswith("data:")})


def _guarded(playing: _Playing) -> Evolution:
    with playing.ledger.run(playing.run_id).ending():
        return playing.play()


@dataclass
class _Playing:
    """One playing of a run's episode, from its first turn; what is recorded is not done again."""

    setup: EvolveSetup
    ledger: Ledger
    runs: Path
    run_id: str
    operator: Operator
    watch: Watch | None

    def play(self) -> Evolution:
        continued = ContinuedLedger.open(self.ledger.folder)
        entries = [e for e in continued.entries(run=self.run_id) if e.kind not in _BOOKKEEPING]
        continued.continue_run(self.run_id, entries)
        rounds = {str(e.body["outcome"]): e.body for e in entries if e.kind == "round"}
        run = continued.run(self.run_id)
        calls = list(read_calls([e.body for e in entries if e.kind == "llm_call"], continued))
        return play_evolution(
            self.setup,
            run,
            self.runs,
            operator=self.operator,
            policy=self.setup.policy(ledger_sink(run), calls, recorded=partial(calls_of_run, self.ledger)),
            rounds=rounds,
            registry=lambda tools: RecordedRegistry(tools, continued, guard=self.setup.view.guard),
            watch=self.watch,
        )


def play_evolution(
    setup: EvolveSetup,
    run: Run,
    runs: Path,
    *,
    operator: Operator,
    policy: PolicyMaker,
    rounds: Mapping[str, Mapping[str, Any]],
    registry: Callable[[tuple[Tool, ...]], Registry] | None = None,
    watch: Watch | None = None,
) -> Evolution:
    """The episode of a run, recorded and stored; ``rounds`` are those that the run has recorded."""
    noted = _Rounds(run, dict(rounds))
    judge = PanelSearch(setup.view, setup.judging, ledger=run.ledger)
    rewarder = JudgeRewarder(setup.panel, setup.plan, setup.judging, run.ledger, setup.own.looks)
    return evolve(
        setup.gated,
        search=EvolveSearch(_SeedOnce(judge, noted), setup.panel.fields, setup.view.guard, registry),
        rewarder=_RewardOnce(rewarder, noted),
        policy=policy,
        caller=Caller(operator, run.id),
        budget=setup.budget,
        store=TrajectoryStore(runs, run.id),
        sink=_Watched(LedgerToolSink(run.ledger, run.id), watch),
        calls=setup.calls,
    )


@dataclass
class _Rounds:
    """Rounds that a run has recorded, by what they are about: the seed's figures, the delta."""

    run: Run
    known: dict[str, Mapping[str, Any]]

    def note(self, number: int, outcome: str, values: Mapping[str, Any]) -> None:
        """Record a round."""
        self.run.append("round", {"number": number, "outcome": outcome, **values})
        self.known[outcome] = values


@dataclass
class _SeedOnce:
    """A search judge whose first formula, the seed, is judged once in a run."""

    judge: SearchJudge
    rounds: _Rounds
    begun: bool = False

    def evaluate(self, expression: Expression, caller: Caller) -> SearchFigures:
        """See :class:`SearchJudge`."""
        if self.begun:
            return self.judge.evaluate(expression, caller)
        self.begun = True
        if SEED in self.rounds.known:
            return SearchFigures(**self.rounds.known[SEED]["figures"])
        figures = self.judge.evaluate(expression, caller)
        self.rounds.note(0, SEED, {"figures": figures.as_dict()})
        return figures


@dataclass(frozen=True)
class _RewardOnce:
    """A rewarder that reads the score period once in a run."""

    rewarder: Rewarder
    rounds: _Rounds

    def reward(self, candidate: Expression, seed: Expression, caller: Caller) -> Reward:
        """See :class:`Rewarder`."""
        if SCORED in self.rounds.known:
            from assay.judge import Reward

            body = self.rounds.known[SCORED]
            return Reward(body["delta"], body["floor"])
        found = self.rewarder.reward(candidate, seed, caller)
        self.rounds.note(1, SCORED, {"delta": found.value, "floor": found.floor_reason})
        return found


@dataclass(frozen=True)
class _Watched:
    sink: LedgerToolSink
    watch: Watch | None

    def record(self, step: int, call: ToolCall, outcome: Outcome, caller: Caller) -> None:
        """Record first, then tell."""
        self.sink.record(step, call, outcome, caller)
        if self.watch is not None:
            self.watch(step, call, outcome)
