from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.config import PeriodPlan
from assay.expr import DialectName, FieldInfo
from assay.judge._certificate import seal, software_versions
from assay.judge._decide import decide
from assay.judge._items import Item, ItemReader, Judgeable
from assay.judge._leaks import FULL, QUICK, FieldExponents, Subject, check_leaks
from assay.judge._measure import Measured
from assay.judge._measuring import MeasuringPool, Progress
from assay.judge._period import plan_for
from assay.judge._recording import Record, Recording, Unrecorded, recording_of
from assay.judge._results import CoverageRow, DataUsed, LeakCheck, Significance
from assay.judge._settings import JudgeSettings
from assay.judge._setup import Setup, make_setup
from assay.judge._significance import batch_statistics, significance
from assay.judge._verdict import BatchStatistics, Verdict, Verdicts
from assay.market import data_digest

if TYPE_CHECKING:
    from assay.market import Panel

LEAK_NAMES = ("prefix", "scramble", "permutation", "adjustment")
LEAK_BATCH = 128


def judge(
    items: Judgeable,
    panel: Panel,
    settings: JudgeSettings | None = None,
    *,
    dialect: DialectName = "core",
    plan: PeriodPlan | None = None,
    benchmark: NDArray[np.float64] | None = None,
    collect: bool = False,
    progress: Progress | None = None,
    recording: Recording | None = None,
) -> Verdicts:
    """Judge formulas or values on a panel.

    The signal of row ``t`` is the factor's value at ``t - lag`` for the universe's members of ``t``; it
    trades at the fill of ``t+1``; label ``h`` is ``price[t+1+h]/price[t+1] - 1``. No row after the period's
    end is read.

    Parameters
    ----------
    items : a formula as text or :class:`~assay.expr.Expression`, several of them (a sequence, or a mapping by
        name), or values: an array ``(T, N)`` or a pandas or polars frame, wide or long, also by name.
    panel : the market.
    settings : how to judge; the defaults are the documented conventions.
    dialect : of formulas given as text.
    plan : the periods. By default those that the workspace in which the panel is stored sets for it, found
        from the panel's folder; without any, as for a panel in memory, all dates are judged. A plan other
        than the workspace's is taken for a panel without dates that the latter hides.
    benchmark : returns ``(T,)`` on the panel's dates, instead of the equal weight of the members.
    collect : put refused items aside in ``Verdicts.refused`` instead of stopping.
    progress : told how far the work is.
    recording : the ledger that trials, looks and certificates go to, and for whom. By default that of the
        workspace in which the panel is stored; a panel in memory, or stored elsewhere, is judged unrecorded.

    Raises
    ------
    Refusal
        A formula is refused (and ``collect`` is not set), the period is hidden, or the universe is unknown.
        ``look_budget_exhausted``; ``plan_moved``: the plan hides less than at earlier looks, and that would
        be made use of; ``ledger_busy``.
    DataError
        The values or the benchmark do not fit the panel, or the period is too short.
    ConfigProblems
        The costs cannot be told, another plan than the workspace's is given, or the ``assay.toml`` above the
        panel's folder is not valid.

    Examples
    --------
    >>> from assay.judge import judge, JudgeSettings
    >>> from assay.market import simulate
    >>> panel = simulate(instruments=60, days=260)
    >>> verdict = judge("-ts_return(close, 5)", panel, JudgeSettings(quantiles=5))[0]
    >>> verdict.summary["t_lags"], len(verdict.leaks)
    (10, 4)
    """
    chosen = settings or JudgeSettings()
    fields = panel_fields(panel)
    reader = ItemReader(panel.dates, panel.instruments, fields, dialect, collect)
    read, refused = reader.read(items)
    setup = make_setup(panel, chosen, plan_for(panel, plan), benchmark)
    digest = data_digest(panel)
    with _record(recording or recording_of(panel, chosen), read, setup, digest) as record:
        with MeasuringPool(setup, len(read), progress) as pool:
            pool.submit(read)
            leaks = _leak_checks(read, setup, progress)
            measured = pool.results()
        record.trials(measured)
        population = record.population()
        batch = batch_statistics([measured[item.name] for item in read], population)
        verdicts = [
            _verdict(
                item,
                measured[item.name],
                leaks[item.name],
                setup,
                _Context(batch, index, digest, significance(measured[item.name], population), record.label),
            )
            for index, item in enumerate(read)
        ]
        record.certificates(verdicts)
    return Verdicts(verdicts, batch=batch, refused=refused)


def _record(
    recording: Recording | None, items: Sequence[Item], setup: Setup, digest: str
) -> Record | Unrecorded:
    if recording is None:
        return Unrecorded(setup.settings)
    return Record(recording, items, setup, digest)


@dataclass(frozen=True, slots=True)
class _Context:
    batch: BatchStatistics
    index: int
    digest: str
    significance: Significance
    record: str


def panel_fields(panel: Panel) -> dict[str, FieldInfo]:
    """The panel's fields as the parser wants them described."""
    return {
        name: FieldInfo(name, info.kind, info.exponent, info.unit, info.description)
        for name, info in panel.fields.items()
    }


