"""``assay brain simulate``: expressions by hand."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from assay.cli._brain_check import check_expressions
from assay.cli._brain_lists import Delay, Region, Universe
from assay.cli._brain_outcome import Outcome, outcome_data, record, show
from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform, place_of
from assay.cli._brain_results_place import results_path
from assay.cli._brain_settings import Decay, NanHandling, Neutralization, Truncation, settings_of
from assay.cli._output import FormulaFile, Formulas, Json, print_json, say
from assay.cli._progress import note
from assay.errors import AssayError, ProviderError

if TYPE_CHECKING:
    from assay.brain import Running, Simulation, SimulationRequest, SimulationSettings
    from assay.brain.client import BlockingClient
    from assay.brain.search import ResultStore
    from assay.config import Workspace

FAILED = 2
OUTSIDE = 3
_AT_ONCE = 10
_STEPS = 4
"""How often the progress of one simulation is shown."""

Switch = Annotated[Literal["ON", "OFF"] | None, typer.Option(help="ON or OFF.")]


def simulate(
    expressions: Formulas = None,
    file: FormulaFile = None,
    multi: Annotated[
        bool,
        typer.Option("--multi", help="Ten in one request, where the account may (MULTI_SIMULATION)."),
    ] = False,
    region: Region = None,
    universe: Universe = None,
    delay: Delay = None,
    decay: Decay = None,
    neutralization: Neutralization = None,
    truncation: Truncation = None,
    pasteurization: Switch = None,
    nan_handling: NanHandling = None,
    max_trade: Switch = None,
    test_period: Annotated[
        str | None, typer.Option(help="Years and months that are kept as a test, such as P1Y6M.")
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Do not check the expressions here before.")
    ] = False,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> int:
    """Simulate FASTEXPR expressions, and show figures and checks.

    They are checked here first, so that no slot is spent on a typo. In a workspace each that is simulated
    counts as a trial of its ledger, and is kept among its results. Exit code 2 when one cannot be simulated,
    3 when the platform failed.
    """
    from assay.cli._formulas import collect_formulas

    texts = [formula.text for formula in collect_formulas(expressions or (), file)]
    given: dict[str, Any] = {
        "region": region,
        "universe": universe,
        "delay": delay,
        "decay": decay,
        "neutralization": neutralization,
        "truncation": truncation,
        "pasteurization": pasteurization,
        "nan_handling": nan_handling,
        "max_trade": max_trade,
        "test_period": test_period,
    }
    place, data = place_of(local, data, workspace)
    root = None if place is None else place.root
    # the results are opened first, so that a damaged file is told before anything is paid for
    with _results(place) as store, open_platform(local, data, root) as platform:
        settings = settings_of(platform.default_settings(), **given)
        found = [Outcome(text) for text in texts]
        if not unchecked:
            check_expressions(platform, found, settings)
        _simulate(platform, found, settings, _AT_ONCE if multi else 1, quiet=as_json)
        record(platform, found, settings, place, store)
    if as_json:
        print_json([outcome_data(one) for one in found])
    else:
        for one in found:
            show(one)
        _sum_up(platform, found)
    return _code(found)


def _results(place: Workspace | None) -> AbstractContextManager[ResultStore | None]:
    from assay.brain.search import ResultStore

    return nullcontext() if place is None else ResultStore(results_path(place))


def _simulate(
    platform: BlockingClient,
    found: Sequence[Outcome],
    settings: SimulationSettings,
    size: int,
    *,
    quiet: bool,
) -> None:
    from assay.brain import SimulationRequest

    waiting = [one for one in found if one.failure is None]
    groups = [waiting[start : start + size] for start in range(0, len(waiting), size)]
    requests: list[list[SimulationRequest]] = [
        [SimulationRequest(regular=one.text, settings=settings) for one in group] for group in groups
    ]
    done, shown = 0, dict[int, int]()

    def hear(place: int, came: tuple[Simulation, ...] | AssayError) -> None:
        nonlocal done
        group = groups[place]
        for at, one in enumerate(group):
            one.hear(came if isinstance(came, AssayError) else came[at])
        done += len(group)
        if not quiet and len(waiting) > 1:
            note(f"{done} of {len(waiting)} over")

    def progress(place: int, running: Running) -> None:
        step = int((running.progress or 0.0) * _STEPS)
        if not quiet and step > shown.get(place, 0):
            shown[place] = step
            note(f"{place + 1} of {len(groups)}: {running.progress:.0%} simulated")

    platform.simulate_all(requests, hear, progress)
    for one in waiting:
        one.read(platform)


def _sum_up(platform: BlockingClient, found: Sequence[Outcome]) -> None:
    quota = platform.quota()
    left = "" if quota.remaining is None else f"; {quota.remaining} left for the day"
    where = f"{platform.name}{', an invented market' if platform.simulated else ''}"
    say(f"\n{sum(one.alpha is not None for one in found)} of {len(found)} simulated on {where}{left}")


def _code(found: Sequence[Outcome]) -> int:
    if any(isinstance(one.failure, ProviderError) for one in found):
        return OUTSIDE
    return FAILED if any(one.failure is not None for one in found) else 0
