"""The reward of an episode: one table of weights and caps, and what each part measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from assay.evolve._notes import Evaluated, Notes
from assay.expr import Node, edit_distance
from assay.tools import Audit

Part = Literal["validity", "no_drift", "protocol", "backtest_success", "performance", "robustness", "novelty"]
Cap = Literal[
    "multi_tool_per_step_cap", "illegal_expr_cap", "spec_drift_cap", "no_candidate_cap", "hidden_gate_cap",
    "loss_cap",
]  # fmt: skip

WEIGHTS: Final[Mapping[Part, float]] = {
    "validity": 0.15,
    "no_drift": 0.15,
    "protocol": 0.10,
    "backtest_success": 0.10,
    "performance": 0.35,
    "robustness": 0.10,
    "novelty": 0.05,
}
"""Weight of each part; together 1."""

CAPS: Final[Mapping[Cap, float]] = {
    "multi_tool_per_step_cap": 0.0,
    "illegal_expr_cap": 0.15,
    "spec_drift_cap": 0.30,
    "no_candidate_cap": 0.0,
    "hidden_gate_cap": 0.0,
}
"""What the reward is at most when a cap holds.

``multi_tool_per_step_cap``: a step had several calls. ``illegal_expr_cap``: a formula that is not legal was
sent to be evaluated. ``spec_drift_cap``: a fixed field was changed. ``no_candidate_cap``: no backtest of
anything but the seed gave a figure; doing nothing is that. ``hidden_gate_cap``: the winner fails a control on
the score period (leak, adjustment, coverage, an undefined IR, shuffle, one bar late).

``loss_cap`` is not constant: a winner that is worse than the baseline earns at most ``1 + delta``. The parts
that are paid for legal work alone come to some 0.6, which a change that loses all would earn otherwise.
"""

MINIMUM_DELTA: Final = -1.0
"""The delta of an episode without a winner, and of a winner that fails a control."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What the score period said of the winner: the delta, and whether it passed the controls."""

    delta: float
    passed: bool


@dataclass(frozen=True, slots=True)
class Graded:
    """A reward in [0, 1], the sum before the caps, the parts, and the caps that hold with their reasons."""

    reward: float
    raw: float
    subscores: Mapping[Part, float]
    caps: Mapping[Cap, str]


def grade(notes: Notes, audit: Audit, hidden: Hidden, *, seed: Node, winner: Node | None) -> Graded:
    """The reward of an episode.

    ``reward = min(sum of weight * part, caps that hold, 1 + delta)``. The parts:

    - validity: share of the formulas sent for validation or evaluation that are legal;
    - no_drift: 1 where no fixed field was changed, else 0;
    - protocol: share of the calls that were legal and in order;
    - backtest_success: share of the backtests that gave a figure;
    - performance: ``0.5 + delta / 2``, where delta is what the score period says of the winner;
    - robustness: of the winner on the search period: mean of the share of the RankIC that is left one bar
      late, and of 1 minus the share that a shuffled cross-section shows;
    - novelty: nodes by which the winner differs from the seed, over the seed's, at most 1.

    All but no_drift are 0 where there is nothing to measure.

    Parameters
    ----------
    seed, winner : the formulas as they are traded.
    """
    best = notes.best if winner is not None else None
    parts: dict[Part, float] = {
        "validity": _share(notes.valid, notes.valid + notes.invalid + notes.illegal),
        "no_drift": 0.0 if _count(audit, "frozen_field_mutation") else 1.0,
        "protocol": _protocol(notes, audit),
        "backtest_success": _share(
            sum(item.figures.defined for item in notes.evaluated), len(notes.evaluated)
        ),
        "performance": _unit(0.5 + hidden.delta / 2) if best is not None else 0.0,
        "robustness": _robustness(best),
        "novelty": 0.0 if winner is None else min(1.0, edit_distance(winner, seed) / seed.size),
    }
    raw = sum(WEIGHTS[name] * value for name, value in parts.items())
    caps = _caps(notes, audit, hidden, has_winner=best is not None)
    reward = min([raw, *(CAPS[name] for name in caps)])
    most = 1.0 + min(0.0, hidden.delta)
    if most < reward:
        caps["loss_cap"] = "the winner is worse than the baseline after costs"
        reward = most
    return Graded(round(reward, 6), round(raw, 6), parts, caps)


def _caps(notes: Notes, audit: Audit, hidden: Hidden, *, has_winner: bool) -> dict[Cap, str]:
    caps: dict[Cap, str] = {}
    if _count(audit, "multi_tool_per_step"):
        caps["multi_tool_per_step_cap"] = "a step had several calls"
    if notes.illegal:
        caps["illegal_expr_cap"] = "a formula that is not legal was sent to be evaluated"
    if _count(audit, "frozen_field_mutation"):
        caps["spec_drift_cap"] = "a fixed field was changed"
    if not has_winner:
        caps["no_candidate_cap"] = "no backtest of anything but the seed gave a figure"
    elif not hidden.passed:
        caps["hidden_gate_cap"] = "the winner fails a control"
    return caps


def _count(audit: Audit, kind: Literal["frozen_field_mutation", "multi_tool_per_step"]) -> int:
    return audit.illegal_by_kind.get(kind, 0)


def _protocol(notes: Notes, audit: Audit) -> float:
    counted = audit.tool_calls - audit.environment_failures
    return _share(counted - audit.illegal_tool_calls - notes.unvalidated, counted)


def _robustness(best: Evaluated | None) -> float:
    if best is None:
        return 0.0
    late, shuffled = best.figures.late_share, best.figures.shuffled_share
    return (_unit(late or 0.0) + _unit(1.0 - (1.0 if shuffled is None else shuffled))) / 2


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