def _leak_checks(
    items: Sequence[Item], setup: Setup, progress: Progress | None
) -> dict[str, tuple[LeakCheck, ...]]:
    depth = setup.settings.leak_checks
    found: dict[str, tuple[LeakCheck, ...]] = {}
    subjects: dict[str, Subject] = {}
    for item in items:
        if item.expression is None:
            found[item.name] = _all_checks(
                "not_applicable", "values only: there is no expression to run again"
            )
        elif depth == "off":
            found[item.name] = _all_checks("not_run", "switched off")
        else:
            expression = item.expression
            subjects[item.name] = Subject(
                expression.node, expression.fields, expression.lookback, item.breaks_at
            )
    names = list(subjects)
    for first in range(0, len(names), LEAK_BATCH):
        part = {name: subjects[name] for name in names[first : first + LEAK_BATCH]}
        found.update(_checked(part, setup))
        if progress is not None:
            progress("leak checks", min(first + LEAK_BATCH, len(names)), len(names))
    return found


def _checked(subjects: Mapping[str, Subject], setup: Setup) -> dict[str, tuple[LeakCheck, ...]]:
    from assay.engine import evaluate

    settings = setup.settings
    exponents = {name: info.exponent for name, info in setup.view.fields.items()}
    return check_leaks(
        subjects,
        setup.view,
        FieldExponents(exponents),
        evaluate,
        universe=setup.members,
        plan=FULL if settings.leak_checks == "full" else QUICK,
        seed=settings.seed,
        threads=settings.threads,
    )


def _all_checks(outcome: Any, detail: str) -> tuple[LeakCheck, ...]:
    names: tuple[Any, ...] = LEAK_NAMES
    return tuple(LeakCheck(name, outcome, detail) for name in names)


def _verdict(
    item: Item, measured: Measured, leaks: tuple[LeakCheck, ...], setup: Setup, context: _Context
) -> Verdict:
    settings = setup.settings
    data = _data_used(measured, setup, context)
    warnings = _warnings(item, measured, leaks, setup)
    coverage = _coverage(item, setup)
    decision = decide(measured.summary, measured.robustness, leaks, settings)
    book = None if measured.book is None else measured.book.curve
    batch = context.batch
    certificate = seal(
        {
            "identity": item.identity,
            "data": data,
            "settings": settings.to_dict(),
            "costs": setup.costs,
            "software": software_versions(),
            "metrics": measured.summary,
            "decay": measured.decay,
            "quantiles": [] if measured.quantiles is None else measured.quantiles.rows,
            "book": None if book is None else _book_facts(book),
            "coverage": coverage,
            "robustness": measured.robustness,
            "significance": context.significance,
            "batch": {
                "judged": batch.judged,
                "q_bh": batch.q_bh[context.index],
                "q_by": batch.q_by[context.index],
                "pbo": batch.pbo,
            },
            "leaks": leaks,
            "warnings": warnings,
            "decision": decision,
        }
    )
    return Verdict(
        identity=item.identity,
        settings=settings,
        data=data,
        summary=measured.summary,
        dates=setup.dates[setup.rows],
        series=measured.series,
        decay=measured.decay,
        monthly=measured.monthly,
        quantiles=measured.quantiles,
        book=book,
        coverage=coverage,
        robustness=measured.robustness,
        significance=context.significance,
        leaks=leaks,
        warnings=warnings,
        decision=decision,
        certificate=certificate,
    )


def _book_facts(book: Any) -> dict[str, Any]:
    names = (
        "kind",
        "theoretical",
        "blocked_buys",
        "blocked_sells",
        "delisted_closed",
        "benchmark_name",
        "note",
    )
    return {name: getattr(book, name) for name in names}


def _data_used(measured: Measured, setup: Setup, context: _Context) -> DataUsed:
    manifest, window = setup.view.manifest, setup.window
    judged = setup.dates[setup.rows]
    return DataUsed(
        panel=setup.view.name,
        source=manifest.source.kind,
        simulated=manifest.simulated,
        sha256=context.digest,
        market=setup.market,
        universe=setup.settings.universe,
        period=window.period,
        record=context.record,
        hidden_opened=window.hidden_opened,
        instruments=setup.view.shape[1],
        members_per_day=float(setup.judged[setup.rows].sum(axis=1).mean()),
        first_row=_day(setup.dates[0]),
        last_row=_day(setup.dates[-1]),
        first_signal=_day(judged[0]),
        last_signal=_day(judged[-1]),
        last_label=measured.last_label,
    )


def _warnings(item: Item, measured: Measured, leaks: Sequence[LeakCheck], setup: Setup) -> tuple[str, ...]:
    settings = setup.settings
    found: list[str] = []
    if setup.view.manifest.simulated:
        found.append("the data is simulated: nothing here says anything about a real market")
    if setup.window.hidden_opened:
        found.append(f"hidden dates were opened: {', '.join(setup.window.hidden_opened)}")
    if settings.lag == 0:
        found.append("lag 0: the signal of t knows the close of t")
    if measured.book is not None and measured.book.curve.theoretical:
        found.append("the short side is theoretical: these shares can hardly be borrowed")
    found += [
        f"{check.name} check: {check.detail}"
        for check in leaks
        if check.outcome == "failed" and not (check.name == "adjustment" and settings.adjustment == "off")
    ]
    return (*found, *measured.notes, *setup.notes, *item.warnings)


def _coverage(item: Item, setup: Setup) -> tuple[CoverageRow, ...]:
    if item.expression is None or setup.settings.robustness != "full":
        return ()
    from assay.engine import trace_coverage
    from assay.expr import to_text

    traced = trace_coverage(item.expression.node, setup.view, universe=setup.members)
    return tuple(CoverageRow(to_text(row.node, "core"), row.share, row.lost) for row in traced)


def _day(value: np.datetime64) -> date:
    day: date = value.astype("datetime64[D]").item()
    return day
