"""``assay campaign``: the research loop, from one config to admitted and rejected candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._campaign_accept import accept, noise_twin
from assay.cli._output import DataName, Json

RunId = Annotated[str, typer.Argument(help="Id of a run.", metavar="RUN")]
Config = Annotated[Path, typer.Argument(help="The config of a campaign.", metavar="CONFIG")]
NewFolder = Annotated[Path, typer.Option("--to", help="The new folder; it must not exist.", metavar="DIR")]
CONFIG = Path("campaign.toml")


def campaign_app() -> typer.Typer:
    """``assay campaign``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Search for factors round by round, with or without a model: init, check, run, status, resume, "
        "replay, verify, report, accept, noise-twin.",
    )
    for command in (init, check, run, status, resume, replay, verify, report, accept):
        app.command()(command)
    app.command("noise-twin")(noise_twin)
    return app


def init(
    config: Config = CONFIG,
    data: DataName = None,
    rounds: Annotated[int, typer.Option(help="Rounds, at most.", min=1, max=10**6)] = 20,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.", min=0, max=2**31 - 1)] = 0,
    as_json: Json = False,
) -> None:
    """Write a commented config for a data set of this workspace. It runs without a model, and without a key.

    Every key is in it with its meaning and default.
    """
    from assay.cli._campaign_run import init_campaign

    init_campaign(config, data, rounds, seed, as_json=as_json)


def check(
    config: Config = CONFIG,
    run: Annotated[
        str | None,
        typer.Option("--run", help="Also say what changed since this run began.", metavar="RUN"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Make every check that a start makes before its first call of a model, part by part; write nothing.

    Config, data, files, vocabulary, templates, pools, whether the services of the roles answer, and whether
    the ledger is whole. Exit code 2 when there is a problem.
    """
    from assay.cli._campaign_run import check_campaign

    return check_campaign(config, run, as_json=as_json)


def run(
    config: Config = CONFIG,
    run_id: Annotated[
        str | None,
        typer.Option("--run", help="Id of the run; default: the next free campaign-N.", metavar="ID"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Run a campaign. Each candidate that is scored counts as a trial of the workspace's ledger.

    Ctrl-C, a crash or a kill loses no more than the round in progress; go on with 'assay campaign resume'.
    Exit code 3 when a model's service ended it.
    """
    from assay.cli._campaign_run import run_campaign

    return run_campaign(config, run_id, as_json=as_json)


def status(
    run: Annotated[
        str | None, typer.Argument(help="Id of a run; without one, all are listed.", metavar="RUN")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say where a run stands, finished or not; without one, list the campaigns of this workspace.

    A run that is 'open' is going on or was killed.
    """
    from assay.cli._campaign_tell import list_campaigns, show_status

    if run is None:
        list_campaigns(as_json=as_json)
    else:
        show_status(run, as_json=as_json)


def resume(
    run: RunId,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Its config, where that was moved since.", metavar="CONFIG"),
    ] = None,
    accept_changed_pools: Annotated[
        bool,
        typer.Option(
            "--accept-changed-pools",
            help="Go on though the reference set or the known factors changed; this is recorded.",
        ),
    ] = False,
    as_json: Json = False,
) -> int:
    """Go on with a run that was stopped or killed, as if it had not been.

    Nothing that is recorded is paid or tried again. Of its config only the stop limits may have changed;
    anything else that did is named, and stops the resume.
    """
    from assay.cli._campaign_run import resume_campaign

    return resume_campaign(run, config, accept_changed_pools=accept_changed_pools, as_json=as_json)


def replay(run: RunId, to: NewFolder, as_json: Json = False) -> int:
    """Do a run again from its record, with the snapshot that it took, and compare byte for byte.

    No service is asked, and the workspace's ledger gets neither trials nor looks. Exit code 1 when something
    differs.
    """
    from assay.cli._campaign_run import replay_campaign

    return replay_campaign(run, to, as_json=as_json)


def verify(
    run: RunId,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="Keep what is done again in this new folder; else it is removed.", metavar="DIR"
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Redo a campaign from data manifest, snapshot, calls and seeds; say equal, or what differs first.

    The ledger's chain, the files of the data set and every input are held to their hashes before. Exit code
    1 when something differs.
    """
    from assay.cli._campaign_run import verify_campaign

    return verify_campaign(run, to, as_json=as_json)


def report(
    run: RunId,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the page to this file; default: report.html in the run's folder."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the page of a run: funnel, trials, lineage, IC against N, the zoo, refusals, costs.

    It is made from the ledger and the run's folder, also while the run goes on, and loads nothing.
    """
    from assay.cli._campaign_tell import write_report

    write_report(run, html, as_json=as_json)
