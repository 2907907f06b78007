"""The run of an agent in a ledger: started, or taken up where it was broken off."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assay.base import Operator
from assay.errors import AssayError, Refusal
from assay.ledger import INPUTS_CHANGED, Ledger, Run
from assay.llm import (
    CallRecord,
    CallSink,
    ReplayProvider,
    Reply,
    Roles,
    ScriptedProvider,
    ToolCall,
    read_calls,
)
from assay.tools._loop import Task, run_episode
from assay.tools._outcome import Outcome
from assay.tools._policy import LlmPolicy, Policy
from assay.tools._record import LedgerToolSink, calls_of_run, ledger_sink
from assay.tools._registry import Registry
from assay.tools._store import TrajectoryStore
from assay.tools._tool import Caller
from assay.tools._toolbox import Toolbox
from assay.tools._trajectory import Trajectory, content_hash
from assay.tools.agent._explorer import explorer
from assay.tools.agent._recorded import ContinuedLedger, RecordedRegistry
from assay.tools.agent._request import DESK, start_of
from assay.tools.agent._setup import AgentSetup
from assay.tools.builtin import Workbench, builtin_tools

CASE, ROLLOUT = "idea", "r0"
BOOKKEEPING = ("run_start", "run_resume", "run_stop")

Watch = Callable[[int, ToolCall, Outcome], None]
"""Is told of each call of a tool, after it was recorded: turn, call, outcome."""


def start_run(
    setup: AgentSetup, ledger: Ledger, runs: Path, run_id: str, *, watch: Watch | None = None
) -> Trajectory:
    """Start a run and let it come to its end.

    The run is stopped as ``finished``; where a service or a budget of ``[llm]`` stops it, as ``stopped``, to
    be resumed; on any other error as ``failed``, which may be resumed too.

    Parameters
    ----------
    runs : the workspace's folder of runs.

    Raises
    ------
    Refusal
        ``run_exists``; an exhausted budget of ``[llm]``.
    ProviderError
        The model's service failed.
    AssayError
        The id cannot name a run, or its folder holds something else.
    """
    folder = TrajectoryStore(runs, run_id).folder(CASE, ROLLOUT)
    if folder.exists() and not ledger.run(run_id).was_started():
        raise AssayError(
            f"runs/{run_id} holds an episode that the ledger knows nothing of",
            where="run",
            fix="choose another id, or move the folder away",
        )
    (request,) = ledger.put([setup.request.encoded()])
    inputs, operator = setup.inputs(request), setup.operator()
    with _alone(runs / run_id):
        ledger.run(run_id).start(DESK, operator, config_hash(inputs), inputs)
        return _guarded(_Episode(setup, ledger, runs, run_id, operator, watch))


def resume_run(
    setup: AgentSetup, ledger: Ledger, runs: Path, run_id: str, *, watch: Watch | None = None
) -> Trajectory:
    """Let a run that was killed or stopped come to its end, as if it had not been.

    Replies and answers of tools that are recorded are taken from the record, so nothing is paid or tried
    twice. What remains is done now, and the whole has the same canonical export and files as a run that was
    not broken off. Wall time is counted from the resume on.

    Raises
    ------
    Refusal
        ``inputs_changed``, ``run_ended``, ``unknown_run``, ``not_an_agent_run``.
    Diverged
        The run would do something else than it did before.
    ProviderError, AssayError
        As :func:`start_run`.
    """
    start = start_of(ledger, run_id)
    inputs, operator = setup.inputs(start["inputs"]["request"]), Operator.from_dict(start["operator"])
    with _alone(runs / run_id):
        take_up(ledger.run(run_id), operator, inputs)
        return _guarded(_Episode(setup, ledger, runs, run_id, operator, watch))


_MEANING = {
    "policy": "who acts (the role's model and parameters, `structured`, the kind of its backend)",
    "prompt": "what the model is told at first (it follows from the tools, the turns and `structured`)",
    "settings": "how formulas are judged (costs, horizons, universe, the period plan)",
    "tools": "the tools (another version of Assay may have others)",
}
"""Inputs of a run, in words for who has to set them back."""


def take_up(run: Run, operator: Operator, inputs: Mapping[str, str]) -> None:
    """Record that a run goes on.

    Raises
    ------
    Refusal
        ``inputs_changed``, with what has to be set back; ``run_ended``.
    """
    try:
        run.resume(operator, config_hash(inputs), inputs)
    except Refusal as refusal:
        if refusal.reason is INPUTS_CHANGED:
            changed = [name.removeprefix("inputs.") for name in refusal.details["changed"]]
            # the hash of the configuration is that of the inputs that are named beside it
            told = [_MEANING.get(name, name) for name in changed if name != "config_hash"]
            refusal.fix = f"set back {'; '.join(told)}; or start a new run"
        raise


def config_hash(inputs: Mapping[str, str]) -> str:
    """The configuration of a run: all its inputs but the data."""
    return content_hash({name: value for name, value in inputs.items() if not name.startswith("data:")})


def _guarded(episode: _Episode) -> Trajectory:
    with episode.ledger.run(episode.run_id).ending():
        return episode.play()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a run against other processes; released by the kernel when this one dies.

    Raises
    ------
    AssayError
        Another process is at it, or the folder cannot be written.
    """
    handle = _locked(folder)
    try:
        yield
    finally:
        os.close(handle)


