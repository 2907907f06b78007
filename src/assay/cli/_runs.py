"""Ids of runs that a command line names: refused, before anything is told, where they cannot be meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.ledger import Ledger


def check_new_run(ledger: Ledger, run: str) -> None:
    """Refuse the id of a run that was started before."""
    from assay.errors import Refusal
    from assay.ledger import RUN_EXISTS

    with ledger.index() as index:
        if run in index.runs():
            raise Refusal(RUN_EXISTS, f"a run {run!r} was started before", where="run")


def check_unfinished(ledger: Ledger, run: str, fix: str) -> None:
    """Refuse to go on with a run that has finished; ``fix`` says what can be done in its place."""
    from assay.errors import Refusal
    from assay.ledger import RUN_ENDED

    if ledger.run(run).state().stopped == "finished":
        raise Refusal(RUN_ENDED, f"the run {run!r} has finished", where="run", fix=fix)


def check_known_run(ledger: Ledger, run: str, known: Callable[[], Iterable[str]], lister: str) -> None:
    """Refuse the id of no run, with those of ``known`` that are near, and the command that lists them all."""
    from assay.base import did_you_mean
    from assay.errors import Refusal
    from assay.ledger import UNKNOWN_RUN

    with ledger.index() as index:
        if run in index.runs():
            return
    near = did_you_mean(run, known())
    hint = f"did you mean {', '.join(near)}? " if near else ""
    fix = f"{hint}list the runs: {lister}"
    raise Refusal(UNKNOWN_RUN, f"no run {run!r} was started", where="run", fix=fix)
