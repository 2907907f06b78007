"""``assay agent``: let a model, or the explorer, look for factors; resume, replay, list, show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._output import DataName, Json

RunId = Annotated[str, typer.Argument(help="Id of a run.", metavar="RUN")]


def agent_app() -> typer.Typer:
    """``assay agent``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Let a model look for factors with the tools: run, resume, replay, list, show.",
    )
    app.command("run")(run)
    app.command("resume")(resume)
    app.command("replay")(replay)
    app.command("list")(list_runs)
    app.command("show")(show)
    return app


def run(
    idea: Annotated[str, typer.Argument(help="What to look into, in your words.", metavar="IDEA")],
    data: DataName = None,
    role: Annotated[
        str | None,
        typer.Option(
            help="The role of assay.toml that acts; without it the researcher, or where that has no model "
            "the explorer."
        ),
    ] = None,
    explorer: Annotated[
        bool,
        typer.Option("--explorer", help="No model: sample formulas and change the best one; reads no idea."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the explorer.", min=0)] = 0,
    turns: Annotated[
        int | None,
        typer.Option(help="Turns of the policy, at most; default: 12, or what --calls needs.", min=1),
    ] = None,
    calls: Annotated[int | None, typer.Option(help="Calls of tools, at most.", min=0)] = None,
    tokens: Annotated[int | None, typer.Option(help="Tokens, at most.", min=0)] = None,
    money: Annotated[
        float | None, typer.Option(help="Money, at most, in the currency of the prices.", min=0)
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Wall time, at most; counted anew after a resume.", min=0)
    ] = None,
    run_id: Annotated[
        str | None, typer.Option("--run", help="Id of the run; default: the next free agent-N.", metavar="ID")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what the run may take, and make none.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Let a model look for factors with the tools, on the search period of a data set of this workspace.

    Each formula that it scores counts as a trial. Without a model the explorer searches: seeded sampling,
    then changes to the best formula.
    """
    from assay.cli._agent_run import AgentOptions, run_agent

    run_agent(
        AgentOptions(
            idea=idea,
            data=data,
            role=role,
            explorer=explorer,
            seed=seed,
            turns=turns,
            calls=calls,
            tokens=tokens,
            money=money,
            seconds=seconds,
            run=run_id,
            estimate=estimate,
            as_json=as_json,
        )
    )


def resume(run: RunId, as_json: Json = False) -> None:
    """Go on with a run that was killed, or stopped by a service or a budget, as if it had not been.

    Recorded replies and answers are not paid or tried again; they are shown and marked. Refused when data,
    settings, tools or prompt have changed; budgets, prices and keys may change.
    """
    from assay.cli._agent_run import resume_agent

    resume_agent(run, as_json=as_json)


def replay(
    run: RunId,
    to: Annotated[Path, typer.Option("--to", help="The new folder; it must not exist.", metavar="DIR")],
    as_json: Json = False,
) -> int:
    """Play a finished run again from its record, without a network, and compare byte for byte.

    The tools do their work anew in the new folder; the workspace's ledger gets neither trials nor looks. Exit
    code 1 when something differs.
    """
    from assay.cli._agent_run import replay_agent

    return replay_agent(run, to, as_json=as_json)


def list_runs(as_json: Json = False) -> None:
    """List the runs of agents in this workspace; ``open`` ones are going on or were killed."""
    from assay.cli._agent_run import list_agents

    list_agents(as_json=as_json)


def show(run: RunId, as_json: Json = False) -> None:
    """Show what happened in a run: each call with its outcome, why calls were refused, and what it came to.

    Also of a run that is going on, was killed or waits; what it came to is told of one that has ended.
    """
    from assay.cli._agent_run import show_agent

    show_agent(run, as_json=as_json)
