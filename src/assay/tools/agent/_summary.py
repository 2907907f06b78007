"""What runs of agents came to, told from the ledger and from what they stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import Refusal
from assay.ledger import INCOMPLETE_SCOPE, Scope
from assay.tools._json_calls import last_answer
from assay.tools._store import TrajectoryStore
from assay.tools.agent._request import is_agent_start, request_of, start_of
from assay.tools.agent._run import CASE, ROLLOUT

if TYPE_CHECKING:
    from assay.ledger import Index, Ledger


_SHOWN = 4
"""Decimals that a tool shows: formulas that are alike to them are equal, and the first is the best."""


@dataclass(frozen=True, slots=True)
class Best:
    """The trial of a run with the greatest absolute RankIC. It was selected, so its figure is flattering."""

    expression: str
    horizon: int
    rank_ic: float


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """A finished run in figures.

    ``trials_added`` are those of its trials that nobody had made before; ``n`` counts all trials on the data
    set and is None where they cannot be counted, which ``incomplete`` explains. ``illegal_rate`` is None
    where no call was made. ``money`` is None where a reply had no price. ``reward`` is None where nobody
    scored the episode. ``answer`` is empty where a limit came before one.
    """

    run: str
    policy: str
    operator: Mapping[str, Any]
    stop: str
    turns: int
    calls: int
    refused: int
    illegal: int
    illegal_rate: float | None
    failed: int
    repairs: Mapping[str, int]
    tokens: int
    money: float | None
    trials_added: int
    n: int | None
    incomplete: str | None
    best: Best | None
    reward: float | None
    answer: str


@dataclass(frozen=True, slots=True)
class AgentRun:
    """A run of an agent in the ledger; ``state`` is ``open`` for one that is going on or was killed."""

    run: str
    state: str
    policy: str
    data: str
    trials: int
    idea: str


def summary_of(ledger: Ledger, runs: Path, run_id: str) -> AgentSummary:
    """The figures of a finished run.

    Raises
    ------
    DataError
        Its files are missing or damaged.
    Refusal
        ``unknown_run``, ``not_an_agent_run``.
    """
    data = _data(start_of(ledger, run_id))
    stored = TrajectoryStore(runs, run_id).load(CASE, ROLLOUT)
    trajectory, metadata = stored.trajectory, stored.metadata
    n, incomplete = _counted(ledger, data)
    with ledger.index() as index:
        added = _added(index, run_id)
    return AgentSummary(
        run=run_id,
        policy=trajectory["policy"],
        operator=metadata["operator"],
        stop=trajectory["stop"],
        turns=trajectory["spent"]["turns"],
        calls=metadata["tool_calls"],
        refused=metadata["refused"],
        illegal=metadata["illegal_tool_calls"],
        illegal_rate=metadata["illegal_tool_call_rate"],
        failed=metadata["environment_failures"],
        repairs=metadata["repairs"],
        tokens=trajectory["spent"]["tokens"],
        money=trajectory["spent"]["money"] if _priced(ledger, run_id) else None,
        trials_added=added,
        n=n,
        incomplete=incomplete,
        best=_best(ledger, run_id),
        reward=stored.score["reward"],
        answer=last_answer(trajectory["final_text"], trajectory["stop"]),
    )


def agent_runs(ledger: Ledger) -> list[AgentRun]:
    """The runs of agents, in the order in which they were started."""
    with ledger.index() as index:
        states, trials = index.runs(), Counter(row.run for row in index.trials())
        starts = [entry for entry in index.entries(kind="run_start") if is_agent_start(entry.body)]
    found = []
    for start in starts:
        state, body = states[str(start.run)], start.body
        policy = body["operator"]["model_artifact"] or body["operator"]["identifier"]
        idea = request_of(ledger, body).idea
        found.append(AgentRun(state.id, state.stopped or "open", policy, _data(body), trials[state.id], idea))
    return found


def _data(start: Mapping[str, Any]) -> str:
    return str(next(name for name in start["inputs"] if name.startswith("data:"))).removeprefix("data:")


def _counted(ledger: Ledger, data: str) -> tuple[int | None, str | None]:
    try:
        return ledger.trials(Scope(data=data)).n, None
    except Refusal as refusal:
        if refusal.reason is not INCOMPLETE_SCOPE:
            raise
        return None, refusal.message


def _added(index: Index, run_id: str) -> int:
    seen, added = set(), 0
    for row in index.trials():
        added += row.run == run_id and row.key not in seen
        seen.add(row.key)
    return added


def _best(ledger: Ledger, run_id: str) -> Best | None:
    bodies = [entry.body for entry in ledger.run(run_id).entries(kind="trial")]
    scored = [body for body in bodies if body.get("rank_ic") is not None]
    if not scored:
        return None
    found = max(scored, key=lambda body: round(abs(body["rank_ic"]), _SHOWN))
    return Best(found["expression"], found["horizon"], found["rank_ic"])


def _priced(ledger: Ledger, run_id: str) -> bool:
    """Whether every reply of a model had a price when it was made."""
    calls = ledger.run(run_id).entries(kind="llm_call")
    return all(call.body["cost"] is not None for call in calls if call.body["reply"] is not None)
