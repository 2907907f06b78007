from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pydantic import Field

from assay.base import DAMAGED_STATE, ID_PATTERN
from assay.errors import LedgerDamaged, Refusal
from assay.ledger import UNKNOWN_RUN
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._pages import PageArguments, page_of
from assay.tools.builtin._reasons import (
    BAD_DESK,
    BAD_LIMIT,
    BAD_OFFSET,
    BAD_RUN,
    MISSING_RUN,
    NO_LEDGER,
)

if TYPE_CHECKING:
    from assay.ledger import Ledger, RunState

COUNTED: Final = (
    "round", "llm_call", "tool_call", "refusal", "gate_verdict", "trial", "admission", "certificate",
)  # fmt: skip
"""Kinds of record that a run is counted by: no looks and seals, which tell of hidden dates."""

_ID: Final = f"^{ID_PATTERN.pattern}$"


class RunsArguments(PageArguments):
    desk: str | None = Field(
        None,
        description="Only runs of this desk.",
        min_length=1,
        max_length=64,
        pattern=_ID,
    )


class RunRow(Result):
    run: str
    desk: str | None = Field(description="The desk that made it: campaign, evolve, agent, ...")
    data: list[str] | None = Field(description="The data sets that it names; missing where it names none.")
    state: str = Field(description="open (going on, or killed), finished, stopped, failed or abandoned.")


class RunsResult(Result):
    rows: list[RunRow]
    total: int
    next_offset: int | None = Field(description="Where the next page begins; missing on the last one.")


class RunArguments(Arguments):
    run: str = Field(description="Id of a run.", min_length=1, max_length=64, pattern=_ID)


class RecordCount(Result):
    kind: str
    records: int


class RunResult(Result):
    run: str
    desk: str | None
    data: list[str] | None
    state: str
    unrecorded: int = Field(description="Trials that it made and did not record; they count for N.")
    records: list[RecordCount] = Field(description="What it recorded, by kind; kinds without a record too.")


def run_tools(ledger: Ledger | None) -> tuple[Tool, ...]:
    """``run.list`` and ``run.status``."""

    def list_runs(arguments: RunsArguments, context: Context) -> RunsResult:
        with _states(ledger) as states:
            found = [state for state in states.values() if arguments.desk in (None, state.desk)]
        rows, following = page_of(found, arguments, "runs")
        return RunsResult(rows=[_row(state) for state in rows], total=len(found), next_offset=following)

    def status(arguments: RunArguments, context: Context) -> RunResult:
        with _states(ledger) as states:
            state = states.get(arguments.run)
        if state is None or ledger is None:
            raise Refusal(UNKNOWN_RUN, f"there is no run {arguments.run!r}", fix="ask run.list for the ids")
        with ledger.index() as index:
            counts = [
                RecordCount(kind=kind, records=len(list(index.places(kind=kind, run=state.id))))
                for kind in COUNTED
            ]
        return RunResult(**_row(state).model_dump(), unrecorded=state.unrecorded, records=counts)

    return (
        Tool(
            "run.list",
            "Lists the runs of the workspace in the order in which they began: desk, data and state.",
            RunsArguments,
            RunsResult,
            (BAD_DESK, BAD_LIMIT, BAD_OFFSET, NO_LEDGER, DAMAGED_STATE),
            list_runs,
        ),
        Tool(
            "run.status",
            "Says where a run stands: its state, and how many records of each kind it has made.",
            RunArguments,
            RunResult,
            (MISSING_RUN, BAD_RUN, UNKNOWN_RUN, NO_LEDGER, DAMAGED_STATE),
            status,
        ),
    )


@contextmanager
def _states(ledger: Ledger | None) -> Iterator[dict[str, RunState]]:
    if ledger is None:
        raise Refusal(NO_LEDGER)
    with undamaged(), ledger.index() as index:
        yield index.runs()


@contextmanager
def undamaged() -> Iterator[None]:
    """Tell of a damaged ledger by its typed reason; the particulars, which may name a path, are left out."""
    try:
        yield
    except LedgerDamaged as error:
        raise Refusal(DAMAGED_STATE, "the ledger is damaged") from error


def _row(state: RunState) -> RunRow:
    data = None if state.data is None else list(state.data)
    return RunRow(run=state.id, desk=state.desk, data=data, state=state.stopped or "open")
