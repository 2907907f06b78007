"""``assay discover``: searches for signals on the search period; every candidate is a trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from assay.cli._output import DataName, Json, console, print_json, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.discovery import Dim, DiscoveryDesk, Leaderboard
    from assay.models import Strategy

S = TypeVar("S")

Objective = Annotated[
    str, typer.Option(help="The figure to maximise: rank_ic, ic, rank_icir, t or sharpe.", metavar="NAME")
]
Slug = Annotated[
    str,
    typer.Option("--strategy", help="What is tried: a model, folds, target and seed.", metavar="SLUG"),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="ridge, linear, lasso, elastic_net or lightgbm, instead of the strategy's.", metavar="NAME"
    ),
]
Target = Annotated[
    str | None, typer.Option(help="The label to foresee, instead of the strategy's.", metavar="NAME")
]
Seed = Annotated[int | None, typer.Option(help="Of what draws at random, instead of the strategy's.", min=0)]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A setting of the model or of its folds, instead of the strategy's, such as alpha=10 or "
        "train_bars=250; may be given several times.",
        metavar="NAME=VALUE",
    ),
]


def discover_app() -> typer.Typer:
    """``assay discover``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Search for signals on the search period; every candidate is a trial in the ledger.",
    )
    app.command("mine")(mine)
    app.command("select")(select)
    app.command("sweep")(sweep)
    app.command("events")(events)
    return app


def mine(
    inputs: Annotated[
        list[str], typer.Argument(help="Features or columns that formulas are made of.", metavar="NAME...")
    ],
    target: Annotated[str, typer.Option(help="The label to foresee.", metavar="NAME")] = "fwd_ret_5",
    depth: Annotated[int, typer.Option(help="Levels of a formula, inputs included: 2 to 10.")] = 3,
    candidates: Annotated[int, typer.Option(help="Distinct formulas to draw, at most 20,000.")] = 200,
    objective: Annotated[
        str, typer.Option(help="'|rank_ic|': the size of the RankIC counts; 'signed': its sign, too.")
    ] = "|rank_ic|",
    seed: Annotated[int, typer.Option(help="Of the draws.", min=0)] = 0,
    data: DataName = None,
    as_json: Json = False,
) -> None:
    """Draw random formulas over inputs and rank them by how they foresee a target."""
    from assay import discovery

    spec = _made(
        discovery.FactorMiningSpec,
        tuple(inputs),
        target,
        depth,
        candidates,
        objective,
        seed,
    )
    _search(data, as_json, lambda desk: discovery.mine(desk, spec))


def select(
    pool: Annotated[list[str], typer.Argument(help="Features or columns to choose from.", metavar="NAME...")],
    method: Annotated[str, typer.Option(help="greedy or exhaustive.", metavar="NAME")] = "greedy",
    least: Annotated[int, typer.Option("--min-features", help="Least size of a set.")] = 1,
    most: Annotated[int, typer.Option("--max-features", help="Largest size of a set.")] = 4,
    objective: Objective = "rank_ic",
    slug: Slug = "ridge_default",
    model: Model = None,
    target: Target = None,
    settings: Settings = None,
    seed: Seed = None,
    data: DataName = None,
    as_json: Json = False,
) -> None:
    """Search for the set of features from which a strategy learns most, out of fold."""
    from assay import discovery

    strategy = _strategy(slug, settings, model=model, target=target, seed=seed)
    spec = _made(
        discovery.FeatureSearchSpec,
        tuple(pool),
        method,
        least,
        most,
        objective,
        strategy,
    )
    _search(data, as_json, lambda desk: discovery.select(desk, spec))


def sweep(
    dims: Annotated[
        list[str],
        typer.Argument(
            help="Settings and the values to try, such as alpha=0.1,1,10 or train_bars=120,250; of features, "
            "sets of names: features=close+volume,turn.",
            metavar="NAME=VALUE,VALUE...",
        ),
    ],
    method: Annotated[str, typer.Option(help="grid or random.", metavar="NAME")] = "grid",
    draws: Annotated[
        int | None, typer.Option("--n-random", help="How many are drawn at random; by default 16.")
    ] = None,
    most: Annotated[int, typer.Option("--max-configs", help="Most that may be tried.")] = 64,
    objective: Objective = "rank_ic",
    slug: Slug = "ridge_default",
    model: Model = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--feature", help="A feature to learn from; may be given several times.", metavar="NAME"
        ),
    ] = None,
    target: Target = None,
    settings: Settings = None,
    seed: Seed = None,
    data: DataName = None,
    as_json: Json = False,
) -> None:
    """Vary settings of a strategy and rank them by what it then says out of fold."""
    from assay import discovery

    strategy = _strategy(slug, settings, model=model, target=target, seed=seed)
    if features:
        strategy = strategy.varied(features=tuple(features))
    axes = tuple(_dim(text) for text in dims)
    spec = _made(discovery.SweepSpec, axes, method, draws, most, objective, strategy)
    _search(data, as_json, lambda desk: discovery.sweep(desk, spec))


