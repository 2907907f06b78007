"""``assay zoo``: the admitted factors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._certificate import Target, certificate_lines, read_certificates
from assay.cli._output import DataName, Json, console, print_json, say
from assay.cli._zoo_daily import monitor, values
from assay.errors import DataError

if TYPE_CHECKING:
    from assay.base import Operator
    from assay.library import Comparison, Member, Zoo

By = Annotated[str, typer.Option("--by", help="Who decides: your name, for the record.", metavar="NAME")]
MemberName = Annotated[str, typer.Argument(help="Name of a factor.", metavar="NAME")]


def zoo_app() -> typer.Typer:
    """``assay zoo``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="The zoo: factors that a person admitted on the strength of their certificates.",
    )
    app.command("list")(list_members)
    app.command("show")(show)
    app.command("compare")(compare)
    app.command("export")(export)
    app.command("admit")(admit)
    app.command("retire")(retire)
    app.command("values")(values)
    app.command("monitor")(monitor)
    return app


def list_members(
    retired: Annotated[bool, typer.Option("--retired", help="Those that have left, too.")] = False,
    as_json: Json = False,
) -> None:
    """List the factors in order of admission."""
    members = _zoo().members(retired=retired)
    if as_json:
        print_json([member.as_dict() for member in members])
        return
    if not members:
        say("the zoo is empty; admit a factor that passed with 'assay zoo admit'")
    for member in members:
        gone = "" if member.retired is None else f"  (retired: {member.retired.reason})"
        say(f"{member.name:<24} {member.data or '':<12} {member.expression or 'values'}{gone}")


def show(name: MemberName, as_json: Json = False) -> None:
    """Show one factor: who admitted it, on what certificate, and what that says."""
    zoo = _zoo()
    member, certificate = zoo.get(name), zoo.certificate(name)
    if as_json:
        print_json({**member.as_dict(), "document": certificate})
        return
    for line in [*_lines(member), *certificate_lines(certificate)]:
        say(line)


def compare(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of two factors or more; without any, all.", metavar="NAME..."),
    ] = None,
    data: DataName = None,
    universe: Annotated[
        str | None, typer.Option(help="Members by date; without it, the workspace's default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare factors pair by pair, on search dates alone: formulas, values, series of their trials."""
    from assay.cli._dataset import open_with_settings
    from assay.cli._progress import slow_notice

    zoo = _zoo()
    chosen = [zoo.get(name) for name in names or ()] or list(zoo.members())
    if len(chosen) < 2:
        raise DataError(
            f"two factors or more are compared, and there are {len(chosen)}",
            where="names",
            fix="name two factors of the zoo",
        )
    panel, settings = open_with_settings(data or chosen[0].data)
    plan = None if settings is None else settings.periods
    with slow_notice():
        found = zoo.compare(
            [member.name for member in chosen],
            panel,
            search=None if plan is None else plan.search,
            universe=universe or (None if settings is None else settings.universe),
        )
    if as_json:
        print_json([item.as_dict() for item in found])
        return
    _print_comparisons(found)


def export(
    folder: Annotated[Path, typer.Argument(help="A folder that does not exist yet.", metavar="DIR")],
    as_json: Json = False,
) -> None:
    """Write the factors and their certificates as JSON files into a new folder."""
    members = _zoo().export(folder)
    if as_json:
        print_json({"folder": str(folder), "factors": [member.name for member in members]})
        return
    say(f"{len(members)} {'factor' if len(members) == 1 else 'factors'} written to {folder}")


def admit(
    certificate: Target,
    name: Annotated[str, typer.Option("--name", help="Name in the zoo, used once.", metavar="NAME")],
    by: By = "user",
    as_json: Json = False,
) -> None:
    """Admit a factor whose certificate says passed and is recorded in this workspace's ledger."""
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.judge import verify_certificate
    from assay.library import admit as admit_to_zoo

    ledger = need_ledger(need_workspace())
    found = read_certificates(certificate)
    if len(found) > 1:
        raise DataError(
            f"{certificate} holds {len(found)} certificates",
            where="certificate",
            fix="give the content hash of the one that is meant",
        )
    verify_certificate(found[0])
    member = admit_to_zoo(ledger, found[0], name, _operator(by))
    _done(member, f"admitted {member.name}: {member.expression or 'values'}", as_json=as_json)


def retire(
    name: MemberName,
    reason: Annotated[str, typer.Option("--reason", help="Why it leaves, for the record.", metavar="TEXT")],
    by: By = "user",
    as_json: Json = False,
) -> None:
    """Take a factor out of the zoo. Its record and its name stay."""
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.library import retire as retire_from_zoo

    member = retire_from_zoo(need_ledger(need_workspace()), name, reason, _operator(by))
    _done(member, f"retired {member.name}: {reason}", as_json=as_json)


def _zoo() -> Zoo:
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.library import Zoo

    return Zoo.read(need_ledger(need_workspace()))


def _operator(name: str) -> Operator:
    from assay.base import Operator

    return Operator.human(name)


def _done(member: Member, text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(member.as_dict())
    else:
        say(text)


def _lines(member: Member) -> list[str]:
    lines = [f"{member.name}, admitted by {member.operator.identifier} (line {member.line} of the ledger)"]
    if member.retired is not None:
        gone = member.retired
        lines.append(f"  retired by {gone.operator.identifier} (line {gone.line}): {gone.reason}")
    return [*lines, "certificate:"]


def _print_comparisons(found: tuple[Comparison, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("a", "b", "formula", "values", "days", "series", "days"):
        table.add_column(title, justify="left" if title in ("a", "b", "formula") else "right")
    for item in found:
        cells = [item.a, item.b, _formula(item)]
        for part in (item.values, item.series):
            cells += [_number(part.correlation), str(part.days)]
        table.add_row(*(Text(cell) for cell in cells))
    console().print(table)


def _formula(item: Comparison) -> str:
    if item.match is None:
        return "-"
    return {"fingerprint": "same", "signature": "same but for sign or scale"}.get(
        item.match, f"{item.distance} edits"
    )


def _number(value: Any) -> str:
    return "-" if value != value else f"{value:.3f}"
