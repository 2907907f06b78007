"""``assay brain results``: what all sessions and batches of a workspace found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._brain_lists import show_table
from assay.cli._brain_platform import InWorkspace
from assay.cli._brain_results_filter import (
    Consultant,
    Direction,
    EitherSign,
    MaxTurnover,
    MinFitness,
    MinSharpe,
    OfPlatform,
    OfRun,
    Order,
    Origin,
    Passing,
    Status,
    Text,
    UsesField,
    kept_results,
    wanted_results,
)
from assay.cli._brain_results_place import find_result, need_place, number, results_path
from assay.cli._choice import one_of
from assay.cli._output import Json, print_json, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.brain.search import StoredResult


def results_app() -> typer.Typer:
    """``assay brain results``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Results of all sessions and batches of a workspace.",
    )
    app.command("list")(list_results)
    app.command("show")(show)
    app.command("export")(export)
    app.command("summary")(summary)
    app.command("set-aside")(put_aside)
    return app


def list_results(
    passing: Passing = False,
    consultant: Consultant = False,
    min_sharpe: MinSharpe = None,
    min_fitness: MinFitness = None,
    max_turnover: MaxTurnover = None,
    either_sign: EitherSign = False,
    status: Status = None,
    platform: OfPlatform = None,
    run: OfRun = None,
    direction: Direction = None,
    origin: Origin = None,
    field: UsesField = None,
    text: Text = "",
    order: Order = "sharpe",
    limit: Annotated[int, typer.Option(help="Most rows.", min=1)] = 20,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """List results, the best first."""
    wanted = wanted_results(
        passing, consultant, min_sharpe, min_fitness, max_turnover, either_sign, status, platform, run,
        direction, origin, field, text,
    )  # fmt: skip
    found = kept_results(workspace, wanted, order)
    if as_json:
        print_json({"count": len(found), "results": [item.flat() for item in found[:limit]]})
        return
    # figures of two platforms, or markets, are not comparable, and their ids may be the same
    several = len({item.platform for item in found}) > 1
    rows = [
        (
            *((item.platform,) if several else ()),
            item.result.alpha or f"{item.run}/{item.result.job}",
            *(number(getattr(item.result, name)) for name in ("sharpe", "fitness", "turnover")),
            " ".join(item.result.failing) or ("failed" if item.result.status == "failed" else ""),
            item.result.proposal.origin,
            item.request.regular,
        )
        for item in found[:limit]
    ]
    if rows:
        columns = ("alpha", "sharpe", "fitness", "turnover", "fails", "origin", "expression")
        show_table(("platform", *columns) if several else columns, rows)
    more = f", the first {limit} shown" if len(found) > limit else ""
    say(f"{len(found)} results{more}")


def show(
    which: Annotated[str, typer.Argument(help="An alpha's id, or RUN/JOB.", metavar="ID")],
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Show one result: figures, settings, checks, and what may be wrong with it."""
    from assay.brain.search import diagnose

    found = find_result(which, workspace)
    findings = diagnose(found.result).findings
    if as_json:
        checks = [check.wire() for check in found.result.checks]
        told = [
            {"name": f.name, "severity": f.severity, "message": f.message, "rules": list(f.rules)}
            for f in findings
        ]
        print_json({**found.flat(), "checks": checks, "findings": told})
        return
    for name, value in found.flat().items():
        if value not in (None, ""):
            say(f"{name:<26}{number(value) if isinstance(value, float) else value}")
    for check in found.result.checks:
        value = "" if check.value is None else f" {check.value:.4g}"
        limit = "" if check.limit is None else f" (limit {check.limit:.4g})"
        say(f"{check.result:<8}{check.name}{value}{limit}")
    for finding in findings:
        say(f"{finding.severity:<8}{finding.name}: {finding.message}")


def export(
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="File to write, .csv or .json; by default CSV to the screen.", metavar="FILE"
        ),
    ] = None,
    passing: Passing = False,
    consultant: Consultant = False,
    min_sharpe: MinSharpe = None,
    min_fitness: MinFitness = None,
    max_turnover: MaxTurnover = None,
    either_sign: EitherSign = False,
    status: Status = None,
    platform: OfPlatform = None,
    run: OfRun = None,
    direction: Direction = None,
    origin: Origin = None,
    field: UsesField = None,
    text: Text = "",
    order: Order = "sharpe",
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Write results as CSV or JSON, with all figures and settings."""
    from assay.base import atomic_write
    from assay.brain.search import as_csv
    from assay.cli._files import check_writable

    if to is not None and to.suffix not in (".csv", ".json"):
        raise AssayError(f"{to.name} says no format", where="--to", fix="end it in .csv or .json")
    check_writable(to, "--to")
    wanted = wanted_results(
        passing, consultant, min_sharpe, min_fitness, max_turnover, either_sign, status, platform, run,
        direction, origin, field, text,
    )  # fmt: skip
    found = kept_results(workspace, wanted, order)
    if to is not None:
        atomic_write(to, as_csv(found) if to.suffix == ".csv" else _json_text(found))
    if as_json:
        print_json([item.flat() for item in found])
    elif to is None:
        typer.echo(as_csv(found), nl=False)
    else:
        say(f"{len(found)} results in {to}")


def summary(
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="direction, origin, field, structure, settings, neutralization, decay, universe, delay, "
            "run, agent or check; without it by platform.",
            metavar="NAME",
        ),
    ] = None,
    platform: OfPlatform = None,
    run: OfRun = None,
    consultant: Consultant = False,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Count results and compare groups of them."""
    if by is None:
        _summary_by_platform(workspace, as_json)
        return
    from typing import get_args

    from assay.brain.search import GroupBy, aggregate

    wanted: GroupBy = one_of(by, get_args(GroupBy), "--by")
    rows = kept_results(workspace, wanted_results(platform=platform, run=run), "sharpe")
    groups = aggregate(rows, wanted, level="consultant" if consultant else "user")
    if as_json:
        print_json([_group(group) for group in groups])
        return
    cells = [
        (
            group.key or "-",
            str(group.total),
            str(group.failed),
            str(group.passing),
            number(None if group.best is None else group.best.result.sharpe),
            number(group.mean_sharpe),
            number(group.signs),
            number(group.mean_fitness),
            number(group.mean_turnover),
        )
        for group in groups
    ]
    if cells:
        titles = (by, "results", "failed", "passing", "best sharpe", "mean sharpe", "above 0", "mean fitness",
                  "mean turnover")  # fmt: skip
        show_table(titles, cells)
    say(f"{len(groups)} groups of {len(rows)} results")


def put_aside(workspace: InWorkspace = None, as_json: Json = False) -> None:
    """Move a damaged file of results out of the way; nothing is deleted."""
    from assay.brain.search import set_aside

    path = results_path(need_place(workspace))
    target = set_aside(path)
    if target is None:
        raise AssayError("there are no results to put aside", where=str(path), fix="nothing is to be done")
    if as_json:
        print_json({"from": str(path), "to": str(target)})
    else:
        say(f"{path.name} is now {target.name}; the next result begins a new file")


def _summary_by_platform(workspace: Path | None, as_json: bool) -> None:
    from dataclasses import asdict

    from assay.brain.search import ResultStore

    with ResultStore(results_path(need_place(workspace))) as store:
        found = store.summary()
    if as_json:
        print_json([asdict(item) for item in found])
        return
    for item in found:
        best = f"best Sharpe {number(item.best_sharpe)}, best fitness {number(item.best_fitness)}"
        say(
            f"{item.platform}: {item.total} results of {item.expressions} expressions in {item.runs} runs, "
            f"{item.failed} failed; {best}"
        )
    if not found:
        say("no results yet")


def _group(group: Any) -> dict[str, Any]:
    from dataclasses import asdict

    best = None if group.best is None else group.best.flat()
    return {**{name: value for name, value in asdict(group).items() if name != "best"}, "best": best}


def _json_text(found: Sequence[StoredResult]) -> str:
    import json

    return json.dumps([item.flat() for item in found], indent=2, ensure_ascii=False, allow_nan=False) + "\n"
