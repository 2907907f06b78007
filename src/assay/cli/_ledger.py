"""``assay ledger``: check, show, count, export and close what the workspace's ledger records."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import Json, console, print_json, printable, say
from assay.cli._progress import note

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.ledger import Entry, Index, Ledger, Scope

Where = Annotated[
    Path | None,
    typer.Option(
        "--ledger", help="Folder of the ledger; default: that of the workspace you are in.", metavar="DIR"
    ),
]
RunId = Annotated[str, typer.Argument(help="Id of a run.", metavar="RUN")]
_SHOWN = 20


def ledger_app() -> typer.Typer:
    """``assay ledger``: the record of the workspace."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="The record of all that happened: verify, show, count, export, close.",
    )
    for command in (verify, show, count, export, close):
        app.command()(command)
    return app


def open_ledger(where: Path | None) -> Ledger:
    """The ledger in ``where``, or that of the workspace that the current folder lies in.

    Raises
    ------
    AssayError
        There is no workspace here, or no ledger in it.
    """
    from assay.config import find_workspace
    from assay.errors import AssayError
    from assay.ledger import Ledger, refuse_lost

    if where is not None:
        return Ledger.open(where)
    workspace = find_workspace()
    if workspace is None:
        raise AssayError(
            "this folder lies in no workspace",
            where="current folder",
            fix="change to a workspace, or name a ledger: --ledger DIR",
        )
    refuse_lost(workspace)
    return Ledger.open(workspace.ledger_dir)


