from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from assay.base import Operator
from assay.errors import ProviderError, Reason, Refusal
from assay.ledger._index import Index, locked_index
from assay.ledger._index_rows import RunState
from assay.ledger._keys import TrialKey
from assay.ledger._line import Entry, canonical

if TYPE_CHECKING:
    from assay.ledger._ledger import Draft, Ledger

StopReason = Literal["finished", "stopped", "failed"]

RUN_EXISTS = Reason("run_exists", "a run of this id was started before", "resume it, or choose another id")
UNKNOWN_RUN = Reason(
    "unknown_run", "no run of this id was started", "list the runs: assay ledger show --kind run_start"
)
RUN_ENDED = Reason(
    "run_ended",
    "the run has stopped",
    "resume one that was broken off; where one is finished, start a new run",
)
INPUTS_CHANGED = Reason(
    "inputs_changed",
    "the run was started with other inputs",
    "give the ones that it was started with, or start a new run",
)

_BOOKKEEPING = ("run_start", "run_resume", "run_stop")


@dataclass(frozen=True, slots=True)
class Run:
    """The view that one run has of the ledger: what it appends and reads is its own."""

    ledger: Ledger
    id: str

    def append(self, kind: str, body: Mapping[str, Any], *, latency: float | None = None) -> Entry:
        """As :meth:`Ledger.append`, for this run."""
        return self.ledger.append(kind, body, run=self.id, latency=latency)

    def append_many(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """As :meth:`Ledger.append_many`, for this run, whatever run the drafts name."""
        return self.ledger.append_many([draft._replace(run=self.id) for draft in drafts])

    def entries(self, *, kind: str | None = None) -> Iterator[Entry]:
        """The run's records in order."""
        with self.ledger.index() as index:
            yield from index.entries(kind=kind, run=self.id)

    def was_started(self) -> bool:
        """Whether the record has a run of this id."""
        with self.ledger.index() as index:
            return self.id in index.runs()

    def state(self) -> RunState:
        """Whether the run is open, and what its start said.

        Raises
        ------
        Refusal
            ``unknown_run``.
        """
        with self.ledger.index() as index:
            return _state(index, self.id)

    def start(
        self,
        desk: str,
        operator: Operator,
        config_hash: str,
        inputs: Mapping[str, str],
        planned: Iterable[TrialKey] | None = None,
    ) -> Entry:
        """Record that the run begins.

        Parameters
        ----------
        inputs : content hash of each thing that the run reads, by name. ``data:<name>`` is a data set; a run
            that names none may have tried anything on every one.
        planned : the trials that it will make, where they are known. Those that it has not recorded when it
            is closed after a kill count as unrecorded.

        Raises
        ------
        Refusal
            ``run_exists``.
        """
        keys = None if planned is None else [key.as_body() for key in dict.fromkeys(planned)]
        body = {
            "desk": desk,
            "operator": asdict(operator),
            "config_hash": config_hash,
            "inputs": dict(inputs),
            "planned": keys,
        }
        with locked_index(self.ledger) as index:
            if self.id in index.runs():
                raise Refusal(RUN_EXISTS, f"a run {self.id!r} was started before", where="run")
            return self.append("run_start", body)

    def inputs(self) -> dict[str, str]:
        """The inputs of the run's last start or resume.

        Raises
        ------
        Refusal
            ``unknown_run``.
        """
        with self.ledger.index() as index:
            _state(index, self.id)
            return dict(_last_start(index, self.id)["inputs"])

    def resume(
        self,
        operator: Operator,
        config_hash: str,
        inputs: Mapping[str, str],
        *,
        accept: Collection[str] = (),
    ) -> Entry:
        """Record that the run goes on, after a stop or a kill.

        Parameters
        ----------
        accept : names of inputs that may differ from those of the last start or resume; the record says so.

        Raises
        ------
        Refusal
            ``inputs_changed``: operator, configuration or an input is not that of the start; ``details``
            names each with both values. ``run_ended``: it had finished. ``unknown_run``.
        """
        body = {"operator": asdict(operator), "config_hash": config_hash, "inputs": dict(inputs)}
        accepted = {"accepted": sorted(accept)} if accept else {}
        with locked_index(self.ledger) as index:
            if _state(index, self.id).stopped == "finished":
                raise _ended(self.id, "finished")
            changes = _changes(_last_start(index, self.id), body)
            allowed = {f"inputs.{name}" for name in accept}
            refused = {name: values for name, values in changes.items() if name not in allowed}
            if refused:
                raise _changed(self.id, refused)
            return self.append("run_resume", {**body, **accepted})

    def stop(self, reason: StopReason, *, unrecorded: int = 0) -> Entry:
        """Record that the run ends; ``unrecorded`` trials were evaluated and could not be recorded.

        Raises
        ------
        Refusal
            ``run_ended``: it is not open. ``unknown_run``.
        """
        with locked_index(self.ledger) as index:
            _require_open(_state(index, self.id))
            return self.append("run_stop", {"reason": reason, "unrecorded": unrecorded})

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Record how the run ends when the block does.

        ``finished``; ``stopped`` by an interruption, a refusal or an outside service, after which it may go
        on; ``failed`` by any other error.
        """
        try:
            yield
        except (KeyboardInterrupt, ProviderError, Refusal):
            self.stop("stopped")
            raise
        except BaseException:
            self.stop("failed")
            raise
        self.stop("finished")

    def close(self) -> Entry:
        """End a run that was killed, for a person to do: its stop says ``abandoned``.

        Trials that it had planned, or had charged a look for, and did not record count as unrecorded.

        Raises
        ------
        Refusal
            ``run_ended``: it is not open. ``unknown_run``.
        """
        with locked_index(self.ledger) as index:
            _require_open(_state(index, self.id))
            unrecorded = len(_expected(index, self.id) - _recorded(index, self.id))
            return self.append("run_stop", {"reason": "abandoned", "unrecorded": unrecorded})

    def export(self) -> bytes:
        """The canonical export: a line ``{"body":..,"kind":..}`` of each record, in order.

        Without ``meta``, chain fields and the records of start, resume and stop, and without what was done
        again after a resume: calls of a model that failed, and records that a round was dropped. Calls that
        follow one another are sorted by role, request and ordinal, since those made side by side are
        recorded as they come. So a run that was resumed, or replayed, gives the bytes of one that was not
        interrupted.

        Raises
        ------
        Refusal
            ``unknown_run``.
        """
        with self.ledger.index() as index:
            _state(index, self.id)
            kept = _last_doings([e for e in index.entries(run=self.id) if e.kind not in _BOOKKEEPING])
        lines = [
            canonical({"body": entry.body, "kind": entry.kind}).data + b"\n"
            for called, part in groupby(kept, key=lambda entry: entry.kind == "llm_call")
            for entry in (sorted(part, key=_call_key) if called else part)
        ]
        return b"".join(lines)


def _last_doings(entries: Sequence[Entry]) -> list[Entry]:
    """The records without those of calls and rounds that were done again."""
    answered = {_call_key(e) for e in entries if e.kind == "llm_call" and not _failed(e)}
    last = {e.body["number"]: place for place, e in enumerate(entries) if e.kind == "round"}
    return [
        entry
        for place, entry in enumerate(entries)
        if not (_failed(entry) and _call_key(entry) in answered)
        and not (_dropped(entry) and last[entry.body["number"]] > place)
    ]


def _dropped(entry: Entry) -> bool:
    return entry.kind == "round" and entry.body["outcome"] == "dropped"


def _failed(entry: Entry) -> bool:
    return entry.kind == "llm_call" and entry.body.get("error") is not None


def _call_key(entry: Entry) -> tuple[Any, ...]:
    return entry.body["role"], entry.body["request_hash"], entry.body["ordinal"]


def _state(index: Index, run: str) -> RunState:
    found = index.runs().get(run)
    if found is None:
        raise Refusal(UNKNOWN_RUN, f"no run {run!r} was started", where="run")
    return found


def _last_start(index: Index, run: str) -> Mapping[str, Any]:
    """The body of the run's last start or resume."""
    starts = [*index.entries(kind="run_start", run=run), *index.entries(kind="run_resume", run=run)]
    return max(starts, key=lambda entry: entry.line).body


def _require_open(state: RunState) -> None:
    if state.stopped is not None:
        raise _ended(state.id, state.stopped)


def _ended(run: str, how: str) -> Refusal:
    """That a run is not open, with what can be done about it: what has finished is not resumed."""
    if how == "finished":
        fix = "nothing is left to do in it; for more, start a new run under another id"
        return Refusal(RUN_ENDED, f"the run {run!r} has finished", where="run", fix=fix)
    return Refusal(RUN_ENDED, f"the run {run!r} has stopped ({how})", where="run", fix="resume it first")


def _expected(index: Index, run: str) -> set[TrialKey]:
    """Keys of which the run may have seen a metric: what it planned, and what looks it was charged for."""
    planned = next(index.entries(kind="run_start", run=run)).body["planned"] or []
    looked = {row.key for row in index.looks() if row.run == run}
    return {TrialKey.from_body(key) for key in planned} | looked


def _recorded(index: Index, run: str) -> set[TrialKey]:
    return {row.key for row in index.trials(controls=True) if row.run == run}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What differs, by name, with both values; None where one side has none."""
    left, right = _flat(before), _flat(now)
    names = sorted(left.keys() | right.keys())
    return {
        name: {"started": left.get(name), "now": right.get(name)}
        for name in names
        if left.get(name) != right.get(name)
    }


def _flat(body: Mapping[str, Any]) -> dict[str, Any]:
    inputs = {f"inputs.{name}": value for name, value in body["inputs"].items()}
    return {
        "operator": canonical(body["operator"]).value,
        "config_hash": body["config_hash"],
        **inputs,
    }


def _changed(run: str, changes: Mapping[str, dict[str, Any]]) -> Refusal:
    names = ", ".join(changes)
    return Refusal(
        INPUTS_CHANGED,
        f"the run {run!r} was started with other values of {names}",
        where="run",
        details={"changed": dict(changes)},
    )
