from __future__ import annotations

from typing import Annotated

import typer

from assay.cli._agent import agent_app
from assay.cli._backtest import backtest_app
from assay.cli._book import book_app
from assay.cli._brain import brain_app
from assay.cli._campaign import campaign_app, verify
from assay.cli._certificate import certificate_app
from assay.cli._check import check
from assay.cli._convert import convert
from assay.cli._data import data_app
from assay.cli._demo import demo
from assay.cli._discover import discover_app
from assay.cli._doctor import doctor
from assay.cli._explain import explain
from assay.cli._features import features_app
from assay.cli._init import init
from assay.cli._judge import judge
from assay.cli._ledger import ledger_app
from assay.cli._library import library_app
from assay.cli._mcp import mcp_app
from assay.cli._note import note_app
from assay.cli._parse import parse
from assay.cli._periods import periods_app
from assay.cli._report import report_app
from assay.cli._service import service_app
from assay.cli._strategy import strategy_app
from assay.cli._thermometer import thermometer_app
from assay.cli._zoo import zoo_app


def _show_version(wanted: bool) -> None:
    if wanted:
        from assay._version import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Prove or reject alpha factors: one factor language, one engine, one judge.

    Begin with 'assay demo': it makes a simulated market and judges about a hundred factors on it.
    """


def build_app() -> typer.Typer:
    """The command tree. Built on each call: nothing about it is global."""
    app = typer.Typer(
        name="assay",
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        help=_root.__doc__,
    )
    app.callback()(_root)
    for command in (demo, judge, parse, check, explain, convert, init, doctor, verify):
        app.command()(command)
    app.add_typer(agent_app(), name="agent")
    app.add_typer(campaign_app(), name="campaign")
    app.add_typer(report_app(), name="report")
    app.add_typer(library_app(), name="library")
    app.add_typer(data_app(), name="data")
    app.add_typer(ledger_app(), name="ledger")
    app.add_typer(certificate_app(), name="certificate")
    app.add_typer(zoo_app(), name="zoo")
    app.add_typer(features_app(), name="features")
    app.add_typer(strategy_app(), name="strategy")
    app.add_typer(note_app(), name="note")
    app.add_typer(book_app(), name="book")
    app.add_typer(brain_app(), name="brain")
    app.add_typer(discover_app(), name="discover")
    app.add_typer(thermometer_app(), name="thermometer")
    app.add_typer(periods_app(), name="periods")
    app.add_typer(backtest_app(), name="backtest")
    app.add_typer(service_app(), name="service")
    app.add_typer(mcp_app(), name="mcp")
    return app
