"""A campaign of a workspace: started, and taken up again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.base import Operator
from assay.campaign._campaign import Campaign, CampaignResult, CampaignSetup
from assay.campaign._events import Watch
from assay.campaign._files import RunFiles
from assay.campaign._prepare import Problems, prepare
from assay.campaign._records import DESK
from assay.campaign._settings import CampaignConfig
from assay.config import Secret, Workspace
from assay.errors import AssayError, ConfigProblems
from assay.ledger import Ledger

ORIGIN: Final = "origin.json"


def prepare_campaign(
    config: CampaignConfig,
    workspace: Workspace,
    *,
    secrets: Mapping[str, Secret] | None = None,
    operator: Operator | None = None,
    threads: int = 1,
) -> CampaignSetup:
    """All that a campaign works with in a workspace; nothing is written.

    Parameters
    ----------
    threads : that formulas are evaluated on; they change no result.

    Raises
    ------
    ConfigProblems
        All that keeps it from starting.
    """
    problems = Problems()
    setup = prepare(config, workspace, problems, secrets=secrets, threads=threads)
    if setup is None:
        raise ConfigProblems(problems.all, where="campaign")
    return setup if operator is None else replace(setup, operator=operator)


def start_campaign(
    setup: CampaignSetup,
    path: Path,
    workspace: Workspace,
    ledger: Ledger,
    run_id: str,
    *,
    watch: Watch | None = None,
) -> CampaignResult:
    """Start a campaign and let it come to its end.

    Parameters
    ----------
    path : of its ``campaign.toml``, noted in the run's folder for a resume.

    Raises
    ------
    Refusal, ProviderError
        See :meth:`Campaign.run`.
    """
    told = _with_origin(path, workspace, run_id, watch)
    return Campaign(setup, ledger, workspace.runs_dir, run_id, watch=told).run()


def resume_campaign(
    setup: CampaignSetup,
    workspace: Workspace,
    ledger: Ledger,
    run_id: str,
    *,
    watch: Watch | None = None,
    accept_changed_pools: bool = False,
) -> CampaignResult:
    """Let a run that was stopped or killed come to its end, as if it had not been.

    Raises
    ------
    Refusal, ProviderError
        See :meth:`Campaign.resume`.
    """
    campaign = Campaign(setup, ledger, workspace.runs_dir, run_id, watch=watch)
    return campaign.resume(accept_changed_pools=accept_changed_pools)


def config_path(workspace: Workspace, run_id: str) -> Path:
    """Where the config of a run was when it was started.

    Raises
    ------
    AssayError
        The run's folder does not say it.
    """
    file = workspace.runs_dir / run_id / ORIGIN
    try:
        return workspace.root / str(json.loads(file.read_text(encoding="utf-8"))["config"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AssayError(
            "the folder of the run does not say where its config is",
            where=str(file),
            fix="name it: --config FILE",
        ) from error


def next_run_id(ledger: Ledger, runs: Path) -> str:
    """The first ``campaign-N`` that is free."""
    with ledger.index() as index:
        taken = set(index.runs())
    number = 1
    while f"{DESK}-{number}" in taken or (runs / f"{DESK}-{number}").exists():
        number += 1
    return f"{DESK}-{number}"


def _with_origin(path: Path, workspace: Workspace, run_id: str, watch: Watch | None) -> Watch:
    """Notes where the config is, once the run has a folder; for people's convenience, as a resume is held to
    what the ledger says."""
    place = path.resolve()
    root = workspace.root.resolve()
    shown = place.relative_to(root) if place.is_relative_to(root) else place

    def told(event: str, data: Mapping[str, object]) -> None:
        if event == "start":
            RunFiles(workspace.runs_dir / run_id).write(
                ORIGIN, json.dumps({"config": shown.as_posix()}) + "\n"
            )
        if watch is not None:
            watch(event, data)

    return told
