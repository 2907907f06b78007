"""What a trial was built on, and what was built on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.campaign._types import TrialRecord

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Lineage:
    """The family of a trial, by ids.

    Parameters
    ----------
    ancestors : its parent first, then the parent's, to the one that was new.
    children : trials built on it for which a candidate came, also where the gate refused it, oldest first.
    admitted_descendants : admitted trials among its children, their children and so on, oldest first.
    """

    ancestors: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    admitted_descendants: tuple[str, ...] = ()

    def text(self) -> str:
        """In one line; empty where there is nothing to tell."""
        parts = {
            "ancestors": " < ".join(self.ancestors[:_SHOWN]) + (" < ..." if self.ancestors[_SHOWN:] else ""),
            "children": _listed(self.children),
            "admitted descendants": _listed(self.admitted_descendants),
        }
        return "; ".join(f"{name} {value}" for name, value in parts.items() if value)


def lineages(trials: Iterable[TrialRecord]) -> dict[str, Lineage]:
    """The lineage of every trial, by id.

    Parameters
    ----------
    trials : in order of rounds and slots. A parent that is not before its child is none.
    """
    ancestors: dict[str, tuple[str, ...]] = {}
    children: dict[str, list[str]] = {}
    admitted: dict[str, list[str]] = {}
    for trial in trials:
        known = trial.parent is not None and trial.parent in ancestors
        own = (trial.parent, *ancestors[trial.parent]) if known and trial.parent is not None else ()
        if own and trial.candidate is not None:
            children[own[0]].append(trial.id)
        if trial.admitted:
            for name in own:
                admitted[name].append(trial.id)
        ancestors[trial.id], children[trial.id], admitted[trial.id] = own, [], []
    return {
        name: Lineage(own, tuple(children[name]), tuple(admitted[name])) for name, own in ancestors.items()
    }


def buildable(
    trials: Iterable[TrialRecord], known: Mapping[str, Lineage], max_children: int | None
) -> tuple[TrialRecord, ...]:
    """The evaluated trials that a direction may build on: not those built on ``max_children`` times."""
    return tuple(
        trial
        for trial in trials
        if trial.evaluated and (max_children is None or len(known[trial.id].children) < max_children)
    )


def _listed(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
