from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.campaign._records import DONE, DROPPED, STOPPED, history_digest, history_of
from assay.campaign._stop import Stop
from assay.campaign._types import History
from assay.ledger import Entry, Run
from assay.llm import CallRecord, read_calls

_OF_A_ROUND = ("llm_call", "gate_verdict", "trial", "admission")


@dataclass(frozen=True)
class Recorded:
    """What a run has recorded.

    Parameters
    ----------
    history : of the rounds that are done.
    digest : hash of their bodies.
    settled : calls of those rounds.
    earlier : calls after them: those of rounds that were dropped or broken off. A round that is run again
        asks the same, and is answered from here; nothing is paid twice.
    surplus : whether anything was recorded after the last ``round`` record.
    stop : the limit that ended the run, or the stop of a round that was dropped last.
    stage : of that round, where it was dropped.
    ended : whether the run had come to its end.
    """

    history: History
    digest: str
    settled: tuple[CallRecord, ...]
    earlier: tuple[CallRecord, ...]
    surplus: bool
    stop: Stop | None = None
    stage: str = ""
    ended: bool = False

    @classmethod
    def read(cls, run: Run) -> Recorded:
        """What the ledger tells of a run.

        Raises
        ------
        LedgerDamaged, DataError
            A record is none that this version writes.
        """
        entries = list(run.entries())
        rounds = [place for place, entry in enumerate(entries) if entry.kind == "round"]
        done = [place for place in rounds if entries[place].body["outcome"] == DONE]
        last = done[-1] + 1 if done else 0
        calls = list(read_calls([entry.body for entry in entries if entry.kind == "llm_call"], run.ledger))
        count = sum(entry.kind == "llm_call" for entry in entries[:last])
        after = entries[rounds[-1] + 1 :] if rounds else entries
        stop, stage, ended = _stop(entries[rounds[-1]]) if rounds else (None, "", False)
        return cls(
            history=history_of(entries),
            digest=history_digest(entries[place].body for place in done),
            settled=tuple(calls[:count]),
            earlier=tuple(calls[count:]),
            surplus=any(entry.kind in _OF_A_ROUND for entry in after),
            stop=stop,
            stage=stage,
            ended=ended,
        )


def pools_of(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """The pools of each round that is done, by their hashes."""
    return [
        dict(entry.body["pools"])
        for entry in entries
        if entry.kind == "round" and entry.body["outcome"] == DONE
    ]


def _stop(entry: Entry) -> tuple[Stop | None, str, bool]:
    body = entry.body
    if body["outcome"] == DROPPED:
        stop = None if body["by"] is None else Stop(body["by"], body["message"])
        return stop, body["stage"], False
    if body["outcome"] == STOPPED:
        return Stop(body["by"], body["message"]), "", True
    return None, "", False