def verify(
    objects: Annotated[
        bool, typer.Option("--objects", help="Check every payload that a record names, too.")
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Check the whole chain of records; make the index anew. A torn tail is a warning, damage an error."""
    ledger = open_ledger(where)
    found = ledger.verify(objects=objects)
    ledger.index(anew=True).close()
    if as_json:
        print_json({**asdict(found), "objects": found.objects if objects else None})
        return
    typer.echo(f"records  {found.records}")
    typer.echo(f"head     {found.head}")
    if objects:
        typer.echo(f"objects  {found.objects}")
    if found.torn is None:
        typer.echo("whole: every line follows the one before it")
        return
    typer.echo(
        f"warning: {found.torn.bytes} bytes at the end are no whole record ({found.torn.reason}); the next "
        "writer moves them to torn/, for one 'assay ledger close --looks'",
        err=True,
    )


def show(
    kind: Annotated[str | None, typer.Option(help="Only records of this kind.", metavar="KIND")] = None,
    run: Annotated[str | None, typer.Option(help="Only records of this run.", metavar="RUN")] = None,
    last: Annotated[int, typer.Option(help="The last so many; 0 for all.", min=0, metavar="N")] = _SHOWN,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Show records, oldest first."""
    from assay.cli._ledger_lines import record_line

    ledger = open_ledger(where)
    _check_filters(ledger, kind, run)
    with ledger.index() as index:
        entries = list(index.entries(kind=kind, run=run, last=last or None))
        total = len(index.places(kind=kind, run=run))
    if as_json:
        print_json([_as_data(entry) for entry in entries])
        return
    if not entries:
        note("there are no such records")
    for entry in entries:
        say(_fitted(record_line(entry)))
    if len(entries) < total:
        note(f"{len(entries)} of {total} records; --last N for more, --last 0 for all")


def _check_filters(ledger: Ledger, kind: str | None, run: str | None) -> None:
    """Refuse a kind that there cannot be, and the id of no run, as the ledger does."""
    ledger.entries(kind=kind, run=run)


def _as_data(entry: Entry) -> dict[str, Any]:
    return {
        "line": entry.line,
        "kind": entry.kind,
        "run": entry.run,
        "body": entry.body,
        "meta": entry.meta,
        "hash": entry.hash,
    }


def _fitted(line: str) -> str:
    width = console().width
    return line if len(line) <= width else line[: width - 1] + "\u2026"


def count(
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Count trials by data set and desk, with their effective number, and looks at hidden periods."""
    from assay.config import find_workspace

    ledger = open_ledger(where)
    with ledger.index() as index:
        scopes, sets = _scopes(index), sorted({look.data for look in index.looks()})
    rows = [_counted(ledger, scope) for scope in scopes]
    looks = _looks(ledger, sets, find_workspace() if where is None else None)
    if as_json:
        print_json({"trials": rows, "looks": looks})
        return
    _print_counts(rows, looks)


def _scopes(index: Index) -> list[Scope]:
    """All, each data set, and each desk on each data set."""
    from assay.ledger import Scope

    trials, runs = index.trials(), index.runs().values()
    pairs = {(row.data, row.desk) for row in trials}
    pairs |= {(name, run.desk) for run in runs for name in run.data or ()}
    sets = sorted({data for data, _ in pairs if data is not None})
    desks = sorted((data, desk) for data, desk in pairs if data is not None and desk is not None)
    return [
        Scope(),
        *(
            scope
            for name in sets
            for scope in (
                Scope(data=name),
                *(Scope(data=name, desk=desk) for data, desk in desks if data == name),
            )
        ),
    ]


def _counted(ledger: Ledger, scope: Scope) -> dict[str, Any]:
    from assay.errors import Refusal
    from assay.ledger import INCOMPLETE_SCOPE

    named = {"data": scope.data, "desk": scope.desk}
    try:
        found = ledger.trials(scope)
    except Refusal as refusal:
        if refusal.reason is not INCOMPLETE_SCOPE:
            raise
        unknown = dict.fromkeys(("n", "unrecorded", "effective_n", "sharpe_variance"))
        return {**named, **unknown, "incomplete": refusal.message}
    return {
        **named,
        "n": found.n,
        "unrecorded": found.unrecorded,
        "effective_n": found.effective_n,
        "sharpe_variance": found.sharpe_variance,
        "incomplete": None,
    }


def _looks(ledger: Ledger, sets: list[str], workspace: Workspace | None) -> list[dict[str, Any]]:
    """Looks used and allowed; the budget is that of ``assay.toml`` where the workspace is known."""
    rows = []
    for data in sets:
        budgets = {} if workspace is None else asdict(workspace.settings(data).looks)
        for period, used in ledger.looks(data).items():
            budget = budgets.get(period, used.budget)
            rows.append({"data": data, "period": period, "used": used.used, "budget": budget})
    return rows


def _print_counts(rows: list[dict[str, Any]], looks: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from assay.ledger import INCOMPLETE_SCOPE

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("data", "desk"):
        table.add_column(name)
    for name in ("N", "of them unrecorded", "effective N"):
        table.add_column(name, justify="right")
    for row in rows:
        numbers = (row["n"], row["unrecorded"], row["effective_n"])
        shown = ("?" if number is None else str(number) for number in numbers)
        table.add_row(printable(row["data"] or "all"), printable(row["desk"] or "all"), *shown)
    console().print(table)
    gaps = dict.fromkeys(row["incomplete"] for row in rows if row["incomplete"])
    for gap in gaps:
        say(f"incomplete: {gap}")
    if gaps:
        say(f"what to do: {INCOMPLETE_SCOPE.fix}")
    for look in looks:
        say(f"looks at {look['period']} of {look['data']}: {look['used']} of {look['budget']} used")


def export(
    run: RunId,
    to: Annotated[
        Path | None, typer.Option(help="Write it there, not to standard output.", metavar="FILE")
    ] = None,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Export a run: its records without times and hashes, one a line, the same for a run and its replay."""
    from assay.base import atomic_write
    from assay.cli._files import check_writable

    check_writable(to, "--to")
    content = open_ledger(where).export(run)
    if to is not None:
        atomic_write(to, content)
        written = {"run": run, "records": content.count(b"\n"), "file": str(to)}
        if as_json:
            print_json(written)
        else:
            say(f"{written['records']} records of {run} written to {to}")
    elif as_json:
        print_json([json.loads(line) for line in content.splitlines()])
    else:
        typer.echo(content, nl=False)


def close(
    run: Annotated[str | None, typer.Argument(help="Id of the run that was killed.", metavar="RUN")] = None,
    looks: Annotated[
        bool, typer.Option("--looks", help="Record a trial for each look whose judge was killed.")
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """End a run that was killed, so that trials can be counted again; what it may have tried counts in N."""
    if (run is None) is not looks:
        raise typer.BadParameter("name a run, or give --looks")
    ledger = open_ledger(where)
    if run is not None:
        unrecorded = ledger.run(run).close().body["unrecorded"]
        if as_json:
            print_json({"run": run, "unrecorded": unrecorded})
        else:
            say(f"{run} is abandoned; {unrecorded} trials that it may have made count as unrecorded")
        return
    from assay.ledger import close_looks

    closed = len(close_looks(ledger))
    if as_json:
        print_json({"trials": closed})
    else:
        say(f"{closed} trials recorded for looks that had none")
