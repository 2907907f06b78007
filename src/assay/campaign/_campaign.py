"""A campaign: started, taken up, brought to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from assay.base import Clock, Operator, SystemClock, canonical_json, check_id
from assay.campaign._events import Events, Watch
from assay.campaign._files import RunFiles
from assay.campaign._memory import write_memory
from assay.campaign._pools import Pools
from assay.campaign._ports import Count, Judging
from assay.campaign._reasons import NOT_A_CAMPAIGN, POOLS_CHANGED
from assay.campaign._records import (
    DESK,
    dropped_body,
    next_digest,
    round_drafts,
    round_of,
    stopped_body,
    with_rounds,
)
from assay.campaign._researcher import Desk, Halt
from assay.campaign._resume import Recorded
from assay.campaign._round import Round
from assay.campaign._settings import CampaignConfig
from assay.campaign._snapshot import RunSnapshot
from assay.campaign._state import State, changed_commits, known_commits
from assay.campaign._stop import RoundDropped, Stop, deadline_passed, stop_before_round
from assay.campaign._trial_graph import write as write_graph
from assay.campaign._types import Backends, Brief, Family, History, TrialRecord
from assay.errors import ProviderError, Refusal
from assay.ledger import RUN_EXISTS, Ledger, Run, RunState
from assay.llm import BodySink, CallRecord, CallSink

POOLS: Final = "pools"

BackendMaker = Callable[[CallSink, Iterable[CallRecord], Iterable[CallRecord]], Backends]
"""Makes the backends of a run from where calls are recorded, the calls that are settled, and those that are
answered from the record when they are made again."""

JudgingMaker = Callable[[Run, Operator, Pools], Judging]
"""Makes the judge of a run, with the pools as they were read."""


@dataclass(frozen=True)
class CampaignSetup:
    """All that a run works with besides its ledger and folder, checked before anything is written.

    Parameters
    ----------
    config : the campaign.
    snapshot : its files as they are now.
    pools : as they are now.
    inputs : content hashes of what else the result depends on, by name; ``data:<name>`` is the data set.
    brief, families : what the backends are told.
    judging, backends : made for each start.
    commits : versions of the program.
    operator : who runs it.
    """

    config: CampaignConfig
    snapshot: RunSnapshot
    pools: Pools
    inputs: Mapping[str, str]
    brief: Brief
    families: tuple[Family, ...]
    judging: JudgingMaker
    backends: BackendMaker
    commits: tuple[str, ...] = ()
    operator: Operator = field(default_factory=lambda: Operator.system(DESK))

    def ledger_inputs(self) -> dict[str, str]:
        """What a resume is held to, each by a name that says what changed."""
        return {
            **self.inputs,
            **{f"config:{name}": value for name, value in _leaves(self.config.decisive())},
            **{f"file:{name}": value for name, value in self.snapshot.hashes.items()},
            **{f"pool:{name}": value for name, value in self.pools.hashes.items()},
        }


@dataclass(frozen=True)
class CampaignResult:
    """What a campaign left.

    Parameters
    ----------
    records : every slot of the rounds that are done; ``evaluated`` ones are trials.
    stop : why it ended.
    ledger : folder of the ledger.
    run : id of the run.
    warnings : commits of the program that the run did not begin with.
    """

    records: tuple[TrialRecord, ...]
    stop: Stop
    ledger: Path
    run: str
    warnings: tuple[str, ...] = ()

    @property
    def admitted(self) -> tuple[TrialRecord, ...]:
        """The factors that joined the zoo."""
        return tuple(trial for trial in self.records if trial.admitted)


class Campaign:
    """A mining campaign from its config.

    Parameters
    ----------
    setup : see :class:`CampaignSetup`.
    ledger : of the workspace.
    runs : its folder of runs.
    run_id : of this run.
    watch : is told of each event.
    files : made for the run's folder.
    limits, halt, counts : of a replay: what ends it before a round, and in one; see :class:`Desk`.
    """

    def __init__(
        self,
        setup: CampaignSetup,
        ledger: Ledger,
        runs: Path,
        run_id: str,
        *,
        clock: Clock | None = None,
        watch: Watch | None = None,
        files: Callable[[Path], RunFiles] = RunFiles,
        limits: Callable[[History], Stop | None] | None = None,
        halt: Halt | None = None,
        counts: Mapping[int, Count] | None = None,
    ) -> None:
        check_id(run_id, "id of a run")
        self._setup, self._ledger = setup, ledger
        self._run = ledger.run(run_id)
        self._clock = clock or SystemClock()
        self._files = files(runs / run_id)
        self._events = Events(self._files, self._clock, watch)
        self._limits, self._halt, self._counts = limits or self._own_limits, halt, counts or {}
        self._operator = setup.operator
        self._commits = setup.commits
        self._warnings: tuple[str, ...] = ()

    def run(self) -> CampaignResult:
        """Start the run and let it come to its end.

        Raises
        ------
        Refusal
            ``run_exists``.
        ProviderError, AssayError
            A service or the disk failed; the run can be resumed.
        """
        setup = self._setup
        with self._ledger.index() as index:
            known = index.runs().get(self._run.id)
        if known is not None:
            raise _started_before(known)
        self._files.make()
        setup.snapshot.take(self._files.folder, setup.config)
        self._keep_pools()
        self._run.start(DESK, setup.operator, setup.config.hash, setup.ledger_inputs())
        self._events.tell("start", run=self._run.id, pools=setup.pools.hashes)
        return self._guarded()

    def resume(self, *, accept_changed_pools: bool = False) -> CampaignResult:
        """Let a run that was stopped or killed come to its end, as if it had not been.

        What is recorded is neither asked nor evaluated again. Only the stop limits may differ.

        Parameters
        ----------
        accept_changed_pools : go on though the reference set or the known factors changed; recorded.

        Raises
        ------
        Refusal
            ``inputs_changed``, with each change by name; ``pools_changed``; ``run_ended``; ``unknown_run``;
            ``not_a_campaign``.
        """
        setup = self._setup
        start = self._started()
        inputs = setup.ledger_inputs()
        pools = [name for name in inputs if name.startswith("pool:")]
        changed = self._changed(inputs, pools)
        if changed and not accept_changed_pools:
            names = ", ".join(name.partition(":")[2] for name in changed)
            raise Refusal(
                POOLS_CHANGED, f"the pools changed since the run's last start: {names}", where="pools",
                details={"changed": changed},
            )  # fmt: skip
        self._keep_pools()
        self._warnings = changed_commits(self._files.folder, setup.commits)
        self._commits = tuple(dict.fromkeys((*known_commits(self._files.folder), *setup.commits)))
        self._operator = Operator.from_dict(start["operator"])
        self._run.resume(self._operator, setup.config.hash, inputs, accept=changed)
        self._events.tell("resume", run=self._run.id, changed_pools=changed, warnings=self._warnings)
        return self._guarded()

    def _started(self) -> Mapping[str, Any]:
        self._run.state()
        body: Mapping[str, Any] = next(self._run.entries(kind="run_start")).body
        if body["desk"] != DESK:
            message = f"the run {self._run.id!r} is one of the desk {body['desk']!r}"
            raise Refusal(NOT_A_CAMPAIGN, message, where="run")
        return body

    def _changed(self, inputs: Mapping[str, str], names: Iterable[str]) -> list[str]:
        before = self._run.inputs()
        return [name for name in names if before.get(name) != inputs[name]]

    def _keep_pools(self) -> None:
        """A copy of the pools by their content, for a replay; nothing else reads it."""
        self._files.make(POOLS)
        self._files.write(f"{POOLS}/{pools_name(self._setup.pools.hashes)}", self._setup.pools.to_json())

    def _guarded(self) -> CampaignResult:
        try:
            stop, history = self._play()
        except (ProviderError, Refusal, KeyboardInterrupt):
            self._run.stop("stopped")
            raise
        except BaseException:
            self._run.stop("failed")
            raise
        ended = stop.by in ("max_rounds", "max_trials", "patience")
        self._run.stop("finished" if ended else "stopped")
        self._events.tell("stop", by=stop.by, message=stop.message)
        return CampaignResult(history.trials, stop, self._ledger.folder, self._run.id, self._warnings)

    def _play(self) -> tuple[Stop, History]:
        past = Recorded.read(self._run)
        if past.surplus:
            self._run.append("round", dropped_body(len(past.history.rounds) + 1, None, ""))
        history, digest = past.history, past.digest
        desk = self._desk(past)
        write_memory(self._files, history)
        self._write_state(history, digest, None)
        while True:
            number = len(history.rounds) + 1
            stop = past.stop if past.ended else self._limits(history)
            if stop is not None:
                if not past.ended:
                    self._run.append("round", stopped_body(number, stop))
                break
            try:
                history, digest = self._one_round(desk, history, digest)
            except RoundDropped as dropped:
                stop = dropped.stop
                self._run.append("round", dropped_body(number, stop, dropped.stage))
                self._events.tell("round_dropped", round=number, by=stop.by, stage=dropped.stage)
                break
        self._write_state(history, digest, stop)
        return stop, history

    def _one_round(self, desk: Desk, history: History, digest: str) -> tuple[History, str]:
        before = Round(desk, history)
        planned = before.plan()
        if before.graph is not None:
            write_graph(self._files, before.graph, planned.claims)
        played = planned.play()
        drafts = round_drafts(
            played.record, played.gates, played.admissions, self._setup.pools.hashes, played.count
        )
        entry = self._run.append_many(drafts)[-1]
        # as the ledger has it, so that a resumed run sees the very same
        record = round_of(entry)
        history = with_rounds([*history.rounds, record])
        digest = next_digest(digest, entry.body)
        write_memory(self._files, history)
        self._write_state(history, digest, None)
        self._events.tell(
            "round", round=record.number, admitted=[trial.id for trial in record.admitted],
            trials=sum(trial.evaluated for trial in record.trials),
            n=None if played.count is None else played.count.n,
        )  # fmt: skip
        return history, digest

    def _desk(self, past: Recorded) -> Desk:
        setup = self._setup
        judging = setup.judging(self._run, self._operator, setup.pools)
        restore(judging, past.history, tried=setup.config.context.theme_correlation is not None)
        sink = _ToldSink(BodySink(self._record_call, self._ledger), self._events)
        return Desk(
            config=setup.config,
            brief=setup.brief,
            families=setup.families,
            backends=setup.backends(sink, past.settled, past.earlier),
            judging=judging,
            events=self._events,
            halt=self._stop_of_stage,
            counts=self._counts,
        )

    def _record_call(self, body: dict[str, Any], latency: float | None) -> None:
        self._run.append("llm_call", body, latency=latency)

    def _own_limits(self, history: History) -> Stop | None:
        return stop_before_round(self._setup.config.stop, history)

    def _stop_of_stage(self, number: int, stage: str) -> Stop | None:
        if self._halt is not None:
            return self._halt(number, stage)
        return deadline_passed(self._setup.config.stop, self._clock.now())

    def _write_state(self, history: History, digest: str, stop: Stop | None) -> None:
        setup = self._setup
        State(self._run.id, history, digest, setup.pools.hashes, self._commits, stop).write(self._files)


@dataclass(frozen=True)
class _ToldSink:
    """Records a call, then tells of it."""

    sink: CallSink
    events: Events

    def record(self, call: CallRecord) -> None:
        """See :class:`CallSink`."""
        self.sink.record(call)
        self.events.tell(
            "llm_call",
            role=call.role,
            request_hash=call.request_hash,
            ordinal=call.ordinal,
            ok=call.error is None,
            input=call.usage.input,
            output=call.usage.output,
            cost=call.cost,
        )


def restore(judging: Judging, history: History, *, tried: bool) -> None:
    """Bring a judge to where the past left it: zoo, pool and tried trials, in the order of the past."""
    for item in history.rounds:
        evaluated = [
            (trial, judging.read(trial.candidate.expression))
            for trial in item.trials
            if trial.evaluated and trial.candidate is not None
        ]
        for trial, expression in evaluated:
            judging.remember(trial.id, expression)
        wanted = [(trial, expression) for trial, expression in evaluated if tried or trial.admitted]
        found = judging.score([expression for _, expression in wanted]) if wanted else ()
        for (trial, _), scored in zip(wanted, found, strict=True):
            if tried:
                judging.tried(trial.id, scored)
            if trial.admitted:
                judging.join(trial.id, scored)


def pools_name(hashes: Mapping[str, str]) -> str:
    """Name of the copy of pools with these hashes."""
    return f"{hashes['reference'][:16]}-{hashes['known'][:16]}.json"


def _leaves(value: Any, name: str = "") -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{name}.{key}" if name else str(key))
    else:
        yield name, canonical_json(value)


def _started_before(run: RunState) -> Refusal:
    """That the id is taken, with the command that goes on with its run where it can go on."""
    fix = "choose another id"
    if run.desk == DESK and run.stopped != "finished":
        fix = f"go on with it: assay campaign resume {run.id}; or {fix}"
    return Refusal(RUN_EXISTS, f"a run {run.id!r} was started before", where="run", fix=fix)
