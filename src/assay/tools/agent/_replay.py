"""A run played again from its record, in a folder of its own, and held against what it left."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any

from assay.base import Operator, atomic_write, new_folder
from assay.config import LlmLimits
from assay.errors import AssayError
from assay.ledger import Draft, Entry, Ledger
from assay.llm import CallKey, CallRecord, CallSink, ReplayProvider, read_calls
from assay.tools._policy import Action, EpisodeState, Policy
from assay.tools._record import ledger_sink
from assay.tools._store import TrajectoryStore
from assay.tools.agent._request import start_of
from assay.tools.agent._run import BOOKKEEPING, CASE, ROLLOUT, bench_of, config_hash, play_episode, policy_of
from assay.tools.agent._setup import AgentSetup
from assay.tools.builtin import builtin_registry

_OWN = ("ledger", "recovery")
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to: ``difference`` is the first one found, None where all is equal."""

    run: str
    records: int
    files: int
    difference: str | None

    @property
    def equal(self) -> bool:
        """Whether export and files have the bytes of the run."""
        return self.difference is None


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
        copy = _FollowingLedger.at_start(ledger, run_id, staged / "ledger")
        copy.run(run_id).resume(operator, config_hash(inputs), inputs)
        _play(setup, ledger, copy, runs, staged / "runs", run_id, operator)
        copy.run(run_id).stop("finished")
        again = copy.export(run_id)
        atomic_write(staged / "export.jsonl", again)
        first = ledger.export(run_id)
        difference = _first_line(first, again) or _first_file(runs / run_id, staged / "runs" / run_id)
        files = len(list(_files(staged / "runs" / run_id)))
    return Replayed(run_id, first.count(b"\n"), files, difference)


def _play(
    setup: AgentSetup, source: Ledger, copy: Ledger, runs: Path, to: Path, run_id: str, operator: Operator
) -> None:
    run = copy.run(run_id)
    calls = list(read_calls([e.body for e in source.run(run_id).entries(kind="llm_call")], source))
    # what was paid is paid: no limit may stop what has been
    setup = replace(setup, llm=replace(setup.llm, limits=LlmLimits()))
    policy = policy_of(setup, _Faithful(ledger_sink(run), calls), replay=ReplayProvider(calls))
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


class _Faithful:
    """A sink for replayed calls that also writes the failures before a reply to the same request."""

    def __init__(self, sink: CallSink, calls: Sequence[CallRecord]) -> None:
        self._sink = sink
        self._failed: dict[CallKey, list[CallRecord]] = defaultdict(list)
        last = {call.key: number for number, call in enumerate(calls)}
        for number, call in enumerate(calls):
            if last[call.key] != number:
                self._failed[call.key].append(call)

    def record(self, call: CallRecord) -> None:
        """Write what the run wrote under this key."""
        for known in (*self._failed[call.key], call):
            self._sink.record(known)


class _FollowingLedger(Ledger):
    """A copy of a ledger that gets the records of others at the places at which a run met them."""

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(folder, **options)
        self._run = ""
        self._written = 0
        self._read = 0
        self._rest: Iterator[Entry] = iter(())

    @classmethod
    def at_start(cls, source: Ledger, run_id: str, folder: Path) -> _FollowingLedger:
        """The ledger as it stood when the run had just been started."""
        start = next(source.run(run_id).entries(kind="run_start"))
        folder.mkdir()
        with open(source.folder / "ledger.jsonl", "rb") as log:
            (folder / "ledger.jsonl").write_bytes(log.read(start.end))
        shutil.copyfile(source.folder / "objects.pack", folder / "objects.pack")
        made = cls.open(folder)
        made._run = run_id
        made._rest = (entry for entry in source.entries(start=start.position) if entry.kind not in _OWN)
        made._follow()
        return made

    def append_many(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """As :meth:`Ledger.append_many`; what others wrote before the run's next record follows."""
        written = super().append_many(drafts)
        own = [draft for draft in drafts if draft.run == self._run and draft.kind not in BOOKKEEPING]
        if own:
            self._written += len(own)
            self._follow()
        return written

    def _follow(self) -> None:
        """Take up what others wrote before the record that the run writes next."""
        others = []
        while self._read <= self._written and (entry := next(self._rest, None)) is not None:
            if entry.run != self._run:
                others.append(Draft(entry.kind, entry.body, entry.run))
            elif entry.kind not in BOOKKEEPING:
                self._read += 1
        if others:
            super().append_many(others)


def _first_line(first: bytes, again: bytes) -> str | None:
    """Where two exports part."""
    for number, (left, right) in enumerate(zip_longest(first.splitlines(), again.splitlines()), 1):
        if left != right:
            return f"record {number} of the export: {_around(left, right)}"
    return None


def _first_file(first: Path, again: Path) -> str | None:
    """The first file that only one folder has, or that differs."""
    names = sorted({*_files(first), *_files(again)})
    for name in names:
        left, right = (_content(base / name) for base in (first, again))
        if left != right:
            return f"{name}: {_around(left, right)}"
    return None


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _files(folder: Path) -> Iterator[str]:
    """Files that a run leaves, by their place in its folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(folder).as_posix()


def _around(left: bytes | None, right: bytes | None) -> str:
    """Both sides from a little before the place at which they part."""
    if left is None or right is None:
        return f"only in the {'replay' if left is None else 'run'}"
    pairs = zip_longest(left, right)
    place = max(0, next(number for number, (a, b) in enumerate(pairs) if a != b) - _SHOWN // 4)
    shown = (side[place : place + _SHOWN].decode("utf-8", "replace") for side in (left, right))
    return "from character {} on, the run has {!r}, the replay {!r}".format(place, *shown)
