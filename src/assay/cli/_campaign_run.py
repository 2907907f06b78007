"""What ``assay campaign init``, ``check``, ``run``, ``resume``, ``replay`` and ``verify`` do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from assay.cli._campaign_live import Progress, view_of
from assay.cli._campaign_tell import show_result
from assay.cli._files import check_writable
from assay.cli._output import print_json, say
from assay.cli._progress import note, slow_notice, usable_cores
from assay.cli._workspace import need_ledger, need_workspace
from assay.errors import AssayError, ConfigProblems, ProviderError, Refusal

if TYPE_CHECKING:
    from assay.campaign import CampaignConfig, CampaignResult, Difference
    from assay.campaign._events import Watch
    from assay.campaign._prepare import Part
    from assay.config import Workspace

DIFFERENT: Final = 1
BAD: Final = 2
SERVICE_ENDED_IT: Final = 3
_PARTS: Final[tuple[Part, ...]] = (
    "config", "data", "files", "vocabulary", "templates", "pools", "backends", "ledger",
)  # fmt: skip
_GUIDED: Final = {
    "round.picked_parents": True,
    "context.theme_correlation": 0.7,
    "context.lineage": True,
}
"""What lets a search without a model build on what it found."""


def init_campaign(path: Path, data: str | None, rounds: int, seed: int, *, as_json: bool) -> None:
    """Write a config for a data set of the workspace."""
    from assay.base import atomic_write
    from assay.campaign import campaign_template
    from assay.cli._dataset import find_dataset, known_datasets

    workspace = need_workspace()
    check_writable(path, "CONFIG")
    if path.exists():
        raise AssayError(f"{path} exists already", where="CONFIG", fix="edit it, or name another file")
    known = known_datasets(workspace)
    if data is None and workspace.default_data is None and len(known) == 1:
        data = known[0]
    folder = find_dataset(data, workspace)
    if folder.parent.resolve() != workspace.data_dir.resolve():
        raise AssayError(
            f"{folder} is not a data set of this workspace",
            where="--data",
            fix=f"name one of {workspace.data_dir}",
        )
    values = {"campaign.data": folder.name, "campaign.seed": seed, "stop.max_rounds": rounds, **_GUIDED}
    atomic_write(path, campaign_template(values))
    planned = workspace.settings(folder.name).periods is not None
    following = [] if planned else [f"assay periods set {folder.name}"]
    following += [f"assay campaign check {path}", f"assay campaign run {path}"]
    if as_json:
        print_json({"config": str(path), "data": folder.name, "next": following})
        return
    say(f"wrote {path}: at most {rounds} rounds on {folder.name}, without a model")
    say(f"  next: {', then '.join(following)}")


def check_campaign(path: Path, run_id: str | None, *, as_json: bool) -> int:
    """Say part by part what a start would meet; 2 where it would not start."""
    from assay.campaign import check_file
    from assay.config import load_secrets

    workspace = need_workspace()
    secrets = load_secrets(workspace.root)
    with slow_notice():
        found = check_file(path, workspace, secrets=secrets, run_id=run_id)
    if as_json:
        parts = {part: [asdict(problem) for problem in listed] for part, listed in found.parts.items()}
        print_json({"ok": found.ok, "parts": parts, "warnings": list(found.warnings)})
        return 0 if found.ok else BAD
    for part in _PARTS if run_id is None else (*_PARTS, "run"):
        listed = found.parts.get(part)
        if listed is None:
            say(f"{part:<11} not checked, for the problems above")
            continue
        say(f"{part:<11} {'ok' if not listed else _counted(len(listed))}")
        for problem in listed:
            fix = f" ({problem.fix})" if problem.fix else ""
            say(f"  {problem.where}: {problem.message}{fix}")
    for warning in found.warnings:
        say(f"warning: {warning}")
    if found.ok:
        say(f"it would start: assay campaign run {path}" if run_id is None else "it would go on")
    return 0 if found.ok else BAD


def run_campaign(path: Path, run_id: str | None, *, as_json: bool) -> int:
    """Start a campaign and tell of it; 3 where a model's service ended it."""
    from assay.base import check_id
    from assay.campaign import next_run_id, prepare_campaign, start_campaign
    from assay.config import load_secrets

    workspace = need_workspace()
    if run_id is not None:
        check_id(run_id, "run")
    secrets = load_secrets(workspace.root)
    setup = prepare_campaign(_config(path, workspace), workspace, secrets=secrets, threads=usable_cores())
    ledger = need_ledger(workspace, create=True)
    run = run_id or next_run_id(ledger, workspace.runs_dir)
    progress = Progress.of(setup.config)
    return _played(
        lambda watch: start_campaign(setup, path, workspace, ledger, run, watch=watch),
        workspace,
        run,
        (progress, _title(workspace, setup.config, run)),
        as_json=as_json,
    )