def _locked(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise AssayError(
            f"cannot write to runs/{folder.name}: {error.strerror or error}",
            where="runs",
            fix="check the folder",
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise AssayError(
            f"another process is at the run {folder.name!r}",
            where="run",
            fix="wait for it, or end that process",
        ) from error
    return handle


@dataclass
class _Episode:
    """One playing of a run's episode, from its first turn; what is recorded is not done again."""

    setup: AgentSetup
    ledger: Ledger
    runs: Path
    run_id: str
    operator: Operator
    watch: Watch | None

    def play(self) -> Trajectory:
        continued = ContinuedLedger.open(self.ledger.folder)
        entries = [e for e in continued.entries(run=self.run_id) if e.kind not in BOOKKEEPING]
        continued.continue_run(self.run_id, entries)
        calls = list(read_calls([e.body for e in entries if e.kind == "llm_call"], continued))
        run = continued.run(self.run_id)
        return play_episode(
            self.setup,
            run,
            self.runs,
            registry=RecordedRegistry(
                builtin_tools(bench_of(self.setup, continued)), continued, guard=self.setup.view.guard
            ),
            policy=policy_of(
                self.setup, ledger_sink(run), earlier=calls, recorded=partial(calls_of_run, self.ledger)
            ),
            operator=self.operator,
            watch=self.watch,
        )


def bench_of(setup: AgentSetup, ledger: Ledger) -> Workbench:
    """What the tools of a run work with."""
    return Workbench.of(setup.view, ledger, settings=setup.judging, desk=DESK)


def play_episode(
    setup: AgentSetup,
    run: Run,
    runs: Path,
    *,
    registry: Registry,
    policy: Policy,
    operator: Operator,
    watch: Watch | None = None,
    **more: Any,
) -> Trajectory:
    """The episode of a run, recorded and stored; ``more`` goes to :func:`run_episode`."""
    sink = LedgerToolSink(run.ledger, run.id)
    return run_episode(
        policy,
        Toolbox(registry, Caller(operator, run.id), one_call_per_step=True),
        budget=setup.request.budget,
        task=Task(DESK, CASE, setup.prompt(), ROLLOUT),
        store=TrajectoryStore(runs, run.id),
        sink=sink if watch is None else _WatchedSink(sink, watch),
        **more,
    )


def policy_of(
    setup: AgentSetup,
    sink: CallSink,
    *,
    earlier: Iterable[CallRecord] = (),
    recorded: Callable[[str], Iterable[CallRecord]] | None = None,
    replay: ReplayProvider | None = None,
) -> Policy:
    """The policy of a run: the explorer, or the role's model.

    ``earlier`` are calls that the run has recorded; on a ``replay`` they are all that there will be.
    ``recorded`` gives those of another run, for a backend of kind ``replay``.
    """
    role = setup.request.role
    if role is None or setup.role is None:
        return explorer(setup.request.seed)
    earlier = list(earlier)
    priced = _Priced(sink, earlier if replay is None else ())
    made = Roles.of(
        setup.llm,
        sink=priced,
        secrets=setup.secrets,
        root=setup.root,
        recorded=recorded,
        replay=replay,
        earlier=earlier if replay is None else (),
    )
    client = made.client(role)
    if isinstance(client.provider, ScriptedProvider):
        client.provider.requests.extend(call.request for call in earlier if call.reply is not None)
    return LlmPolicy(client, role, price=priced.price, calls=setup.calls)


class _Priced:
    """A sink that knows what each reply cost when it was made, whatever the price table says today."""

    def __init__(self, sink: CallSink, earlier: Iterable[CallRecord]) -> None:
        self._sink = sink
        self._costs = [call.cost or 0.0 for call in earlier if call.reply is not None]
        self._asked = 0

    def record(self, call: CallRecord) -> None:
        """Write the call, then note its cost."""
        self._sink.record(call)
        if call.reply is not None:
            self._costs.append(call.cost or 0.0)

    def price(self, reply: Reply) -> float:
        """The cost of the next reply; a run asks in the order of its calls."""
        self._asked += 1
        return self._costs[self._asked - 1]


@dataclass(frozen=True)
class _WatchedSink:
    sink: LedgerToolSink
    watch: Watch

    def record(self, step: int, call: ToolCall, outcome: Outcome, caller: Caller) -> None:
        """Record first, then tell."""
        self.sink.record(step, call, outcome, caller)
        self.watch(step, call, outcome)
