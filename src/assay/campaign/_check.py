from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.campaign._campaign import CampaignSetup
from assay.campaign._config import read_config
from assay.campaign._prepare import Part, Problems, calls_of_runs, prepare
from assay.campaign._settings import CampaignConfig
from assay.campaign._state import changed_commits
from assay.config import Secret, Workspace
from assay.errors import Problem
from assay.ledger import Ledger
from assay.llm import Backends as Services


@dataclass(frozen=True)
class CheckReport:
    """What a start would meet, part by part; empty lists where all is well.

    A part that could not be looked at, as another one it needs has problems, is left out.
    ``warnings`` do not keep a run from starting.
    """

    parts: Mapping[Part, tuple[Problem, ...]]
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether a run would start."""
        return not any(self.parts.values())

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of all parts, in their order."""
        return tuple(problem for listed in self.parts.values() for problem in listed)


def check_file(
    path: Path,
    workspace: Workspace,
    *,
    secrets: Mapping[str, Secret] | None = None,
    run_id: str | None = None,
) -> CheckReport:
    """As :func:`check`, of a ``campaign.toml``; where entries are not valid, the rest is checked too."""
    config, problems = read_config(path)
    own: dict[Part, tuple[Problem, ...]] = {"config": tuple(problems)}
    if config is None:
        return CheckReport(own)
    found = check(config, workspace, secrets=secrets, run_id=run_id)
    return CheckReport({**own, **found.parts}, found.warnings)


def check(
    config: CampaignConfig,
    workspace: Workspace,
    *,
    secrets: Mapping[str, Secret] | None = None,
    run_id: str | None = None,
) -> CheckReport:
    """Make every check that a start makes before its first call of a model, and write nothing.

    Data and what it holds, files, vocabulary, templates, pools, the roles' backends (whether they answer;
    no completion is made), whether the workspace's ledger is whole, and for a run that is to be resumed what
    changed since it began.
    """
    problems = Problems()
    setup = prepare(config, workspace, problems, secrets=secrets)
    if config.roles.models and not problems.found["backends"]:
        problems.found["backends"] += _silent(config, workspace, secrets)
    with problems.part("ledger"):
        if workspace.ledger_dir.exists():
            # read through, as verifying it would open its index, which leaves files beside it
            deque(Ledger.open(workspace.ledger_dir).entries(), maxlen=0)
    warnings: tuple[str, ...] = ()
    if run_id is not None and setup is not None:
        with problems.part("run"):
            found, warnings = _changes(setup, workspace, run_id)
            problems.found["run"] += found
    return CheckReport({part: tuple(listed) for part, listed in problems.found.items()}, warnings)


def _silent(
    config: CampaignConfig, workspace: Workspace, secrets: Mapping[str, Secret] | None
) -> list[Problem]:
    """Backends that do not answer."""
    names = {workspace.llm.roles[role].backend for role in config.roles.models}
    services = Services(
        workspace.llm, secrets=secrets, root=workspace.root, recorded=calls_of_runs(workspace)
    )
    return [
        Problem(
            f"llm.backends.{name}", f"does not answer: {found.detail}", "see to the service, or use another"
        )
        for name, found in services.check(names).items()
        if not found.reachable
    ]


def _changes(
    setup: CampaignSetup, workspace: Workspace, run_id: str
) -> tuple[list[Problem], tuple[str, ...]]:
    run = Ledger.open(workspace.ledger_dir).run(run_id)
    before, now = run.inputs(), setup.ledger_inputs()
    found = []
    if run.state().stopped == "finished":
        found.append(Problem("run", f"{run_id!r} has finished", "start a new run"))
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) == now.get(name):
            continue
        message = f"was {before.get(name, 'not there')} when the run began, and is {now.get(name, 'gone')}"
        fix = (
            "put it back, or resume with --accept-changed-pools"
            if name.startswith("pool:")
            else "put it back"
        )
        found.append(Problem(name, message, fix))
    return found, changed_commits(workspace.runs_dir / run_id, setup.commits)
