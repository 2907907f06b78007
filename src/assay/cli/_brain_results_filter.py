"""Options that say which results are wanted, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._brain_results_place import need_place, results_path
from assay.cli._choice import one_of

if TYPE_CHECKING:
    from assay.brain.search import ResultFilter, StoredResult

Passing = Annotated[
    bool, typer.Option("--passing", help="Only what reaches the platform's limits and fails no check.")
]
Consultant = Annotated[bool, typer.Option("--consultant", help="Limits are those of a consultant's account.")]
MinSharpe = Annotated[float | None, typer.Option("--min-sharpe", help="Least Sharpe ratio.")]
MinFitness = Annotated[float | None, typer.Option("--min-fitness", help="Least fitness.")]
MaxTurnover = Annotated[float | None, typer.Option("--max-turnover", help="Most turnover, such as 0.7.")]
EitherSign = Annotated[
    bool, typer.Option("--either-sign", help="The size of Sharpe ratio and fitness counts.")
]
Status = Annotated[str | None, typer.Option(help="completed or failed.", metavar="NAME")]
OfPlatform = Annotated[
    str | None, typer.Option("--platform", help="Only those of this platform.", metavar="NAME")
]
OfRun = Annotated[str | None, typer.Option("--run", help="Only those of this run.", metavar="ID")]
Direction = Annotated[
    str | None, typer.Option(help="Only those of this direction of a search.", metavar="ID")
]
Origin = Annotated[
    str | None, typer.Option(help="Only those that came about so: a template, a rule.", metavar="NAME")
]
UsesField = Annotated[
    str | None, typer.Option("--field", help="Only expressions with this field.", metavar="NAME")
]
Text = Annotated[str, typer.Option("--text", help="Only expressions with this text in them.")]
Order = Annotated[str, typer.Option(help="The figure to order by.", metavar="NAME")]


def wanted_results(
    passing: bool = False,
    consultant: bool = False,
    min_sharpe: float | None = None,
    min_fitness: float | None = None,
    max_turnover: float | None = None,
    either_sign: bool = False,
    status: str | None = None,
    platform: str | None = None,
    run: str | None = None,
    direction: str | None = None,
    origin: str | None = None,
    field: str | None = None,
    text: str = "",
) -> ResultFilter:
    """What options say of the results that are wanted."""
    from assay.brain.search import ResultFilter

    return ResultFilter(
        passing=passing,
        level="consultant" if consultant else "user",
        min_sharpe=min_sharpe,
        min_fitness=min_fitness,
        max_turnover=max_turnover,
        either_sign=either_sign,
        status=None if status is None else one_of(status, ("completed", "failed"), "--status"),
        platform=platform,
        run=run,
        direction=direction,
        origin=origin,
        field=field,
        text=text,
    )


def kept_results(workspace: Path | None, wanted: ResultFilter, order: str) -> tuple[StoredResult, ...]:
    """The results of a workspace that are wanted, the largest figure first."""
    from assay.brain.search import FIGURES, ResultStore, keep

    one_of(order, FIGURES, "--order")
    with ResultStore(results_path(need_place(workspace))) as store:
        return keep(store.rows(platform=wanted.platform, run=wanted.run), wanted, order=order)
