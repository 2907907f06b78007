"""``assay brain template``, ``pipeline``, ``scout`` and ``multi``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.cli._brain_platform import InWorkspace, Local, LocalData
from assay.cli._output import Json

Names = Annotated[
    list[str],
    typer.Argument(
        help="Built-in templates by name or by its beginning (TPL_REVERSAL), and files of templates.",
        metavar="TEMPLATES",
    ),
]
MaybeNames = Annotated[list[str] | None, typer.Argument(help="As for the others.", metavar="TEMPLATES")]
Family = Annotated[str | None, typer.Option("--family", help="Of this family alone.", metavar="NAME")]
DataSet = Annotated[
    str | None, typer.Option("--dataset-id", help="Fields of this data set alone.", metavar="ID")
]
Idea = Annotated[str, typer.Option("--idea", help="What to look for, in English or Chinese.", metavar="TEXT")]
PolicyName = Literal["sampler", "llm"]
Deciding = Annotated[
    PolicyName,
    typer.Option("--policy", help="sampler: no model; llm: the role researcher, or DeepSeek by its key."),
]
Budget = Annotated[
    int | None,
    typer.Option("--budget", help="Simulations, at most; default: assay.toml.", min=1, max=10**6),
]
Resume = Annotated[str | None, typer.Option("--resume", help="Go on with this run.", metavar="RUN")]
NewRun = Annotated[
    str | None, typer.Option("--run", help="Id of the run; default: the next free one.", metavar="ID")
]


def template_app() -> typer.Typer:
    """``assay brain template``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Templates: expressions with slots. list, show, new, check, expand.",
    )
    app.command("list")(list_templates)
    app.command()(show)
    app.command()(new)
    app.command()(check)
    app.command()(expand)
    return app


def pipeline_app() -> typer.Typer:
    """``assay brain pipeline``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Probe the cores of templates, then expand those that promise something: run.",
    )
    app.command("run")(run_pipeline)
    app.callback()(_pipeline_help)
    return app


def _pipeline_help() -> None:
    """Probe the cores of templates, then expand those that promise something."""


def list_templates(names: MaybeNames = None, family: Family = None, as_json: Json = False) -> None:
    """List templates with what they bet on; without names the built-in ones."""
    from assay.cli._brain_templates_run import list_all

    list_all(names or [], family, as_json=as_json)


def show(names: Names, as_json: Json = False) -> None:
    """Show templates with their slots."""
    from assay.cli._brain_templates_run import show_templates

    show_templates(names, as_json=as_json)


def new(
    idea: Idea,
    to: Annotated[Path, typer.Option("--to", help="The new file (.toml or .json).", metavar="FILE")],
    local: Local = False,
    data: LocalData = None,
    dataset_id: DataSet = None,
    policy: Deciding = "sampler",
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Make templates for an idea and write them to a file. Nothing is simulated.

    With the sampler the words of the idea decide; a model writes its own, which are held to the same rules
    and sent back with what is wrong, three times at most.
    """
    from assay.cli._brain_templates_run import new_templates

    new_templates(idea, to, local, data, dataset_id, policy, workspace, as_json=as_json)


def check(
    names: Names,
    local: Local = False,
    data: LocalData = None,
    dataset_id: DataSet = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> int:
    """Check templates, all problems at once; with a platform also whether anything comes of them there.

    Without --local only their form is looked at, and no platform is asked. Exit code 2 when one is not valid.
    """
    from assay.cli._brain_templates_run import check_templates

    return check_templates(names, local, data, dataset_id, workspace, as_json=as_json)


def expand(
    names: Names,
    local: Local = False,
    data: LocalData = None,
    dataset_id: DataSet = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many.", min=0, max=100_000)] = 20,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Print expressions of templates, those near the first candidates first. Nothing is simulated.

    How many fillings and cores there are is counted before; --limit 0 only counts.
    """
    from assay.cli._brain_templates_run import expand_templates

    expand_templates(names, local, data, dataset_id, limit, workspace, as_json=as_json)


def run_pipeline(
    names: MaybeNames = None,
    local: Local = False,
    data: LocalData = None,
    dataset_id: DataSet = None,
    budget: Budget = None,
    resume: Resume = None,
    run: NewRun = None,
    dry: Annotated[bool, typer.Option("--count", help="Only count what would be simulated.")] = False,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Simulate a few instances of every core of the templates, then the rest of those that promise something.

    A core is expanded, watched or abandoned by the thresholds of [brain.pipeline]; one that is negative
    throughout is turned round. Each simulation is a trial. Ctrl-C or a kill loses nothing: --resume.
    """
    from assay.cli._brain_pipeline_run import play_pipeline

    play_pipeline(
        names or [], local, data, dataset_id, budget, resume, run, workspace, dry=dry, as_json=as_json
    )


def scout(
    local: Local = False,
    data: LocalData = None,
    dataset_id: DataSet = None,
    limit: Annotated[int, typer.Option("--limit", help="Ideas, at most.", min=1, max=200)] = 10,
    language: Annotated[Literal["en", "zh"], typer.Option("--language", help="Of the hypotheses.")] = "en",
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Say where to look next: data that is covered, used by few, and hardly tried here; with ideas on it.

    Nothing is simulated, and no model is asked. What was tried is what the results of the workspace say.
    """
    from assay.cli._brain_scout_run import scout_data

    scout_data(local, data, dataset_id, limit, language, workspace, as_json=as_json)


def multi(
    idea: Annotated[
        str | None, typer.Option("--idea", help="What to look for, in English or Chinese.", metavar="TEXT")
    ] = None,
    local: Local = False,
    data: LocalData = None,
    dataset_id: Annotated[
        str, typer.Option("--dataset-id", help="Keep to this data set.", metavar="ID")
    ] = "",
    budget: Budget = None,
    explorers: Annotated[int | None, typer.Option(help="Agents that look for new.", min=1, max=20)] = None,
    optimizers: Annotated[
        int | None, typer.Option(help="Agents that vary settings of what was found.", min=0, max=20)
    ] = None,
    slots: Annotated[
        Literal["1:2", "2:1", "dynamic"] | None,
        typer.Option("--slots", help="How explorers and optimisers share the slots."),
    ] = None,
    policy: Deciding = "sampler",
    seed: Annotated[int, typer.Option(help="Of all that is drawn.", min=0, max=2**31 - 1)] = 0,
    resume: Resume = None,
    run: NewRun = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Search with several agents at once: explorers open directions, optimisers vary settings of the good.

    They share the slots fairly and each simulation is made once, whoever asks for it. Each is a trial;
    nothing is submitted. Ctrl-C or a kill loses nothing: --resume.
    """
    from assay.cli._brain_multi_run import MultiWish, play_multi

    wish = MultiWish(idea, dataset_id, budget, explorers, optimizers, slots, policy, seed, resume, run)
    play_multi(wish, local, data, workspace, as_json=as_json)
