"""``assay brain plan``: which alphas to submit, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._brain_lists import show_table
from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform
from assay.cli._brain_results_place import number
from assay.cli._choice import one_of
from assay.cli._output import Json, print_json, say

if TYPE_CHECKING:
    from assay.brain.search import SubmissionPlan


def plan(
    cap: Annotated[int, typer.Option(help="Submissions a day.", min=1)] = 4,
    days: Annotated[int | None, typer.Option(help="Days that it may take.", min=1)] = None,
    weight: Annotated[
        str, typer.Option(help="What an alpha is worth: its fitness, its sharpe, or count.", metavar="NAME")
    ] = "fitness",
    exact: Annotated[
        bool, typer.Option("--exact/--quick", help="Search through all plans, or only near good ones.")
    ] = True,
    check: Annotated[
        bool, typer.Option("--check", help="Have the platform answer checks that are pending first.")
    ] = False,
    ask: Annotated[
        bool,
        typer.Option(
            "--platform-correlations", help="Ask the platform for correlations with what is submitted."
        ),
    ] = False,
    consultant: Annotated[bool, typer.Option("--consultant", help="Hold to a consultant's limits.")] = False,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Say which alphas of the account to submit, in which order. Submits none.

    Under the rule of self-correlation: an alpha that correlates by 0.7 with one that is in before has to
    have a Sharpe ratio that is better by a tenth.
    """
    from assay.brain.search import plan_inputs, plan_submissions
    from assay.cli._progress import Steps

    wanted = one_of(weight, ("fitness", "sharpe", "count"), "--weight")
    with open_platform(local, data, workspace) as platform, Steps() as steps:
        steps.begin("reading the account's alphas")
        read = plan_inputs(
            platform,
            level="consultant" if consultant else "user",
            ask_correlations=ask,
            check=check,
            told=lambda done, total: steps.advance("daily PnL", done, total),
        )
        name, simulated = platform.name, platform.simulated
    made = plan_submissions(
        read.candidates,
        read.submitted,
        cap=cap,
        days=days,
        weight=wanted,
        correlations=read.correlations,
        exact=exact,
    )
    if as_json:
        print_json({"platform": name, "simulated": simulated, **_plan(made)})
    else:
        _show_plan(made, name, len(read.submitted))


def _plan(made: SubmissionPlan) -> dict[str, Any]:
    return {
        "steps": [
            {
                "alpha": step.alpha.id,
                "day": step.day,
                "sharpe": step.alpha.sharpe,
                "fitness": step.alpha.fitness,
                "weight": step.weight,
                "after": dict(step.after),
                "pending": list(step.alpha.pending),
                "expression": step.alpha.expression,
            }
            for step in made.steps
        ],
        "excluded": [
            {
                "alpha": item.alpha.id,
                "why": item.why,
                "message": item.message,
                "others": dict(item.others),
                "expression": item.alpha.expression,
            }
            for item in made.excluded
        ],
        "weight": made.weight,
        "value": made.value,
        "bound": made.bound,
        "gap": made.gap,
        "greedy": made.greedy,
        "exact": made.exact,
        "cap": made.cap,
        "days": made.days,
        "unknown": list(made.unknown),
    }


def _show_plan(made: SubmissionPlan, platform: str, submitted: int) -> None:
    rows = [
        (
            str(step.day),
            step.alpha.id,
            number(step.alpha.sharpe),
            number(step.alpha.fitness),
            ", ".join(f"{name} {value:.2f}" for name, value in step.after.items()),
            step.alpha.expression,
        )
        for step in made.steps
    ]
    if rows:
        show_table(("day", "alpha", "sharpe", "fitness", "better than", "expression"), rows)
    near = "no plan is worth more" if made.exact else f"at most {made.gap:.1%} below the best"
    say(
        f"{platform}: {len(made.steps)} to submit, worth {made.value:.4g} in {made.weight} ({near}; "
        f"the best first: {made.greedy:.4g}); {submitted} submitted already"
    )
    pending = sorted({name for step in made.steps for name in step.alpha.pending})
    if pending:
        say(f"checks without an answer, which may still fail: {', '.join(pending)}; --check asks for them")
    if made.unknown:
        say(f"submitted, without a daily PnL to hold others against: {', '.join(made.unknown)}")
    failing = [item for item in made.excluded if item.why == "failing"]
    for item in made.excluded:
        if item.why != "failing":
            say(f"left out {item.alpha.id}: {item.message}")
    if failing:
        say(f"left out {len(failing)} that fail a check or a limit")
