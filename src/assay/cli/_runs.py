"""Runs that a command names: an id that cannot be meant is refused; what stops a run says how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.ledger import Ledger


def check_new_run(ledger: Ledger, run: str) -> None:
    """Refuse the id of a run that was started before."""
    from assay.errors import Refusal
    from assay.ledger import RUN_EXISTS

    if ledger.run(run).was_started():
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

    if ledger.run(run).was_started():
        return
    near = did_you_mean(run, known())
    hint = f"did you mean {', '.join(near)}? " if near else ""
    fix = f"{hint}list the runs: {lister}"
    raise Refusal(UNKNOWN_RUN, f"no run {run!r} was started", where="run", fix=fix)


@contextmanager
def played(ledger: Ledger, run: str, again: str) -> Iterator[None]:
    """Play a run inside; what stops it says that the command ``again`` goes on with it."""
    from assay.cli._progress import note, slow_notice
    from assay.errors import ProviderError, Refusal
    from assay.ledger import LEDGER_BUSY, LedgerUnwritable

    try:
        with slow_notice():
            yield
    except ProviderError as error:
        error.fix = f"{error.fix}; then: {again}" if error.fix else f"later: {again}"
        raise
    except Refusal as refusal:
        if refusal.reason.code.endswith("_budget_exhausted"):
            refusal.fix = f"raise the limit in [llm.budget], then: {again}"
        elif refusal.reason is LEDGER_BUSY and ledger.run(run).was_started():
            refusal.fix = f"see which process holds the ledger, then: {again}"
        raise
    except LedgerUnwritable as error:
        if ledger.run(run).was_started():
            error.fix = f"see that the disk has space and works, then: {again}"
        raise
    except KeyboardInterrupt:
        note(f"stopped; to go on: {again}")
        raise
