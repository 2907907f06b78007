"""An evolution as it is stored, read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.evolve._evolve import ROLLOUT
from assay.evolve._notes import Evaluated
from assay.evolve._search import SearchFigures
from assay.spec import FactorSpec, parse_spec
from assay.tools import TrajectoryStore, last_answer


@dataclass(frozen=True, slots=True)
class EvolutionRecord:
    """What ``runs/<run>/<spec id>/<rollout>/`` holds of an evolution. Its words are those of ``Evolution``.

    Parameters
    ----------
    run, case, rollout : where it lies.
    spec_hash, verdict_hash : the gated spec that was evolved, and the gate's verdict on it.
    operator, policy, stop : who acted, and why it ended.
    audit : counts of the calls.
    answer : what the policy said last; empty where a limit came before an answer.
    """

    run: str
    case: str
    rollout: str
    spec_hash: str
    verdict_hash: str
    operator: Mapping[str, Any]
    policy: str
    stop: str
    turns: int
    seed_formula: str
    seed: SearchFigures
    best: FactorSpec | None
    candidates: tuple[Evaluated, ...]
    delta: float | None
    reward: float | None
    subscores: Mapping[str, float]
    caps: Mapping[str, str]
    unscored: str | None
    audit: Mapping[str, Any]
    answer: str

    @classmethod
    def load(cls, store: TrajectoryStore, case: str, rollout: str = ROLLOUT) -> EvolutionRecord:
        """The record of a stored evolution.

        Raises
        ------
        DataError
            It is not there, is damaged, or is no evolution.
        """
        stored = store.load(case, rollout)
        try:
            return _record(store.run, case, rollout, stored.trajectory, stored.score, stored.metadata)
        except (KeyError, TypeError) as error:
            raise DataError(
                "the episode is no evolution", where=f"{store.run}/{case}/{rollout}", fix="name another run"
            ) from error


def _record(
    run: str,
    case: str,
    rollout: str,
    trajectory: Mapping[str, Any],
    score: Mapping[str, Any],
    metadata: Mapping[str, Any],
) -> EvolutionRecord:
    details = score["details"]
    return EvolutionRecord(
        run=run,
        case=case,
        rollout=rollout,
        spec_hash=details["spec_hash"],
        verdict_hash=details["verdict_hash"],
        operator=metadata["operator"],
        policy=metadata["policy"],
        stop=metadata["stop"],
        turns=trajectory["spent"]["turns"],
        seed_formula=details["seed"]["formula"],
        seed=SearchFigures(**details["seed"]["figures"]),
        best=None if details["best"] is None else parse_spec(details["best"]),
        candidates=tuple(Evaluated.from_dict(item) for item in details["candidates"]),
        delta=details["delta"],
        reward=score["reward"],
        subscores=score["parts"],
        caps=details["cap_reasons"],
        unscored=details["unscored"],
        audit={name: metadata[name] for name in _COUNTS},
        answer=last_answer(trajectory["final_text"], metadata["stop"]),
    )


_COUNTS = (
    "tool_calls", "refused", "environment_failures", "illegal_tool_calls", "illegal_tool_call_rate",
    "illegal_by_kind",
)  # fmt: skip
