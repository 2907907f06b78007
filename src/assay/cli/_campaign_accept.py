"""``assay campaign accept`` and ``assay campaign noise-twin``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import Json, console, print_json, say
from assay.cli._progress import ask, note, slow_notice, usable_cores
from assay.errors import AssayError

if TYPE_CHECKING:
    from rich.table import Table

    from assay.campaign import Acceptance, AcceptPlan, NoiseTwin, OrderSpread

REJECTED = 1
RunId = Annotated[str, typer.Argument(help="Id of a run.", metavar="RUN")]
By = Annotated[str, typer.Option("--by", help="Who decides: your name, for the record.", metavar="NAME")]
_PORTFOLIOS = ("equal", "ridge", "lightgbm")


def accept(
    run: RunId,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Certify this admitted trial alone; may be repeated.", metavar="TRIAL"),
    ] = None,
    combine: Annotated[
        str,
        typer.Option(
            help="Portfolios of the factors: equal, ridge, lightgbm (extra 'models'), with commas; or none.",
            metavar="NAMES",
        ),
    ] = "equal,ridge",
    by: By = "user",
    yes: Annotated[bool, typer.Option("--yes", help="Open the hold-out without asking.")] = False,
    as_json: Json = False,
) -> int:
    """Open a campaign's hold-out, once: certify what it admitted, combine it, and export it.

    The hold-out is 'eval' of the plan, and each certificate is a charged look; without one, the validate tail
    of 'search'. Factors that pass join the zoo. Done again, it charges nothing and gives the same. Exit code
    1 when no factor passed.
    """
    from assay.base import Operator
    from assay.campaign import AcceptChoice, plan_acceptance
    from assay.campaign import accept as accept_run
    from assay.cli._workspace import need_ledger, need_workspace

    choice = AcceptChoice(_portfolios(combine), tuple(only or ()))
    workspace = need_workspace()
    need_ledger(workspace)
    plan = plan_acceptance(workspace, run, choice)
    # what cannot be paid is refused before anybody is asked
    confirmed = plan.done or (plan.affordable and _agreed(plan, yes=yes))
    with slow_notice():
        found = accept_run(
            workspace, run, Operator.human(by), choice, confirmed=confirmed, threads=usable_cores()
        )
    if as_json:
        print_json({**found.as_dict(), "again": found.again, "folder": str(found.folder)})
    else:
        _show_acceptance(found)
    return 0 if any(factor.passed for factor in found.factors) else REJECTED


def noise_twin(
    run: RunId,
    twins: Annotated[int, typer.Option(help="Markets without signal.", min=1, max=1000)] = 1,
    seed: Annotated[
        int,
        typer.Option(help="Of the markets; 0: of a simulated one the data's.", min=0, max=2**31 - 1),
    ] = 0,
    kind: Annotated[
        str | None,
        typer.Option(
            help="simulated: the simulated market without its signals; permuted: returns of other dates. "
            "Default: what the data allows.",
            metavar="KIND",
        ),
    ] = None,
    block: Annotated[
        int | None, typer.Option(help="Bars of a block of permuted dates; default: four labels.", min=1)
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a campaign's pipeline on markets without signal: how many of its discoveries are chance.

    The sampler takes each role, for as many rounds as the run had. Twins have ledgers of their own: no trial
    of theirs counts in this workspace.
    """
    from assay.campaign import noise_twin as run_twins
    from assay.cli._workspace import need_ledger, need_workspace

    if kind not in (None, "simulated", "permuted"):
        raise AssayError(f"no kind of twin is {kind!r}", where="--kind", fix="use simulated or permuted")
    workspace = need_workspace()
    need_ledger(workspace)
    with slow_notice():
        found = run_twins(workspace, run, twins=twins, seed=seed, kind=kind, block=block)  # type: ignore[arg-type]
    if as_json:
        print_json(found.as_dict())
    else:
        _show_noise(found)


