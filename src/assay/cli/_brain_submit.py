"""``assay brain submit``: alphas for good, on the word of a person."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._brain_lists import show_table
from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform, place_of
from assay.cli._output import Json, print_json, say
from assay.cli._progress import note
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from assay.brain import Alpha
    from assay.brain.client import BlockingClient
    from assay.config import Workspace

NOT_ALL = 1


@dataclass(frozen=True, slots=True)
class _Candidate:
    alpha: Alpha
    failing: tuple[str, ...]


def submit(
    alphas: Annotated[
        list[str] | None, typer.Argument(help="Ids of alphas.", metavar="ALPHA", show_default=False)
    ] = None,
    passing: Annotated[
        bool,
        typer.Option(
            "--passing",
            help="Take the unsubmitted that pass every check and do not exclude each other, in the order of "
            "'assay brain plan' for one day.",
        ),
    ] = False,
    cap: Annotated[
        int | None,
        typer.Option(help="Submit no more than these; default: submit_cap of [brain.agent].", min=1),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Submit without asking; only alphas that are named by id.")
    ] = False,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> int:
    """Submit alphas, which cannot be taken back: a person confirms it by typing.

    Their checks are asked for first; what fails one is not submitted. Afterwards each alpha is read again,
    and its status is the proof. Exit code 1 when one was not submitted.
    """
    if bool(alphas) == passing:
        raise AssayError("it is not said what to submit", where="ALPHA", fix="name alphas, or give --passing")
    if yes and passing:
        raise AssayError(
            "what --passing finds is not known before",
            where="--yes",
            fix="name the alphas, or confirm by hand",
        )
    place, data = place_of(local, data, workspace)
    most = cap or _cap(place)
    wanted = list(dict.fromkeys(alphas or ()))
    if len(wanted) > most:
        raise AssayError(
            f"{len(wanted)} alphas are named, and the cap is {most}",
            where="--cap",
            fix="name fewer, or raise it",
        )
    with open_platform(local, data, None if place is None else place.root) as platform:
        found = _passing(platform, most) if passing else [_candidate(platform, name) for name in wanted]
        ready = [one for one in found if not one.failing]
        if not as_json:
            _show(found)
        if ready and not _confirmed(len(ready), yes=yes):
            note("nothing was submitted")
            return NOT_ALL
        told = [_submitted(platform, one.alpha.id) for one in ready]
    told += [
        {"alpha": one.alpha.id, "submitted": False, "failing": list(one.failing)}
        for one in found
        if one.failing
    ]
    if as_json:
        print_json(told)
    else:
        _tell(told)
    return 0 if told and all(one["submitted"] for one in told) else NOT_ALL


def _cap(workspace: Workspace | None) -> int:
    from assay.config import BrainAgentSettings

    settings = BrainAgentSettings() if workspace is None else workspace.brain.agent
    return settings.submit_cap


def _candidate(platform: BlockingClient, name: str) -> _Candidate:
    alpha = platform.alpha(name)
    if alpha.status != "UNSUBMITTED":
        return _Candidate(alpha, ())
    return _Candidate(alpha, _failing(platform, name))


def _passing(platform: BlockingClient, most: int) -> list[_Candidate]:
    """The alphas of the plan for a day, none of which fails a check; those that do are planned without.

    Only the planned ones are asked for their pending checks, as each costs the platform a computation.
    """
    from assay.brain.search import plan_inputs, plan_submissions

    read = plan_inputs(platform)
    candidates, sound = read.candidates, set[str]()
    while True:
        made = plan_submissions(candidates, read.submitted, cap=most, days=1)
        names = [step.alpha.id for step in made.steps]
        failing = {name for name in names if name not in sound and _failing(platform, name)}
        if not failing:
            return [_Candidate(platform.alpha(name), ()) for name in names]
        sound.update(set(names) - failing)
        candidates = tuple(one for one in candidates if one.id not in failing)


def _failing(platform: BlockingClient, name: str) -> tuple[str, ...]:
    return tuple(check.name for check in platform.check(name) if check.result in ("FAIL", "ERROR"))


def _show(found: Sequence[_Candidate]) -> None:
    if not found:
        say("no unsubmitted alpha passes every check")
        return
    rows = []
    for one in found:
        stats = one.alpha.in_sample
        figures = [None] * 3 if stats is None else [stats.sharpe, stats.fitness, stats.turnover]
        code = "" if one.alpha.regular is None else one.alpha.regular.code
        shown = ["-" if figure is None else f"{figure:.2f}" for figure in figures]
        rows.append((one.alpha.id, *shown, ", ".join(one.failing) or "none", code))
    show_table(("alpha", "sharpe", "fitness", "turnover", "failing", "expression"), rows)


def _confirmed(number: int, *, yes: bool) -> bool:
    """Whether a person types that so many alphas are to be submitted."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise AssayError(
            "a submission is confirmed by a person, and the input is no terminal",
            where="submit",
            fix="run it in a terminal; or name the alphas, and add --yes",
        )
    word = f"submit {number}"
    sys.stderr.write(f"A submission cannot be taken back. Type '{word}' to go on: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == word


def _submitted(platform: BlockingClient, name: str) -> dict[str, Any]:
    try:
        alpha = platform.submit(name)
    except Refusal as refusal:
        checks = [check["name"] for check in refusal.details.get("checks", ())]
        return {"alpha": name, "submitted": False, "failing": checks, "message": refusal.message}
    return {"alpha": name, "submitted": True, "status": alpha.status, "date": alpha.date_submitted}


def _tell(told: Sequence[dict[str, Any]]) -> None:
    for one in told:
        if one["submitted"]:
            say(f"{one['alpha']}: submitted, its status is {one['status']}")
        else:
            say(f"{one['alpha']}: not submitted: {one.get('message') or ', '.join(one['failing'])}")