def resume_campaign(run_id: str, path: Path | None, *, accept_changed_pools: bool, as_json: bool) -> int:
    """Go on with a campaign and tell of it; 3 where a model's service ended it."""
    from assay.campaign import campaign_report, config_path, prepare_campaign
    from assay.campaign import resume_campaign as resumed
    from assay.config import load_secrets

    workspace = need_workspace()
    ledger = need_ledger(workspace)
    before = campaign_report(ledger, workspace.runs_dir, run_id)
    config = _config(path or config_path(workspace, run_id), workspace)
    secrets = load_secrets(workspace.root)
    setup = prepare_campaign(config, workspace, secrets=secrets, threads=usable_cores())
    progress = Progress.of(config, before)

    def play(watch: Watch) -> CampaignResult:
        return resumed(
            setup, workspace, ledger, run_id, watch=watch, accept_changed_pools=accept_changed_pools
        )

    shown = (progress, _title(workspace, config, run_id))
    return _played(play, workspace, run_id, shown, as_json=as_json)


def replay_campaign(run_id: str, to: Path, *, as_json: bool) -> int:
    """Do a run again and say whether it is the same; 1 where it is not."""
    from assay.campaign import replay

    workspace = need_workspace()
    need_ledger(workspace)
    with slow_notice():
        found = replay(workspace, run_id, to)
    if as_json:
        print_json({**asdict(found), "equal": found.equal, "folder": str(to)})
    elif found.difference is None:
        say(f"equal: {found.records} records of {found.rounds} rounds of {run_id}, byte for byte")
        if not found.whole:
            say("the run has not come to its end; what follows its last whole round was left aside")
    else:
        _say_difference(found.difference)
    return 0 if found.equal else DIFFERENT


def verify_campaign(run_id: str, to: Path | None, *, as_json: bool) -> int:
    """Redo all of a run and say equal, or the first difference; then 1."""
    from assay.campaign import verify

    workspace = need_workspace()
    need_ledger(workspace)
    with slow_notice(), TemporaryDirectory(prefix="assay-verify-") as scratch:
        found = verify(workspace, run_id, to or Path(scratch) / "again")
    if as_json:
        played = None if found.replayed is None else {**asdict(found.replayed), "folder": str(to or "")}
        print_json({**asdict(found), "replayed": played, "equal": found.equal})
        return 0 if found.equal else DIFFERENT
    say(f"ledger    {found.records} records: the chain and all payloads are whole")
    if found.replayed is None:
        assert found.difference is not None
        say("inputs    not those of the run; it was not done again")
    else:
        say(f"inputs    {len(found.inputs)}, all as recorded")
        say(f"again     {found.replayed.rounds} rounds, {found.replayed.records} records")
    if found.difference is None:
        say("equal")
    else:
        _say_difference(found.difference)
    return 0 if found.equal else DIFFERENT


def _say_difference(found: Difference) -> None:
    say(f"different: {found.where}")
    say(f"  recorded: {found.recorded}")
    say(f"  again:    {found.again}")


def _config(path: Path, workspace: Workspace) -> CampaignConfig:
    """The config; where it is not valid, everything else that is wrong is told with it."""
    from assay.campaign import CampaignConfig, check_file
    from assay.config import load_secrets

    try:
        return CampaignConfig.load(path)
    except ConfigProblems as error:
        found = check_file(path, workspace, secrets=load_secrets(workspace.root))
        raise ConfigProblems(found.problems, where=str(path)) from error


def _title(workspace: Workspace, config: CampaignConfig, run_id: str) -> str:
    from assay.market import open_panel

    name = config.data or workspace.default_data or ""
    simulated = ", simulated" if open_panel(workspace.data_dir / name).manifest.simulated else ""
    models = ", ".join(config.roles.models)
    return f"run {run_id}: data {name}{simulated}, {f'models: {models}' if models else 'without a model'}"


def _played(
    play: Callable[[Watch], CampaignResult],
    workspace: Workspace,
    run_id: str,
    shown: tuple[Progress, str],
    *,
    as_json: bool,
) -> int:
    """Play a run and tell of its end; what stops it says how it goes on."""
    again = f"assay campaign resume {run_id}"
    progress, title = shown
    try:
        with slow_notice(), view_of(progress, title, as_json=as_json) as view:
            result = play(view.tell)
    except ProviderError as error:
        error.fix = f"{error.fix}; then: {again}" if error.fix else f"later: {again}"
        raise
    except Refusal as refusal:
        _explain(refusal, again)
        raise
    except KeyboardInterrupt:
        note(f"stopped; to go on: {again}")
        raise
    show_result(workspace, result, as_json=as_json)
    return SERVICE_ENDED_IT if result.stop.by == "provider_quota" else 0


def _explain(refusal: Refusal, again: str) -> None:
    changed: Any = refusal.details.get("changes")
    if refusal.reason.code == "inputs_changed" and changed:
        refusal.fix = f"put it back, then: {again}; or start a new run"
    elif refusal.reason.code == "ledger_busy":
        refusal.fix = f"{refusal.fix}; then: {again}"


def _counted(n: int) -> str:
    return f"{n} problem" if n == 1 else f"{n} problems"
