"""``assay brain``: the platform, its local simulator, and what searches on either."""

from __future__ import annotations

import typer

from assay.cli._brain_account import login, status
from assay.cli._brain_agent import agent, chat, report
from assay.cli._brain_lists import fields, operators
from assay.cli._brain_mutate import mutate
from assay.cli._brain_optimize import optimize
from assay.cli._brain_plan import plan
from assay.cli._brain_results import results_app
from assay.cli._brain_serve import serve
from assay.cli._brain_simulate import simulate
from assay.cli._brain_stability import stability
from assay.cli._brain_submit import submit
from assay.cli._brain_templates import multi, pipeline_app, scout, template_app
from assay.cli._brain_validate import validate


def brain_app() -> typer.Typer:
    """``assay brain``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Search on WorldQuant BRAIN, or on a local simulator of it.",
    )
    for command in (
        agent,
        chat,
        report,
        serve,
        login,
        status,
        fields,
        operators,
        validate,
        simulate,
        mutate,
        optimize,
        stability,
        plan,
        submit,
        scout,
        multi,
    ):
        app.command()(command)
    app.add_typer(template_app(), name="template")
    app.add_typer(pipeline_app(), name="pipeline")
    app.add_typer(results_app(), name="results")
    return app
