"""A run played again from its record, in a folder of its own, and held against what it left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assay.base import Operator, atomic_write, new_folder
from assay.config import LlmLimits
from assay.errors import AssayError
from assay.ledger import Ledger
from assay.llm import ReplayProvider, read_calls
from assay.tools._policy import Action, EpisodeState, Policy
from assay.tools._record import ledger_sink
from assay.tools._store import TrajectoryStore
from assay.tools.agent._compared import Replayed, compared
from assay.tools.agent._following import FaithfulSink, FollowingLedger
from assay.tools.agent._request import start_of
from assay.tools.agent._run import CASE, ROLLOUT, bench_of, play_episode, policy_of, take_up
from assay.tools.agent._setup import AgentSetup
from assay.tools.builtin import builtin_registry


def replay_run(setup: AgentSetup, ledger: Ledger, runs: Path, run_id: str, to: Path) -> Replayed:
    """Play a finished run again: replies come from its record, the tools do their work anew.

    They do it on a copy of the ledger as it stood when the run began, into which the records that others
    added meanwhile come at their places; the ledger of the workspace is only read. The new folder ``to`` gets
    that ``ledger/``, the canonical export ``export.jsonl`` and the run's folder below ``runs/``.

    Raises
    ------
    Refusal
        ``inputs_changed``: data, settings, tools or prompt are not those of the run; ``unknown_run``,
        ``not_an_agent_run``.
    AssayError
        The run has not finished, or ``to`` exists already.
    ReplayMiss
        The run would ask a model something that it did not ask.
    """
    start = start_of(ledger, run_id)
    state = ledger.run(run_id).state()
    if state.stopped != "finished":
        raise AssayError(
            f"the run {run_id!r} has not finished", where="run", fix=f"first: assay agent resume {run_id}"
        )
    inputs, operator = setup.inputs(start["inputs"]["request"]), Operator.from_dict(start["operator"])
    with new_folder(to) as staged:
        copy = FollowingLedger.at_start(ledger, run_id, staged / "ledger")
        take_up(copy.run(run_id), operator, inputs)
        _play(setup, ledger, copy, runs, staged / "runs", run_id, operator)
        copy.run(run_id).stop("finished")
        again = copy.export(run_id)
        atomic_write(staged / "export.jsonl", again)
        folders = (runs / run_id, staged / "runs" / run_id)
        return compared(run_id, exports=(ledger.export(run_id), again), folders=folders)


def _play(
    setup: AgentSetup, source: Ledger, copy: Ledger, runs: Path, to: Path, run_id: str, operator: Operator
) -> None:
    run = copy.run(run_id)
    calls = list(read_calls([e.body for e in source.run(run_id).entries(kind="llm_call")], source))
    # what was paid is paid: no limit may stop what has been
    setup = replace(setup, llm=replace(setup.llm, limits=LlmLimits()))
    policy = policy_of(setup, FaithfulSink(ledger_sink(run), calls), replay=ReplayProvider(calls))
    counted = _Counted(policy)
    play_episode(
        setup,
        run,
        to,
        registry=builtin_registry(bench_of(setup, copy)),
        policy=counted,
        operator=operator,
        clock=_TurnClock(counted, _turns_in_time(runs, run_id)),
    )


def _turns_in_time(runs: Path, run_id: str) -> int | None:
    """After how many turns the run's time was up; None where that did not end it."""
    stored = TrajectoryStore(runs, run_id).load(CASE, ROLLOUT).trajectory
    return int(stored["spent"]["turns"]) if stored["stop"] == "seconds" else None


class _Counted:
    """A policy that counts its turns."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.turns = 0

    @property
    def name(self) -> str:
        return self._policy.name

    def act(self, state: EpisodeState) -> Action:
        action = self._policy.act(state)
        self.turns += 1
        return action


@dataclass(frozen=True)
class _TurnClock:
    """A clock that stands until the turn after which the run's time was up."""

    policy: _Counted
    last: int | None

    def now(self) -> datetime:
        past = self.last is not None and self.policy.turns >= self.last
        return datetime(2000, 1, 1, tzinfo=UTC) + timedelta(days=36_500 if past else 0)
