"""The families of a campaign's trials as a picture: what was built on what, round by round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.campaign import CampaignReport, TrialRecord
from assay.views._campaign_table import OUTCOMES
from assay.views._report_words import visible

MOST_NODES: Final = 400
_ROW, _TOP, _LEFT = 28, 34, 34
_CHARACTER: Final = 6.2
"""Width of a character of an id, in pixels."""
_NARROWEST, _WIDEST, _ACROSS = 12, 54, 1050


@dataclass(frozen=True, slots=True)
class Node:
    """A trial at its place in the picture, in pixels; ``more`` were built on it and led to no admission.

    ``labelled``: there is room for its id over the dot.
    """

    trial: TrialRecord
    x: float
    y: float
    more: int
    labelled: bool = False

    @property
    def name(self) -> str:
        """Id and outcome, for whoever does not see the picture."""
        return f"{self.trial.id}, {OUTCOMES[self.trial.outcome]}"

    @property
    def label_y(self) -> float:
        """The base line of its id."""
        return self.y - 9

    @property
    def title(self) -> str:
        """What the pointer shows over the dot."""
        t, candidate = self.trial.figures.get("t"), self.trial.candidate
        figure = "" if t is None else f", t {t:.2f}"
        formula = "" if candidate is None else f": {visible(candidate.expression)}"
        return f"{self.name}, {visible(self.trial.mechanism)}{figure}{formula}"


@dataclass(frozen=True, slots=True)
class _Box:
    """Room of a dot or of a short text, by its middle; all are as high."""

    x: float
    y: float
    width: float

    def meets(self, other: _Box) -> bool:
        return abs(self.x - other.x) < (self.width + other.width) / 2 and abs(self.y - other.y) < 9


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from a trial to one that was built on it."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """The picture; ``left_out`` families with an admitted factor did not fit."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    rounds: tuple[tuple[int, float], ...]
    families: int
    left_out: int


def lineage_graph(report: CampaignReport) -> LineageGraph | None:
    """The lines that led to admitted factors, by family, the largest first; None where no line did.

    A line begins with the trial that was new and ends with an admitted factor. Trials that led to none are
    counted at the one that they were built on.
    """
    by_id = {trial.id: trial for trial in report.trials}
    everyone = _children(report.trials)
    wanted = {name for factor in report.zoo for name in (factor.trial.id, *factor.lineage.ancestors)}
    children = {
        name: kept
        for name, listed in everyone.items()
        if name in wanted and (kept := [child for child in listed if child in wanted])
    }
    families = sorted(_families(report.trials, children), key=len, reverse=True)
    if not families:
        return None
    shown: list[Sequence[str]] = []
    for names in families:
        if shown and sum(map(len, shown)) + len(names) > MOST_NODES:
            break
        shown.append(names)
    kept = [name for names in shown for name in names]
    rounds = sorted({by_id[name].round for name in kept})
    step = min(max(_ACROSS / max(rounds[-1] - rounds[0], 1), _NARROWEST), _WIDEST)
    across = {number: _LEFT + step * (number - rounds[0]) for number in range(rounds[0], rounds[-1] + 1)}
    rows = _rows(shown, children, set(kept))
    place = {name: (across[by_id[name].round], _TOP + _ROW * rows[name]) for name in kept}
    nodes = [
        Node(by_id[name], *place[name], len(everyone.get(name, ())) - len(children.get(name, ())))
        for name in kept
    ]
    labelled = _labelled(nodes)
    return LineageGraph(
        width=across[rounds[-1]] + _LEFT,
        height=_TOP + _ROW * (max(rows.values()) + 1),
        nodes=tuple(replace(node, labelled=node.trial.id in labelled) for node in nodes),
        edges=tuple(
            Edge(_path(*place[name], *place[child]), by_id[child].direction.kind)
            for name in kept
            for child in children.get(name, ())
            if child in place
        ),
        rounds=tuple((number, x) for number, x in across.items() if _ticked(number, step)),
        families=len(shown),
        left_out=len(families) - len(shown),
    )


def _labelled(nodes: Sequence[Node]) -> set[str]:
    """The trials whose ids can be written over nothing else; those that were admitted are placed first."""
    taken = [_Box(node.x, node.y, 12) for node in nodes]
    taken += [_Box(node.x + 14, node.y + 7, 16) for node in nodes if node.more]
    found: set[str] = set()
    for node in sorted(nodes, key=lambda node: not node.trial.admitted):
        box = _Box(node.x, node.label_y - 3, _CHARACTER * len(node.trial.id))
        if not any(box.meets(other) for other in taken):
            taken.append(box)
            found.add(node.trial.id)
    return found


def _ticked(number: int, step: float) -> bool:
    """Whether a round's number is written: there is room for one in so many pixels."""
    return number % max(1, round(30 / step)) == 0 or step >= 30


def _children(trials: Iterable[TrialRecord]) -> dict[str, list[str]]:
    """The trials built on each, where the parent comes before."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for trial in trials:
        if trial.parent in seen and trial.parent is not None and trial.candidate is not None:
            found.setdefault(trial.parent, []).append(trial.id)
        seen.add(trial.id)
    return found


def _families(trials: Iterable[TrialRecord], children: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each root with all that comes of it, as they are met from the top."""
    born = {child for listed in children.values() for child in listed}
    families = []
    for trial in trials:
        if trial.id in born or trial.id not in children:
            continue
        names, open_names = [], [trial.id]
        while open_names:
            name = open_names.pop()
            names.append(name)
            open_names += reversed(children.get(name, ()))
        families.append(names)
    return families


def _rows(
    families: Iterable[Sequence[str]], children: Mapping[str, Sequence[str]], kept: set[str]
) -> dict[str, float]:
    """The row of each trial: those that nothing was built on in order, the others amid their children."""
    rows: dict[str, float] = {}
    free = 0.0
    for names in families:
        for name in names:
            if name not in children:
                rows[name] = free
                free += 1
        for name in reversed(names):
            own = [rows[child] for child in children.get(name, ()) if child in kept]
            if own:
                rows[name] = (min(own) + max(own)) / 2
        free += 0.5
    return rows


def _path(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = (x0 + x1) / 2
    return f"M{x0:.1f} {y0:.1f}C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