def events(
    pre: Annotated[
        list[str],
        typer.Option("--pre", help="How long an event counts: 0m, 5m, 1d; may be given several times."),
    ],
    post: Annotated[
        list[str] | None,
        typer.Option("--post", help="How long an event waits before it counts; by default 0m."),
    ] = None,
    reductions: Annotated[
        list[str] | None,
        typer.Option(
            "--reduction",
            help="indicator, count, mean_score or time_since_last; by default all of them.",
            metavar="NAME",
        ),
    ] = None,
    target: Annotated[str, typer.Option(help="The label to foresee.", metavar="NAME")] = "fwd_ret_1",
    most: Annotated[int, typer.Option("--max-candidates", help="Most combinations that are tried.")] = 200,
    least: Annotated[
        int, typer.Option("--min-events", help="A combination for which fewer events count is left out.")
    ] = 30,
    series: Annotated[
        str | None, typer.Option("--events", help="Name of the series; default: the first.", metavar="NAME")
    ] = None,
    bars: Annotated[
        str, typer.Option(help="daily, or minutes for the bars inside the day.", metavar="NAME")
    ] = "daily",
    data: DataName = None,
    as_json: Json = False,
) -> None:
    """Count events in windows before each bar, in every combination, and rank these by RankIC."""
    from assay import discovery

    hows = tuple(reductions or ("indicator", "count", "mean_score", "time_since_last"))
    spec = _made(
        discovery.EventWindowSpec,
        tuple(pre),
        tuple(post or ("0m",)),
        hows,
        target,
        most,
        least,
        series,
        bars,
    )
    _search(data, as_json, lambda desk: discovery.search_events(desk, spec))


def _made(spec: Callable[..., S], *settings: Any) -> S:
    """A spec of what was typed: its closed lists are the spec's to check."""
    return spec(*settings)


def _strategy(slug: str, settings: list[str] | None, **given: Any) -> Strategy:
    """A strategy with the settings that were given instead of its own."""
    from assay.cli._strategy import read_setting, strategy_book

    changes: dict[str, Any] = dict(read_setting(text) for text in settings or ())
    changes |= {name: value for name, value in given.items() if value is not None}
    return strategy_book().get(slug).varied(**changes)


def _dim(text: str) -> Dim:
    from assay.cli._strategy import read_setting
    from assay.discovery import Dim

    name, mark, values = text.partition("=")
    if not mark or not name.strip():
        raise AssayError(
            f"{text[:80]!r} is no setting with values", where="dims", fix="write it as alpha=1,10"
        )
    parts = [part.strip() for part in values.split(",")]
    if name.strip() == "features":
        return Dim("features", tuple(tuple(part.split("+")) for part in parts))
    return Dim(name.strip(), tuple(read_setting(f"{name}={part}")[1] for part in parts))


def _search(data: str | None, as_json: bool, search: Callable[[DiscoveryDesk], Leaderboard]) -> None:
    from assay.base import Operator
    from assay.cli._progress import note, slow_notice
    from assay.cli._search_data import open_search_data
    from assay.discovery import DiscoveryDesk
    from assay.judge import recording_of

    opened = open_search_data(data)
    recording = recording_of(opened.view.panel)
    ledger = None if recording is None else recording.ledger
    with slow_notice():
        found = search(DiscoveryDesk(opened.features, ledger, Operator.human()))
    if ledger is None:
        note("the data set lies in no workspace: these trials were not recorded")
    if as_json:
        print_json(_as_dict(found))
        return
    _print(found)


def _as_dict(found: Leaderboard) -> dict[str, Any]:
    from dataclasses import asdict

    rows = [{"rank": row.rank, "score": row.score, "report": row.report.as_dict()} for row in found.rows]
    return {**asdict(found), "rows": rows}


def _print(found: Leaderboard) -> None:
    from rich.table import Table
    from rich.text import Text

    counts = [f"{found.evaluated} evaluated"]
    for count, words in (
        (found.excluded, "left out: too little data"),
        (found.undefined, "undefined, or on too few bars"),
        (found.repeated, "passed over: they rank the names as a better one"),
    ):
        if count:
            counts.append(f"{count} {words}")
    say(f"{found.method}: {found.target} by {found.objective}; {', '.join(counts)}")
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("", "score", "rank IC", "t", "sharpe", "turnover", "days", "what"):
        table.add_column(title, justify="left" if title == "what" else "right", no_wrap=title != "what")
    for row in found.rows:
        told = row.report.metrics
        figures = (row.score, told.rank_ic, told.t, told.sharpe, told.turnover, told.days)
        cells = [str(row.rank), *(_number(value) for value in figures), row.report.subject]
        table.add_row(*(Text(cell) for cell in cells))
    console().print(table)
    say(f"trials on the data set: {'not known' if found.n is None else found.n}")


def _number(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
