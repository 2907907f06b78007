"""``assay zoo values`` and ``assay zoo monitor``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._output import DataName, Json, console, print_json, say
from assay.cli._progress import ask, note, slow_notice, usable_cores
from assay.errors import AssayError, DataError, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from assay.campaign import Monitored, ZooValues
    from assay.library import Member

    T = TypeVar("T")

ALARM = 1
Names = Annotated[
    list[str] | None, typer.Argument(help="Names of factors; without any, all.", metavar="NAME...")
]
By = Annotated[str, typer.Option("--by", help="Who reads: your name, for the record.", metavar="NAME")]
Yes = Annotated[bool, typer.Option("--yes", help="Read hidden dates without asking.")]


def values(
    names: Names = None,
    day: Annotated[
        str | None,
        typer.Option(
            "--date", help="Day of the last bar that is read; default: the last of the data.", metavar="DAY"
        ),
    ] = None,
    data: DataName = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the values to this file (.parquet or .csv).", metavar="FILE"),
    ] = None,
    by: By = "user",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Give the factors' values on a date, from bars up to it: what the next bar would be traded on.

    Values are no returns, and cost no look; but on a hidden date they are given only after a question, and
    that is recorded.
    """
    from assay.base import Operator
    from assay.campaign import zoo_values
    from assay.cli._dataset import open_with_settings
    from assay.cli._files import check_writable
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.config import as_date

    if out is not None and out.suffix not in (".parquet", ".csv"):
        raise AssayError(f"{out.name} is neither .parquet nor .csv", where="--out", fix="give one of the two")
    check_writable(out, "--out")
    ledger = need_ledger(need_workspace())
    members = _members(names)
    panel, own = open_with_settings(data or members[0].data)
    asked = as_date(panel.dates[-1]) if day is None else as_date(day)

    def read(confirmed: bool) -> ZooValues:
        return zoo_values(
            ledger,
            members,
            panel,
            asked,
            own,
            Operator.human(by),
            confirmed=confirmed,
            threads=usable_cores(),
        )

    with slow_notice():
        found = _asked(read, "values_closed", yes=yes, told="Whoever reads them is no longer blind there.")
    _tell_values(found, out, as_json=as_json)


def monitor(
    names: Names = None, data: DataName = None, by: By = "user", yes: Yes = False, as_json: Json = False
) -> int:
    """Hold the factors against data that came after their admission, by the kill rules frozen then.

    Hidden dates are read only after a question, and each factor costs a look. Nothing is fitted anew. Exit
    code 1 when a factor alarms.
    """
    from assay.base import Operator
    from assay.campaign import monitor as follow_members
    from assay.cli._dataset import open_with_settings
    from assay.cli._workspace import need_ledger, need_workspace

    workspace = need_workspace()
    ledger = need_ledger(workspace)
    members = _members(names)
    panel, own = open_with_settings(data or members[0].data)

    def read(confirmed: bool) -> tuple[Monitored, ...]:
        return follow_members(
            ledger,
            members,
            panel,
            own or workspace.settings(panel.name),
            Operator.human(by),
            confirmed=confirmed,
            threads=usable_cores(),
        )

    with slow_notice():
        told = "Each factor costs a look, and each look makes them worth less."
        found = _asked(read, "hidden_period", yes=yes, told=told)
    if as_json:
        print_json([item.as_dict() for item in found])
    else:
        _tell_monitored(found)
    alarms = [item for item in found if item.followed is not None and item.followed.health == "alarm"]
    return ALARM if alarms else 0


def _members(names: Sequence[str] | None) -> tuple[Member, ...]:
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.library import Zoo

    zoo = Zoo.read(need_ledger(need_workspace()))
    members = tuple(zoo.get(name) for name in dict.fromkeys(names)) if names else zoo.members()
    if not members:
        raise DataError("the zoo is empty", where="names", fix="admit a factor first: assay zoo admit")
    return members


def _asked(read: Callable[[bool], T], reason: str, *, yes: bool, told: str) -> T:
    """Read; where that needs a person's word, ask for it."""
    try:
        return read(False)
    except Refusal as refusal:
        if refusal.reason.code != reason:
            raise
        warning = f"{refusal.message}. {told}"
        if yes:
            note(f"{warning} Read, as --yes says.")
        elif not sys.stdin.isatty():
            raise Refusal(
                refusal.reason, refusal.message, where=refusal.where, fix="name an open date, or add --yes",
                details=refusal.details,
            ) from refusal  # fmt: skip
        elif not ask(f"{warning} Read them?"):
            note("nothing was read")
            raise typer.Exit(1) from refusal
    return read(True)


def _tell_values(found: ZooValues, out: Path | None, *, as_json: bool) -> None:
    if out is not None:
        _write_values(found, out)
    if as_json:
        print_json(
            {
                "data": found.data,
                "date": found.day.isoformat(),
                "hidden": list(found.hidden),
                "instruments": list(found.instruments),
                "values": {name: item.tolist() for name, item in found.values.items()},
                "left_out": dict(found.left_out),
            }
        )
        return
    for name, why in found.left_out.items():
        note(f"left out: {name}: {why}")
    if out is not None:
        n = len(found.values)
        factors = f"{n} {'factor' if n == 1 else 'factors'}"
        say(f"{factors} of {len(found.instruments)} instruments on {found.day} in {out}")
        return
    _print_values(found)


def _print_values(found: ZooValues) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column(str(found.day))
    for name in found.values:
        table.add_column(name, justify="right")
    for row, instrument in enumerate(found.instruments):
        table.add_row(instrument, *(_number(float(item[row]), ".6g") for item in found.values.values()))
    console().print(table)


def _write_values(found: ZooValues, out: Path) -> None:
    import io

    import polars as pl

    from assay.base import atomic_write

    frame = pl.DataFrame(
        {
            "date": pl.Series([found.day] * len(found.instruments), dtype=pl.Date),
            "instrument": pl.Series(list(found.instruments), dtype=pl.String),
            **{name: pl.Series(item).fill_nan(None) for name, item in found.values.items()},
        }
    )
    buffer = io.BytesIO()
    if out.suffix == ".parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_csv(buffer)
    atomic_write(out, buffer.getvalue())


def _tell_monitored(found: Sequence[Monitored]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place, title in enumerate(("factor", "expected", "days", "mean", "95% band", "rule", "health")):
        table.add_column(title, justify="left" if place in (0, 6) else "right")
    for item in found:
        table.add_row(item.name, *_cells(item))
    console().print(table)
    for item in found:
        followed = item.followed
        if followed is not None and followed.alarm is not None:
            say(f"ALARM {item.name}: its kill rule said stop on {followed.alarm}; see 'assay zoo retire'")


def _cells(item: Monitored) -> list[str]:
    expected = "-" if item.watch is None else f"{item.watch.mean:.4f}"
    followed = item.followed
    if followed is None or followed.health == "no_data":
        return [expected, "0", "-", "-", "-", item.note or "no new day has a label yet"]
    return [
        expected,
        str(followed.days),
        _number(followed.mean, ".4f"),
        f"{followed.low:.4f} to {followed.high:.4f}",
        f"{followed.statistic:.2f} of {followed.limit:.2f}",
        followed.health,
    ]


def _number(value: float, form: str) -> str:
    return "-" if value != value else format(value, form)
