"""``assay brain agent``, ``chat`` and ``report``: sessions that search for alphas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.cli._brain_platform import InWorkspace, Local, LocalData
from assay.cli._output import Json

PolicyName = Literal["auto", "sampler", "llm"]

Idea = Annotated[
    str | None, typer.Option("--idea", help="What to look for, in English or Chinese.", metavar="TEXT")
]
DataSet = Annotated[
    str, typer.Option("--dataset-id", help="Keep to this data set, and skip exploring.", metavar="ID")
]
Given = Annotated[
    str, typer.Option("--expression", help="Begin with this expression and make it better.", metavar="TEXT")
]
Critique = Annotated[
    str, typer.Option("--critique", help="What is wrong with it; with --expression.", metavar="TEXT")
]
Resume = Annotated[str | None, typer.Option("--resume", help="Go on with this session.", metavar="RUN")]
Replay = Annotated[
    str | None,
    typer.Option(
        "--replay", help="Do this recorded session again and say whether it comes to the same.", metavar="RUN"
    ),
]
NewRun = Annotated[
    str | None, typer.Option("--run", help="Id of the session; default: the next free brain-N.", metavar="ID")
]
Deciding = Annotated[
    PolicyName,
    typer.Option(
        "--policy",
        help="Who decides: sampler (no model), llm (the role researcher, or DeepSeek by DEEPSEEK_API_KEY); "
        "auto takes a model where there is one.",
    ),
]
Seed = Annotated[int, typer.Option(help="Of the sampler's draws.", min=0, max=2**31 - 1)]
Budget = Annotated[
    int | None, typer.Option("--simulations", help="At most so many; default: assay.toml.", min=1, max=10**6)
]
Rounds = Annotated[int | None, typer.Option(help="At most so many; default: assay.toml.", min=1, max=10**6)]
Region = Annotated[str | None, typer.Option(help="Region of the simulations.", metavar="NAME")]
Universe = Annotated[str | None, typer.Option(help="Their universe.", metavar="NAME")]
Delay = Annotated[int | None, typer.Option(help="Their delay, 0 or 1.", min=0, max=1)]
Neutralization = Annotated[str | None, typer.Option(help="Their neutralization.", metavar="NAME")]


def _command(name: str, doc: str, *, chat: bool) -> Callable[..., int]:
    """``agent`` or ``chat``: they differ in whether a person is asked after each round."""

    def command(
        idea: Idea = None,
        dataset_id: DataSet = "",
        expression: Given = "",
        critique: Critique = "",
        resume: Resume = None,
        replay: Replay = None,
        run: NewRun = None,
        local: Local = False,
        data: LocalData = None,
        workspace: InWorkspace = None,
        policy: Deciding = "auto",
        seed: Seed = 0,
        simulations: Budget = None,
        rounds: Rounds = None,
        region: Region = None,
        universe: Universe = None,
        delay: Delay = None,
        neutralization: Neutralization = None,
        as_json: Json = False,
    ) -> int:
        from assay.cli._brain_session import Wish, play

        wish = Wish(
            idea=idea,
            data_set=dataset_id,
            expression=expression,
            critique=critique,
            resume=resume,
            replay=replay,
            run=run,
            policy=policy,
            seed=seed,
            simulations=simulations,
            rounds=rounds,
            settings=(region, universe, delay, neutralization),
        )
        return play(wish, local, data, workspace, chat=chat, as_json=as_json)

    command.__name__, command.__doc__ = name, doc
    return command


agent = _command(
    "agent",
    """Search for alphas until the criteria are met or a limit is reached; nothing is submitted.

    With --local on the simulator in this process: without a workspace it makes one with a simulated market,
    in ./assay-brain. Ctrl-C, a crash or a kill loses no simulation; go on with --resume. Exit code 3 when a
    service or a quota paused it.
    """,
    chat=False,
)
chat = _command(
    "chat",
    """As 'agent', with a pause after each round: what you write steers the next one.

    An empty line goes on, 'stop' stops; the session can be resumed.
    """,
    chat=True,
)


def report(
    run: Annotated[str, typer.Argument(help="Id of a session.", metavar="RUN")],
    html: Annotated[
        Path | None,
        typer.Option(help="Write the page to this file; default: report.html in the run's folder."),
    ] = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Make the report of a session from its record, finished or not: report.json and a page.

    Funnel, PnL, directions, which check fails most, and in sample against the held year.
    """
    from assay.cli._brain_report import remake_report

    remake_report(run, html, workspace, as_json=as_json)
