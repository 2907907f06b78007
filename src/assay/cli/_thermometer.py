"""``assay thermometer``: prints of supply and demand."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import Json, console, print_json, say
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.thermometer import ComponentSeries, PrintStore, Rules, StoredPrint, ThermometerPrint

AsOf = Annotated[
    str | None, typer.Option("--as-of", help="Day, YYYY-MM-DD; by default today (UTC).", metavar="DAY")
]


def thermometer_app() -> typer.Typer:
    """``assay thermometer``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="The thermometer: immutable prints of supply and demand from component series.",
    )
    app.command("print")(make)
    app.command("show")(show)
    app.command("plot")(plot)
    return app


def make(
    as_of: AsOf = None,
    since: Annotated[
        str | None,
        typer.Option(help="Print the end of each month from this day on, too.", metavar="DAY"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a print from the components in thermometer/components.toml; without it, of simulated ones.

    A print has what was released by its day. The same again changes nothing; other content of a day is a new
    print, which supersedes the one before by name.
    """
    from assay.cli._workspace import need_workspace
    from assay.thermometer import workspace_prints

    workspace = need_workspace()
    days = _days(_open_day(as_of, "--as-of"), since)
    series, rules = _components(workspace)
    made = [_print_of(series, day, rules) for day in days]
    store = workspace_prints(workspace)
    known = {stored.name for stored in store.list()}
    rows = [store.add(item) for item in made]
    if as_json:
        print_json([{**_as_dict(row), "new": row.name not in known} for row in rows])
        return
    for row in rows:
        say(f"{_line(row)}  {'unchanged' if row.name in known else row.name}")
    if rows[-1].print.simulated:
        say(f"simulated components; for others write {workspace.thermometer_dir / 'components.toml'}")


def show(
    as_of: AsOf = None,
    every: Annotated[
        bool, typer.Option("--all", help="List all prints up to the day, superseded ones included.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the latest print, or the latest as of a day."""
    store, day = _store(), _open_day(as_of, "--as-of")
    if every:
        rows = [row for row in store.list() if row.as_of <= day]
        if as_json:
            print_json([_as_dict(row) for row in rows])
            return
        for row in rows:
            say(f"{_line(row)}  {row.name}")
        if not rows:
            say("there is no print yet: assay thermometer print")
        return
    found = store.latest(day)
    if as_json:
        print_json(_as_dict(found))
        return
    _tell(found)


def plot(
    html: Annotated[
        Path | None,
        typer.Option("--html", help="The page; default: thermometer/thermometer.html.", metavar="FILE"),
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Write a page: the gauge of the latest print, heat and diffusion over all, and the components."""
    from assay.base import atomic_write
    from assay.cli._files import check_writable
    from assay.cli._workspace import need_workspace
    from assay.thermometer import NO_THERMOMETER_PRINT
    from assay.views import thermometer_page

    workspace, day = need_workspace(), _open_day(as_of, "--as-of")
    prints = [row for row in _store().standing() if row.as_of <= day]
    if not prints:
        raise Refusal(NO_THERMOMETER_PRINT)
    place = html or workspace.thermometer_dir / "thermometer.html"
    check_writable(place, "--html")
    atomic_write(place, thermometer_page(prints))
    if as_json:
        print_json({"html": str(place), "prints": [row.name for row in prints]})
        return
    say(f"wrote {place}")


def _store() -> PrintStore:
    from assay.cli._workspace import need_workspace
    from assay.thermometer import workspace_prints

    return workspace_prints(need_workspace())


def _components(workspace: Workspace) -> tuple[tuple[ComponentSeries, ...], Rules | None]:
    from assay.thermometer import FILE, read_components, simulated_components

    path = workspace.thermometer_dir / FILE
    if os.path.lexists(path):
        return read_components(workspace.thermometer_dir)
    if any(not row.print.simulated for row in _store().list()):
        raise AssayError(
            "there are prints of components that are not simulated, and no file that says what they are",
            where=str(path),
            fix="restore it, or print in another workspace",
        )
    return simulated_components(), None


def _print_of(series: tuple[ComponentSeries, ...], day: date, rules: Rules | None) -> ThermometerPrint:
    from assay.thermometer import make_print

    try:
        return make_print(series, day, rules)
    except Refusal as refusal:
        raise Refusal(refusal.reason, refusal.message, where=f"{refusal.where}, as of {day}") from refusal


def _open_day(text: str | None, option: str) -> date:
    """A day that is not after today; today by default."""
    from assay.base import SystemClock
    from assay.config import as_date
    from assay.errors import DataError
    from assay.features import AS_OF_IN_FUTURE

    today = SystemClock().now().date()
    if text is None:
        return today
    try:
        day = as_date(text)
    except DataError as error:
        raise DataError(error.message, where=option, fix=error.fix) from error
    if day > today:
        raise Refusal(AS_OF_IN_FUTURE, f"{day} lies after today, {today} (UTC)", where=option)
    return day


def _days(last: date, since: str | None) -> list[date]:
    from assay.thermometer import month_ends

    if since is None:
        return [last]
    return sorted({*month_ends(_open_day(since, "--since"), last), last})


def _as_dict(row: StoredPrint) -> dict[str, Any]:
    return {"name": row.name, **row.print.model_dump(mode="json")}


def _line(row: StoredPrint) -> str:
    return f"{row.as_of}  {row.print.verdict:<11}  heat {row.print.heat:5.1f}"


def _tell(found: StoredPrint) -> None:
    from rich.table import Table
    from rich.text import Text

    from assay.thermometer import VERDICT_MEANINGS

    made = found.print
    say(found.name)
    say(f"{_line(found)}{'  (simulated components)' if made.simulated else ''}")
    say(VERDICT_MEANINGS[made.verdict])
    for name, axis in (("supply", made.axes.supply), ("demand", made.axes.demand)):
        say(
            f"{name}  {axis.move:<7}  diffusion {axis.diffusion:.2f}  agreement {axis.agreement:.2f}  "
            f"dispersion {axis.dispersion:.2f}  {axis.counted} of {axis.components} count"
        )
    say(
        f"values of {made.freshness.oldest} to {made.freshness.newest}; "
        f"methodology {made.methodology_hash[:12]}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("component", "axis", "change", "before", "last", "of", "released", "source"):
        table.add_column(title, justify="right" if title in ("before", "last") else "left")
    for item in made.components:
        sign = "" if item.direction == 1 else " (inverse)"
        before = "-" if item.reference is None else f"{item.reference.value:g}"
        last = ("-", "-", "-")
        if item.last is not None:
            last = (f"{item.last.value:g}", str(item.last.day), str(item.last.released))
        cells = (item.name, f"{item.axis}{sign}", item.change or item.state, before, *last, item.source)
        table.add_row(*(Text(cell) for cell in cells))
    console().print(table)
