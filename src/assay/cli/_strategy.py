"""``assay strategy``: models on features, tried walk-forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import DataName, Json, console, print_json, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.models import Strategy, StrategyBook

Slug = Annotated[str, typer.Argument(help="Slug of a strategy.", metavar="SLUG")]
Named = Annotated[
    list[str] | None,
    typer.Option("--feature", help="A feature to learn from; may be given several times.", metavar="NAME"),
]


def strategy_app() -> typer.Typer:
    """``assay strategy``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Strategies: a model, the features that it learns from, and how it is tried.",
    )
    app.command("list")(list_strategies)
    app.command("show")(show)
    app.command("new")(new)
    app.command("backtest")(backtest)
    return app


def list_strategies(as_json: Json = False) -> None:
    """List the strategies of this workspace, and the one that is always there."""
    book = strategy_book()
    found = [book.get(slug) for slug in book.slugs()]
    if as_json:
        print_json([_as_dict(item) for item in found])
        return
    for item in found:
        head = f"{item.slug:<24} {item.model:<12} {item.target:<12}"
        say(f"{head} {len(item.features):>3} features  {item.title}")


def show(slug: Slug, as_json: Json = False) -> None:
    """Show one strategy as its file says it."""
    from assay.models import strategy_toml

    strategy = strategy_book().get(slug)
    if as_json:
        print_json(_as_dict(strategy))
        return
    say(strategy_toml(strategy).rstrip())


def new(
    slug: Slug,
    features: Named = None,
    model: Annotated[
        str, typer.Option(help="ridge, linear, lasso, elastic_net or lightgbm.", metavar="NAME")
    ] = "ridge",
    target: Annotated[str, typer.Option(help="The label to foresee.", metavar="NAME")] = "fwd_ret_5",
    title: Annotated[str, typer.Option(help="A few words.", metavar="TEXT")] = "",
    seed: Annotated[int, typer.Option(help="Of what draws at random.", min=0)] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter of the model or a setting of the walk-forward, such as alpha=10 or "
            "train_bars=250; may be given several times.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Register a strategy in this workspace: strategies/SLUG.toml."""
    from assay.cli._workspace import need_workspace
    from assay.models import Strategy, StrategyBook

    book = StrategyBook(need_workspace().strategies_dir)
    # the closed list of models is the strategy's to check
    strategy = Strategy(slug, title, model, {}, tuple(features or ()), target, seed=seed)  # type: ignore[arg-type]
    strategy = strategy.varied(**dict(read_setting(text) for text in settings or ()))
    book.add(strategy)
    if as_json:
        print_json(_as_dict(strategy))
        return
    say(f"registered {slug}: try it with 'assay strategy backtest {slug}'")


def backtest(
    slug: Slug,
    features: Named = None,
    horizon: Annotated[int | None, typer.Option(help="Bars of the label.", min=1, max=60)] = None,
    max_bars: Annotated[
        int | None, typer.Option(help="How many of the last bars are used.", min=1, max=100_000)
    ] = None,
    data: DataName = None,
    as_json: Json = False,
) -> None:
    """Train a strategy fold after fold and evaluate it out of fold, on the search period alone.

    It counts as a trial in the ledger of the workspace in which the data set lies.
    """
    from assay.cli._progress import note, slow_notice
    from assay.cli._search_data import ask_tool, open_search_data
    from assay.judge import recording_of
    from assay.models import StrategyBook
    from assay.tools.builtin import Workbench

    opened = open_search_data(data)
    book = StrategyBook(None if opened.workspace is None else opened.workspace.strategies_dir)
    chosen = features or list(book.get(slug).features)
    if not chosen:
        raise AssayError(f"{slug} names no features", where="--feature", fix="give --feature NAME")
    recording = recording_of(opened.view.panel)
    ledger = None if recording is None else recording.ledger
    bench = Workbench(features=opened.features, strategies=book, ledger=ledger)
    with slow_notice():
        told = ask_tool(
            bench, "backtest.run", strategy_slug=slug, features=chosen, horizon=horizon, max_bars=max_bars
        ).model_dump()
    if ledger is None:
        note("the data set lies in no workspace: this trial was not recorded")
    if as_json:
        print_json(told)
        return
    _print_report(told)


def strategy_book() -> StrategyBook:
    """The strategies of the workspace at hand, and the default one."""
    from assay.config import find_workspace
    from assay.models import StrategyBook

    workspace = find_workspace()
    return StrategyBook(None if workspace is None else workspace.strategies_dir)


def _as_dict(strategy: Strategy) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(strategy), "features": list(strategy.features)}


def read_setting(text: str) -> tuple[str, Any]:
    """Name and value of ``alpha=10``."""
    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        raise AssayError(f"{text[:80]!r} is no setting", where="--set", fix="write it as alpha=10")
    word = value.strip().lower()
    if word in ("true", "false"):
        return name.strip(), word == "true"
    try:
        return name.strip(), int(word)
    except ValueError:
        pass
    try:
        return name.strip(), float(word)
    except ValueError as error:
        raise AssayError(
            f"{value[:80]!r} is no number", where=f"--set {name}", fix="give a number"
        ) from error


def _print_report(told: dict[str, Any]) -> None:
    source = told["provenance"]
    say(f"{told['subject']} on {source['data']}: {told['target']}, {told['bars']} bars, out of fold")
    say("  ".join(f"{name} {_number(value)}" for name, value in told["metrics"].items()))
    _print_folds(told["folds"])
    say(f"trials on the data set: {'not known' if told['n'] is None else told['n']}")


def _print_folds(folds: Sequence[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("trained", "to", "tested", "to", "days", "rank IC", "IC"):
        table.add_column(title, justify="right" if title in ("days", "rank IC", "IC") else "left")
    for fold in folds:
        cells = [fold[key] for key in ("train_start", "train_end", "test_start", "test_end")]
        cells += [str(fold["days"]), _number(fold["rank_ic"]), _number(fold["ic"])]
        table.add_row(*(Text(cell) for cell in cells))
    console().print(table)


def _number(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
