"""``assay brain stability``: whether an alpha holds by year, in a sub-universe, and a little changed."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from assay.cli._brain_lists import Delay, Region, Universe, show_table
from assay.cli._brain_platform import InWorkspace, Local, LocalData
from assay.cli._brain_results_place import number
from assay.cli._brain_settings import (
    Decay,
    NanHandling,
    Neutralization,
    Truncation,
    given_settings,
    settings_of,
)
from assay.cli._output import Json, print_json, say
from assay.errors import AssayError, ProviderTransient

if TYPE_CHECKING:
    from assay.brain import JobResult, Proposal
    from assay.brain.search import Stability
    from assay.cli._brain_run import BrainPlace

KIND: Final = "stability"


def stability(
    expression: Annotated[str, typer.Argument(help="FASTEXPR, in quotes.", show_default=False)],
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
) -> int:
    """Say how stable an alpha is: by year, in its sub-universe, and with windows and settings changed a bit.

    At most nine simulations, each a trial; what the workspace's results know costs nothing. Exit code 1 where
    the expression gives no figures, 3 where the platform made it pause: run it again then.
    """
    from assay.cli._brain_run import opened_place

    given = given_settings(region, universe, delay, decay, neutralization, truncation, nan_handling)
    with opened_place(local, data, workspace, resume=None, kind=KIND) as place:
        found, failed = _found(place, expression, given)
    if found is None:
        assert failed is not None
        raise AssayError(failed, where="EXPRESSION", fix="mend it; see 'assay brain simulate'")
    if as_json:
        print_json(_data(found))
    else:
        _show(found)
    return 0 if found.base.sharpe is not None else 1


def _found(place: BrainPlace, expression: str, given: dict[str, Any]) -> tuple[Stability | None, str | None]:
    """What came of it, or why the expression itself cannot be simulated."""
    from assay.brain import Proposal, SimulationRequest
    from assay.brain.search import YEARLY, MutationSpace, perturbed
    from assay.brain.search import stability as put_together
    from assay.cli._brain_optimize import need_valid

    platform = place.platform
    settings = settings_of(platform.default_settings(), **given)
    need_valid(expression, settings, platform)
    start = Proposal(SimulationRequest(regular=expression, settings=settings), origin="hand")
    space = replace(MutationSpace.offline(expression), choices=platform.choices())
    results = _simulated(place, [start, *perturbed(start, space)])
    base = next((item for item in results if item.proposal.origin == "hand"), None)
    if base is None or base.alpha is None:
        words = "no answer came" if base is None or base.failure is None else base.failure.message
        return None, words
    rest = [item for item in results if item is not base]
    return put_together(base, platform.recordset(base.alpha, YEARLY), rest), None


def _simulated(place: BrainPlace, proposals: list[Proposal]) -> tuple[JobResult, ...]:
    from assay.brain.search import RESULTS_NAME, Batch, ResultStore, SearchRun
    from assay.cli._brain_run import new_id

    inputs = {"requests": [item.request.wire() for item in proposals]}
    with ResultStore(place.workspace.brain_dir / RESULTS_NAME) as store:
        name = new_id(place, None, KIND)
        recorded = SearchRun(place.ledger, name, place.platform, inputs)
        with recorded as run:
            settings = place.workspace.brain
            batch = Batch(place.platform, store, place.folder(name), settings=settings, run=run, agent=KIND)
            report = batch.run(proposals)
            if report.stop == "paused":
                raise ProviderTransient(
                    f"it has to pause: {report.message}",
                    fix="run it again later; what is known costs nothing",
                )
    return report.results


def _data(found: Stability) -> dict[str, Any]:
    return {
        "expression": found.base.proposal.request.regular,
        "settings": found.base.proposal.request.settings.wire(),
        "alpha": found.base.alpha,
        "sharpe": found.base.sharpe,
        "fitness": found.base.fitness,
        "turnover": found.base.turnover,
        "years": [asdict(line) for line in found.years],
        "years_alike": found.years_alike,
        "sub_universe": None if found.sub_universe is None else found.sub_universe.wire(),
        "changes": [
            {
                "rule": item.rule,
                "expression": item.result.proposal.request.regular,
                "settings": item.result.proposal.request.settings.wire(),
                "sharpe": item.result.sharpe,
                "fitness": item.result.fitness,
                "turnover": item.result.turnover,
                "kept": item.kept,
            }
            for item in found.changes
        ],
        "weakest": found.weakest,
    }


def _show(found: Stability) -> None:
    base = found.base
    say(f"{base.proposal.request.regular}")
    figures = ", ".join(f"{name} {number(getattr(base, name))}" for name in ("sharpe", "fitness", "turnover"))
    say(f"alpha {base.alpha}, {figures}\n")
    rows = [(line.year, *map(number, (line.sharpe, line.fitness, line.turnover))) for line in found.years]
    show_table(("year", "sharpe", "fitness", "turnover"), rows)
    say("")
    changes = []
    for item in found.changes:
        result, kept = item.result, "" if item.kept is None else f"{item.kept:.0%}"
        figures_of = map(number, (result.sharpe, result.fitness, result.turnover))
        changes.append((item.rule, *figures_of, kept, _changed(base, result)))
    show_table(("change", "sharpe", "fitness", "turnover", "kept", "to"), changes)
    say("")
    check = found.sub_universe
    if check is not None:
        say(f"sub-universe  {check.result}: {number(check.value)}, at least {number(check.limit)}")
    say(f"years         {found.years_alike} of {len(found.years)} have the sign of the whole")
    if found.weakest is not None:
        say(f"changes       the weakest of {len(changes)} keeps {found.weakest:.0%} of the Sharpe ratio")


def _changed(base: JobResult, other: JobResult) -> str:
    """What differs from the alpha itself."""
    was, now = base.proposal.request, other.proposal.request
    if was.regular != now.regular:
        return now.regular
    before, after = was.settings.wire(), now.settings.wire()
    return ", ".join(f"{name} {value}" for name, value in after.items() if before[name] != value)
