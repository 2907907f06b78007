from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli._output import DataName, DialectName, FormulaFile, Formulas, Json


def judge(
    expressions: Formulas = None,
    file: FormulaFile = None,
    values: Annotated[
        Path | None, typer.Option(help="Judge a table of values (.parquet or .csv) instead of formulas.")
    ] = None,
    data: DataName = None,
    dialect: DialectName = "core",
    universe: Annotated[
        str | None, typer.Option(help="Members by date; without it, all instruments.")
    ] = None,
    horizon: Annotated[
        str | None, typer.Option(help="Bars that the label spans: one whole number.", metavar="INTEGER")
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="search, score, eval or all. The last three open hidden dates.")
    ] = None,
    start: Annotated[str | None, typer.Option("--from", help="First date, YYYY-MM-DD.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Last date, YYYY-MM-DD.")] = None,
    lag: Annotated[
        int | None,
        typer.Option(help="Bars between signal and data: with 1 (the rule), that of t uses rows up to t-1."),
    ] = None,
    fill: Annotated[
        str | None, typer.Option(help="Price of t+1 that trades get: close, open or vwap.")
    ] = None,
    market: Annotated[
        str | None,
        typer.Option(help="cn or us, where the data set names none: decides default costs."),
    ] = None,
    costs: Annotated[
        str | None, typer.Option(help="cn (5 and 15 bp), us (5 and 5 bp), or BUY/SELL in bp, such as 3/8.")
    ] = None,
    book: Annotated[str | None, typer.Option(help="decile, top_k, long_short or dollar_neutral.")] = None,
    top_k: Annotated[
        int | None, typer.Option(help="Names of a top_k book, which this option also chooses.")
    ] = None,
    rebalance: Annotated[int | None, typer.Option(help="Bars between rebalances.")] = None,
    benchmark: Annotated[
        Path | None,
        typer.Option(help="Returns by date (.parquet or .csv) instead of the equal weight of the members."),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            help="N: distinct trials that led to this factor, for the deflated Sharpe ratio (DSR), which "
            "needs --sharpe-variance too; of several formulas, the variance is that of the batch."
        ),
    ] = None,
    sharpe_variance: Annotated[
        float | None,
        typer.Option(help="V[SR]: variance of the per-bar Sharpe ratios over the trials, for the DSR."),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Any other setting, such as thresholds.min_t=2. May be repeated.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with charts to this file.")] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write the certificate (JSON) to this file.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Open hidden dates without asking.")] = False,
    as_json: Json = False,
) -> int:
    """Judge factors on a data set: by formula, or by values.

    Dates are those of the workspace's search period; outside a workspace, all. With several formulas the
    result is a ranked table.
    """
    from assay.cli._formulas import known_dialect
    from assay.cli._judge_request import JudgeRequest
    from assay.cli._judge_run import run_judge

    named: dict[str, Any] = {
        "universe": universe,
        "horizon": horizon,
        "period": period,
        "start": start,
        "end": end,
        "lag": lag,
        "fill": fill,
        "market": market,
        "costs": costs,
        "book": book,
        "top_k": top_k,
        "rebalance": rebalance,
        "trials": trials,
        "sharpe_variance": sharpe_variance,
    }
    request = JudgeRequest(
        expressions=tuple(expressions or ()),
        file=file,
        values=values,
        benchmark=benchmark,
        data=data,
        dialect=known_dialect(dialect),
        settings={key: value for key, value in named.items() if value is not None},
        options=tuple(options or ()),
        html=html,
        certificate=certificate,
        yes=yes,
        as_json=as_json,
    )
    return run_judge(request)
