"""What came of one simulation, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.cli._output import say
from assay.cli._progress import note
from assay.errors import AssayError, ExpressionError, ProviderError, Refusal, Span

if TYPE_CHECKING:
    from assay.brain import Alpha, Check, DailyPnl, Place, Simulation, SimulationSettings
    from assay.brain.client import BlockingClient
    from assay.brain.search import ResultStore
    from assay.config import Workspace

_FIGURES = (
    ("sharpe", "{:.2f}"),
    ("fitness", "{:.2f}"),
    ("turnover", "{:.1%}"),
    ("returns", "{:.1%}"),
    ("drawdown", "{:.1%}"),
    ("margin", "{:.6f}"),
    ("pnl", "{:,.0f}"),
    ("long_count", "{}"),
    ("short_count", "{}"),
)


@dataclass(slots=True)
class Outcome:
    """An expression with its alpha, or with why there is none."""

    text: str
    simulation: Simulation | None = None
    alpha: Alpha | None = None
    failure: AssayError | None = None
    status: str = ""

    def hear(self, came: Simulation | AssayError) -> None:
        """Take what the platform said of the simulation."""
        from assay.brain import BAD_EXPRESSION

        if isinstance(came, AssayError):
            self.failure = came
            return
        self.simulation, self.status = came, came.status
        if came.alpha is not None:
            return
        if came.status == "CANCELLED":
            self.failure = Refusal(
                BAD_EXPRESSION,
                "cancelled by the platform, as another of its request failed",
                fix="mend the other one; then simulate this one again",
            )
        else:
            words = came.message or f"the simulation ended with {came.status}"
            self.failure = expression_error(words, self.text, came.location)

    def read(self, platform: BlockingClient) -> None:
        """Fetch the figures."""
        if self.simulation is None or self.simulation.alpha is None:
            return
        try:
            self.alpha = platform.alpha(self.simulation.alpha)
        except ProviderError as error:
            self.failure = error


def expression_error(message: str, text: str, place: Place | None, hint: str = "") -> Refusal:
    """A refusal that shows the place, where there is one."""
    from assay.brain import BAD_EXPRESSION

    fix = hint or None
    if place is None:
        return Refusal(BAD_EXPRESSION, message, fix=fix)
    span = Span(place.start, max(place.end, place.start + 1), place.line, place.start + 1)
    return ExpressionError(BAD_EXPRESSION, message, span=span, text=text, level="runnable", fix=fix)


def record(
    platform: BlockingClient,
    found: Sequence[Outcome],
    settings: SimulationSettings,
    workspace: Workspace | None,
    store: ResultStore | None,
) -> None:
    """Count what was simulated as trials of the workspace's ledger, and keep it in its results."""
    done = [(one.text, one.alpha) for one in found if one.alpha is not None]
    if workspace is None or store is None or not done:
        return
    from assay.brain import JobResult, Proposal, SimulationRequest, trial_draft
    from assay.brain.search import fingerprint
    from assay.cli._workspace import need_ledger

    ledger = need_ledger(workspace, create=True)
    drafts, results = [], []
    for number, (text, alpha) in enumerate(done, 1):
        proposal = Proposal(SimulationRequest(regular=text, settings=settings), origin="hand")
        result = JobResult(
            f"j{number:04d}",
            proposal,
            "completed",
            alpha=alpha.id,
            stats=alpha.in_sample,
            checks=() if alpha.in_sample is None else alpha.in_sample.checks,
            fingerprint=fingerprint(text),
        )
        results.append(result)
        drafts.append(trial_draft(ledger, result, _pnl(platform, alpha.id), data=platform.data))
    ledger.append_many(drafts)
    store.put(results, platform=platform.name, digest=platform.data.digest)
    note(f"{len(drafts)} counted as trials of this workspace")


def _pnl(platform: BlockingClient, alpha_id: str) -> DailyPnl:
    """The daily PnL; a trial counts without one, too."""
    from assay.brain import DailyPnl, read_pnl

    try:
        return read_pnl(platform, alpha_id)
    except ProviderError as error:
        note(f"the daily PnL of {alpha_id} cannot be read: {error.message}")
        return DailyPnl((), ())


def show(one: Outcome) -> None:
    """Figures and checks, or what is wrong where."""
    say(f"\n{one.text}")
    if one.failure is not None:
        _show_failure(one.failure)
        return
    if one.alpha is None or one.alpha.in_sample is None:
        say("  the platform has no figures of it")
        return
    stats, settings = one.alpha.in_sample, one.alpha.settings
    dates = f"{stats.start_date or settings.get('startDate')} to {stats.end_date or settings.get('endDate')}"
    say(f"  alpha       {one.alpha.id}, grade {one.alpha.grade or 'unknown'}, {dates}")
    for name, form in _FIGURES:
        value = getattr(stats, name)
        say(f"  {name.replace('_', ' '):<11} {'undefined' if value is None else form.format(value)}")
    for check in sorted(stats.checks, key=lambda check: check.result != "FAIL"):
        say(f"  {check.result.lower():<11} {_check_words(check)}")


def outcome_data(one: Outcome) -> dict[str, Any]:
    """The same for a program."""
    return {
        "expression": one.text,
        "status": one.status or None,
        "alpha": None if one.alpha is None else one.alpha.wire(),
        "error": None if one.failure is None else one.failure.as_dict(),
    }


def _check_words(check: Check) -> str:
    value = "" if check.value is None else f" {check.value:g}"
    limit = "" if check.limit is None else f", limit {check.limit:g}"
    return f"{check.name}{value}{limit}"


def _show_failure(error: AssayError) -> None:
    say(f"  error: {error.message}")
    if isinstance(error, ExpressionError):
        for line in error.pointer().splitlines():
            say(f"    {line}")
    if error.where:
        say(f"  where: {error.where}")
    if error.fix:
        say(f"  what to do: {error.fix}")
