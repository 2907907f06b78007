"""``assay brain mutate``: an expression changed by what is wrong with it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._brain_lists import Delay, Region, Universe, show_table
from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform
from assay.cli._brain_settings import (
    Decay,
    NanHandling,
    Neutralization,
    Truncation,
    given_settings,
    settings_of,
)
from assay.cli._output import Json, print_json, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.brain import JobResult, Proposal
    from assay.brain.search import Diagnosis, MutationSpace

FIGURES = ("sharpe", "fitness", "turnover", "returns", "drawdown", "margin", "longCount", "shortCount")


def mutate(
    expression: Annotated[
        str | None, typer.Argument(help="FASTEXPR, in quotes.", metavar="EXPRESSION", show_default=False)
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--result", help="A stored result instead: an alpha's id, or RUN/JOB.", metavar="ID"),
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures", help="What came of it, such as sharpe=0.8,turnover=0.75.", metavar="NAME=VALUE,..."
        ),
    ] = None,
    most: Annotated[int, typer.Option("--max", help="Most mutations.", min=1, max=500)] = 8,
    diagnosis: Annotated[
        bool, typer.Option("--diagnosis", help="Say only what is wrong, and what may help.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of random steps.", min=0)] = 0,
    region: Region = None,
    universe: Universe = None,
    delay: Delay = None,
    decay: Decay = None,
    neutralization: Neutralization = None,
    truncation: Truncation = None,
    nan_handling: NanHandling = None,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Change an expression by what is wrong with it: typed trees, no repeats. Simulates nothing.

    With --result or --figures the mutations answer what is wrong; without, every rule has its turn. With
    --local the fields and settings are those of the data set, else the usual ones.
    """
    from assay.brain.search import diagnose
    from assay.brain.search import mutate as mutations

    given = given_settings(region, universe, delay, decay, neutralization, truncation, nan_handling)
    result = _result_of(expression, of, figures, given, workspace)
    proposal = result.proposal
    space = _space(proposal.request.regular, local, data, workspace)
    has_figures = result.status == "failed" or result.stats is not None
    found = diagnose(result, fields=space.fields) if has_figures else None
    made = () if diagnosis else mutations(
        result if of else proposal, () if found is None else found.findings, space=space, most=most, seed=seed
    )  # fmt: skip
    if as_json:
        print_json({"findings": _findings(found), "proposals": [_proposal(item) for item in made]})
        return
    if found is not None:
        _show_findings(found)
    elif diagnosis:
        say("no figures: give --result or --figures")
    if not diagnosis:
        _show_mutations(proposal, made)


def _result_of(
    expression: str | None,
    of: str | None,
    figures: str | None,
    given: Mapping[str, Any],
    workspace: Path | None,
) -> JobResult:
    """The result that is named, or one of what was typed."""
    from assay.brain import JobResult, Proposal, SimulationRequest, SimulationSettings, Stats
    from assay.cli._brain_results_place import find_result

    if of is not None:
        if expression is not None or figures is not None or any(v is not None for v in given.values()):
            raise AssayError(
                "a stored result has its own expression, figures and settings",
                where="--result",
                fix="give --result alone",
            )
        return find_result(of, workspace).result
    if expression is None:
        raise AssayError(
            "nothing to mutate", where="EXPRESSION", fix="give an expression in quotes, or --result ID"
        )
    request = SimulationRequest(regular=expression, settings=settings_of(SimulationSettings(), **given))
    stats = None if figures is None else Stats.model_validate(_read_figures(figures))
    return JobResult("typed", Proposal(request), "completed", stats=stats)


def _read_figures(text: str) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for part in text.split(","):
        name, mark, value = (piece.strip() for piece in part.partition("="))
        try:
            found[name] = float(value)
            if not mark or name not in FIGURES or not math.isfinite(found[name]):
                raise ValueError
        except ValueError:
            raise AssayError(
                f"{part.strip()!r} is no figure",
                where="--figures",
                fix=f"write NAME=NUMBER, separated by commas, of {', '.join(FIGURES)}",
            ) from None
    return found


def _space(expression: str, local: bool, data: str | None, workspace: Path | None) -> MutationSpace:
    from assay.brain.search import MutationSpace

    if not local:
        if data is not None:
            raise AssayError("a data set is for --local", where="--data", fix="add --local")
        return MutationSpace.offline(expression)
    with open_platform(local, data, workspace) as platform:
        return MutationSpace.of(platform.data_fields(), platform.choices())


def _findings(found: Diagnosis | None) -> list[dict[str, Any]]:
    from dataclasses import asdict

    if found is None:
        return []
    return [{**asdict(finding), "rules": list(finding.rules)} for finding in found.findings]


def _proposal(item: Proposal) -> dict[str, Any]:
    from assay.brain.search import fingerprint

    return {
        "rule": item.origin,
        "expression": item.request.regular,
        "settings": item.request.settings.wire(),
        "why": item.rationale,
        "fingerprint": fingerprint(item.request.regular),
    }


def _show_findings(found: Diagnosis) -> None:
    for finding in found.findings:
        say(f"{finding.severity:<5}{finding.name}: {finding.message}")
        if finding.rules:
            say(f"     may help: {', '.join(finding.rules)}")
    if not found.findings:
        say("nothing is wrong with the figures")


def _show_mutations(parent: Proposal, made: Sequence[Proposal]) -> None:
    rows = []
    for item in made:
        before, after = parent.request.settings.wire(), item.request.settings.wire()
        changed = [f"{key}={value}" for key, value in after.items() if before.get(key) != value]
        rows.append((item.origin, ", ".join(changed), item.request.regular))
    show_table(("rule", "settings", "expression"), rows)
