"""The graph of a round: every evaluated trial, what was built on what, and which to build on next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from assay.base import canonical_json
from assay.campaign._files import RunFiles
from assay.campaign._lines import strength
from assay.campaign._past import Past
from assay.campaign._types import DirectionKind, Outcome, TrialRecord

FOLDER: Final = "trial_graph"
_DIGITS = 6
_NO_THEME = (0, 1)


@dataclass(frozen=True, slots=True)
class TrialNode:
    """An evaluated trial.

    Parameters
    ----------
    theme : number of its theme, from 1 for the largest; 0 where there are none.
    promise : what it is picked by; see :func:`promise`.
    buildable : whether a direction may build on it.
    """

    id: str
    mechanism: str
    outcome: Outcome
    t: float | None
    rank_ic: float | None
    theme: int
    children: int
    promise: float
    buildable: bool


@dataclass(frozen=True, slots=True)
class TrialEdge:
    """A trial that was built on another one."""

    parent: str
    child: str
    kind: DirectionKind


@dataclass(frozen=True, slots=True)
class TrialGraph:
    """The graph before a round.

    ``picks`` are the trials that may claim slots, the most promising first.
    """

    round: int
    nodes: tuple[TrialNode, ...]
    edges: tuple[TrialEdge, ...]
    picks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def trial_graph(past: Past) -> TrialGraph:
    """The graph before the next round; a pure function of the past.

    The pick order: buildable trials by promise, those with fewer children first among equals, then the
    older ones. A trial without a t promises nothing and is not picked.
    """
    theme_of = {
        trial.id: (place, len(theme.members))
        for place, theme in enumerate(past.themes, 1)
        for trial in theme.members
    }
    open_ids = {trial.id for trial in past.buildable}
    evaluated = [trial for trial in past.trials if trial.evaluated]
    nodes = tuple(
        _node(trial, past, *theme_of.get(trial.id, _NO_THEME), trial.id in open_ids) for trial in evaluated
    )
    known = {node.id for node in nodes}
    edges = tuple(
        TrialEdge(trial.parent, trial.id, trial.direction.kind)
        for trial in evaluated
        if trial.parent is not None and trial.parent in known
    )
    ranked = sorted(
        (node for node in nodes if node.buildable and node.promise > 0),
        key=lambda node: (-node.promise, node.children),
    )
    picks = tuple(node.id for node in ranked)
    return TrialGraph(len(past.history.rounds) + 1, nodes, edges, picks)


def promise(t: float, theme_size: int, children: int) -> float:
    """What building on a trial promises: ``|t| / sqrt(theme size) / (1 + children)``.

    Strong trials promise more. A crowded theme has been searched already: its trials share what it
    promises, by the root, so that a theme still counts more the more of it is strong. Each child halves,
    thirds, ... what is left to find there.
    """
    return round(abs(t) / math.sqrt(theme_size) / (1 + children), _DIGITS)


def write(files: RunFiles, graph: TrialGraph, claims: Mapping[int, str]) -> None:
    """Keep the graph of a round, with the slots that its trials claimed, as ``trial_graph/round_NN.json``.

    Canonical JSON, replaced whole: equal rounds leave equal bytes.
    """
    files.make(FOLDER)
    files.write(f"{FOLDER}/round_{graph.round:02d}.json", graph_json(graph, claims) + "\n")


def graph_json(graph: TrialGraph, claims: Mapping[int, str]) -> str:
    """The graph as canonical JSON."""
    claimed = [[slot, parent] for slot, parent in sorted(claims.items())]
    return canonical_json({**graph.as_dict(), "claims": claimed})


def _node(trial: TrialRecord, past: Past, theme: int, size: int, open_to_build: bool) -> TrialNode:
    children = len(past.lineages[trial.id].children)
    return TrialNode(
        id=trial.id,
        mechanism=trial.mechanism,
        outcome=trial.outcome,
        t=_known(trial.figures.get("t")),
        rank_ic=_known(trial.figures.get("rank_ic")),
        theme=theme,
        children=children,
        promise=promise(strength(trial), size, children),
        buildable=open_to_build,
    )


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