def _portfolios(text: str) -> tuple[Any, ...]:
    if text.strip() in ("", "none"):
        return ()
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    unknown = [name for name in names if name not in _PORTFOLIOS]
    if unknown:
        raise AssayError(
            f"no portfolio is {', '.join(map(repr, unknown))}",
            where="--combine",
            fix=f"use {', '.join(_PORTFOLIOS)}, or none",
        )
    return names


def _agreed(plan: AcceptPlan, *, yes: bool) -> bool:
    """Whether the person at the terminal agrees; without a terminal, and without --yes, the desk refuses."""
    held = plan.hold_out
    what = (
        f"this opens {held.name!r}, {held.start} to {held.end}, for {plan.factors} "
        f"{'factor' if plan.factors == 1 else 'factors'}"
    )
    if plan.certificates > plan.factors:
        what += f" and {plan.certificates - plan.factors} portfolios"
    if plan.looks_left is not None:
        looks = "1 look" if plan.certificates == 1 else f"{plan.certificates} looks"
        what += f": {looks} of {plan.looks_left} that are left"
    what += ". It is done once: what is seen then is no hold-out any more."
    if yes:
        note(f"{what} Opened, as --yes says.")
        return True
    if not sys.stdin.isatty():
        return False
    if not ask(f"{what} Open it?"):
        note("nothing was opened")
        raise typer.Exit(1)
    return True


def _show_acceptance(found: Acceptance) -> None:
    held = found.hold_out
    data = f"{found.data}{' (simulated)' if found.simulated else ''}"
    say(f"{found.run} on {data}: hold-out {held.name}, {held.start} to {held.end}")
    if found.again:
        say("accepted before: nothing was opened, no look was charged")
    table = _table("factor", "RankIC train", "RankIC", "t", "net excess", "verdict")
    for factor in found.factors:
        trained = factor.training.get("rank_ic")
        table.add_row(
            factor.name,
            _number(None if trained is None else trained * factor.direction, ".4f"),
            *_row(factor.hold_out),
            "in the zoo" if factor.in_zoo else (factor.reasons[0] if factor.reasons else factor.status),
        )
    for portfolio in found.portfolios:
        table.add_row(portfolio.name, "", *_row(portfolio.hold_out), portfolio.status)
    console().print(table)
    pbo = found.overfit
    say(f"PBO {_number(pbo.pbo, '.2f')} over {pbo.trials} trials and {pbo.days} days: {pbo.note}")
    if found.order is not None:
        say(_order(found.order))
    say(f"exported to {found.folder}")


def _order(found: OrderSpread) -> str:
    return (
        f"order of admission: the run's admits {found.given}, {found.orders} orders {found.span}; "
        f"{found.always} of {found.ever} are in each; overlap {found.overlap:.2f}"
    )


def _show_noise(found: NoiseTwin) -> None:
    table = _table("market", "admitted", "trials", "per 100 trials", "95% interval")
    rows = [("the run", found.real), *((f"twin, seed {twin.seed}", twin.rate) for twin in found.twins)]
    if len(found.twins) > 1:
        rows.append(("all twins", found.noise))
    for name, rate in rows:
        interval = f"{rate.low:.2f} to {rate.high:.2f}"
        table.add_row(name, str(rate.admitted), str(rate.trials), _number(rate.per_hundred, ".2f"), interval)
    console().print(table)
    how = "simulated without signals" if found.block is None else f"returns permuted by {found.block} dates"
    say(f"twins: {how}; intervals are exact (binomial)")
    if found.sampled:
        say("the run's models were not asked: the sampler stood in for them")
    if found.share is not None:
        say(f"about {found.share:.0%} of what the run admitted is what chance would have given")


def _table(*titles: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place, title in enumerate(titles):
        words = place == 0 or title == "verdict"
        table.add_column(title, justify="left" if words else "right", no_wrap=place == 0)
    return table


def _row(figures: Any) -> list[str]:
    shown = (("rank_ic", ".4f"), ("t", ".1f"), ("net_excess", ".1%"))
    return [_number(figures.get(name), form) for name, form in shown]


def _number(value: float | None, form: str) -> str:
    return "-" if value is None or value != value else format(value, form)
