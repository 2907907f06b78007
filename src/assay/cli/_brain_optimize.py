"""``assay brain optimize``: better simulation settings for an expression."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._brain_lists import Delay, Region, Universe, show_table
from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform, workspace_of
from assay.cli._brain_results_place import number
from assay.cli._brain_settings import (
    Decay,
    NanHandling,
    Neutralization,
    Truncation,
    given_settings,
    settings_of,
)
from assay.cli._choice import one_of
from assay.cli._output import Json, print_json, say

if TYPE_CHECKING:
    from assay.brain import SimulationSettings
    from assay.brain.client import BlockingClient
    from assay.brain.search import OptimizeSettings, SettingsOptimizer
    from assay.config import Workspace
    from assay.ledger import Run


def optimize(
    expression: Annotated[str, typer.Argument(help="FASTEXPR, in quotes.", metavar="EXPRESSION")],
    budget: Annotated[int, typer.Option(help="Simulations that may be paid for.", min=1)] = 60,
    goal: Annotated[str, typer.Option(help="fitness or sharpe.", metavar="NAME")] = "fitness",
    target: Annotated[
        float | None, typer.Option(help="Stop at this share of the figure's limit, such as 1.5.", min=0)
    ] = None,
    joint: Annotated[
        bool, typer.Option("--joint/--no-joint", help="Whether to search jointly after the layers.")
    ] = True,
    sampler: Annotated[
        str,
        typer.Option(help="Of the joint search: optuna (needs the extra), local, or auto.", metavar="NAME"),
    ] = "auto",
    seed: Annotated[int, typer.Option(help="Of the joint search.", min=0)] = 0,
    region: Region = None,
    universe: Universe = None,
    delay: Delay = None,
    decay: Decay = None,
    neutralization: Neutralization = None,
    truncation: Truncation = None,
    nan_handling: NanHandling = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Name of the run; one that paused goes on.", metavar="ID")
    ] = None,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> int:
    """Find better simulation settings: layer by layer, then jointly. Every simulation is a trial.

    What the workspace's results know already costs nothing. Exit code 1 where the expression gives no
    figures, 3 where the platform made it pause.
    """
    from assay.brain.search import OptimizeSettings

    options = OptimizeSettings(
        budget=budget,
        goal=one_of(goal, ("fitness", "sharpe"), "--goal"),
        target=target,
        joint=joint,
        sampler=one_of(sampler, ("auto", "optuna", "local"), "--sampler"),
        seed=seed,
    )
    given = given_settings(region, universe, delay, decay, neutralization, truncation, nan_handling)
    place = workspace_of(workspace)
    with open_platform(local, data, workspace) as platform:
        start = settings_of(platform.default_settings(), **given)
        need_valid(expression, start, platform)
        level = "user" if not local or place is None else place.brain.simulator.level
        name = run or _run_name()
        found, paused = _optimized(platform, expression, start, replace(options, level=level), place, name)
    if as_json:
        print_json(_optimization(found, paused, name))
    else:
        _show_optimization(found, paused, name if place is not None else None)
    if paused:
        return 3
    return 0 if found.best is not None else 1


def need_valid(expression: str, settings: SimulationSettings, platform: BlockingClient) -> None:
    """Refuse what the platform would, before a slot is spent on it."""
    from assay.brain import BAD_SETTINGS
    from assay.cli._brain_check import check_expressions
    from assay.cli._brain_outcome import Outcome
    from assay.errors import Refusal

    problems = platform.choices().problems(settings)
    if problems:
        said = "; ".join(f"{key}: {text}" for key, text in problems.items())
        raise Refusal(BAD_SETTINGS, said, where="settings", details=problems)
    outcome = Outcome(expression)
    check_expressions(platform, [outcome], settings)
    if outcome.failure is not None:
        raise outcome.failure


def _run_name() -> str:
    from assay.base import uuid7

    return f"optimize-{uuid7()}"


def _optimized(
    platform: BlockingClient,
    expression: str,
    start: SimulationSettings,
    options: OptimizeSettings,
    place: Workspace | None,
    name: str,
) -> tuple[SettingsOptimizer, str]:
    """The optimiser at its end, and why it paused, if it did."""
    import tempfile

    from assay.brain import Proposal, SimulationRequest
    from assay.brain.search import Batch, BatchProgress, ResultStore, SettingsOptimizer
    from assay.brain.search import optimize as drive
    from assay.cli._brain_results_place import results_path
    from assay.cli._progress import Steps, note

    request = SimulationRequest(regular=expression, settings=start)
    optimizer = SettingsOptimizer(Proposal(request), platform.choices(), options)
    with ExitStack() as stack:
        if place is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            store_path, run_folder = folder / "results.sqlite", folder / "run"
            note("not in a workspace: results and trials are not kept")
        else:
            store_path, run_folder = results_path(place), place.runs_dir / name
        store = stack.enter_context(ResultStore(store_path))
        recorded = _recorded(place, name, platform, request, options)
        run: Run | None = None if recorded is None else stack.enter_context(recorded)
        steps = stack.enter_context(Steps())
        if place is not None:
            note(f"run {name}")
        steps.begin(f"{platform.name}, at most {options.budget} simulations")

        def observe(progress: BatchProgress) -> None:
            if progress.message:
                note(progress.message)
            steps.advance(f"{optimizer.stage}, {optimizer.spent} asked for", progress.done, progress.total)

        batch = Batch(
            platform,
            store,
            run_folder,
            settings=None if place is None else place.brain,
            run=run,
            agent="optimize",
            observer=observe,
        )
        report = drive(batch, optimizer, platform.slots)
        if report is not None and recorded is not None:
            recorded.pause()
    return optimizer, "" if report is None else report.message


def _recorded(
    place: Workspace | None, name: str, platform: BlockingClient, request: Any, options: OptimizeSettings
) -> Any:
    from dataclasses import asdict

    from assay.brain.search import SearchRun
    from assay.cli._workspace import need_ledger

    if place is None:
        return None
    inputs = {"request": request.wire(), "options": asdict(options)}
    return SearchRun(need_ledger(place, create=True), name, platform, inputs)


def _optimization(found: SettingsOptimizer, paused: str, name: str) -> dict[str, Any]:
    def tested(item: Any) -> dict[str, Any]:
        result = item.result
        return {
            "expression": item.request.regular,
            "settings": item.request.settings.wire(),
            "stage": item.stage,
            "score": item.score,
            "sharpe": result.sharpe,
            "fitness": result.fitness,
            "turnover": result.turnover,
            "alpha": result.alpha,
            "failing": list(result.failing),
        }

    return {
        "run": name,
        "stop": found.why or f"paused: {paused}",
        "simulations": found.spent,
        "budget": found.settings.budget,
        "sampler": found.sampler or None,
        "best": None if found.best is None else tested(found.best),
        "tested": [tested(item) for item in found.tested],
    }


def _show_optimization(found: SettingsOptimizer, paused: str, name: str | None) -> None:
    axes = ("neutralization", "decay", "delay", "truncation", "nan_handling")
    ranked = sorted(found.tested, key=lambda item: (item.score is None, -(item.score or 0.0)))[:10]
    rows = []
    for item in ranked:
        values = [str(getattr(item.request.settings, axis)) for axis in axes]
        figures = (item.score, item.result.sharpe, item.result.fitness, item.result.turnover)
        rows.append((item.stage, *values, *(number(value) for value in figures), item.request.regular))
    titles = ("stage", "neutralization", "decay", "delay", "truncation", "nan", "score", "sharpe", "fitness",
              "turnover", "expression")  # fmt: skip
    show_table(titles, rows)
    goal = found.settings.goal
    say(f"score: {goal} over its limit; 1 less for each other failed check, 10 less beyond those of turnover")
    how = f", {found.sampler}" if found.sampler else ""
    say(f"{found.spent} of {found.settings.budget} simulations{how}; {found.why or f'paused: {paused}'}")
    if paused and name is not None:
        say(f"go on with the same command and --run {name}")
