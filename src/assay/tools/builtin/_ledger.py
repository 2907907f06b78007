from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.ledger import INCOMPLETE_SCOPE, Scope
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._reasons import BAD_SCOPE, NO_DATA, NO_LEDGER
from assay.tools.builtin._runs import undamaged
from assay.tools.builtin._view import SearchView

if TYPE_CHECKING:
    from assay.ledger import Ledger, Trials


class CountsArguments(Arguments):
    scope: Literal["data", "workspace"] = Field(
        "data", description="Trials on the attached data set, or all of the workspace."
    )


class CountsResult(Result):
    scope: str
    trials: int = Field(description="Distinct trials: the N of every deflated figure.")
    unrecorded: int = Field(description="Those of them that happened and were not recorded.")
    effective_trials: int = Field(description="N after trials whose returns move together count once.")


def _complete(ledger: Ledger, scope: Scope, run: str | None) -> Trials:
    """The trials, or a refusal that names nothing: what is missing may be a look at hidden dates."""
    try:
        return ledger.trials(scope, within=run)
    except Refusal as refusal:
        if refusal.reason is INCOMPLETE_SCOPE:
            raise Refusal(INCOMPLETE_SCOPE, fix="ask the operator to close what was left open") from refusal
        raise


def ledger_tools(ledger: Ledger | None, view: SearchView | None) -> tuple[Tool, ...]:
    """``ledger.counts``."""

    def run(arguments: CountsArguments, context: Context) -> CountsResult:
        if ledger is None:
            raise Refusal(NO_LEDGER)
        if arguments.scope == "data" and view is None:
            raise Refusal(NO_DATA)
        data = None if view is None or arguments.scope == "workspace" else view.data_key
        with undamaged():
            found = _complete(ledger, Scope(data=data), context.caller.run)
        return CountsResult(
            scope=arguments.scope,
            trials=found.n,
            unrecorded=found.unrecorded,
            effective_trials=found.effective_n,
        )

    return (
        Tool(
            "ledger.counts",
            "Says how many trials were made, which every significance has to allow for.",
            CountsArguments,
            CountsResult,
            (BAD_SCOPE, NO_LEDGER, NO_DATA, INCOMPLETE_SCOPE, DAMAGED_STATE),
            run,
        ),
    )
