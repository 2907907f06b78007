from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from assay.brain._errors import BAD_EXPRESSION, BAD_SETTINGS
from assay.brain._limits import grade
from assay.brain._settings import SimulationRequest
from assay.brain._wire import Recordset, Stats
from assay.brain.fastexpr import Problem, check_program, expression, unit_warnings
from assay.brain.simulator._checks import SubUniverse, checks_of
from assay.brain.simulator._history import History
from assay.brain.simulator._market import Market
from assay.brain.simulator._nan_handling import with_nan_handling
from assay.brain.simulator._outcome import CodeError, Daily, Floats, HeldFigures, Outcome
from assay.brain.simulator._pnl import Book, daily_of, earlier
from assay.brain.simulator._positions import Codes, Stages, demean, positions, row_blocks, scale, size_of
from assay.brain.simulator._recordsets import GroupView, group_recordsets, recordsets_of
from assay.brain.simulator._statistics import stats_of
from assay.engine import evaluate
from assay.errors import DataError, Refusal
from assay.expr import Name, Number, Text, Unary, parse_syntax, parts_of

_OPERANDS = (Name, Number, Text)


def simulate(market: Market, request: SimulationRequest) -> Outcome | CodeError:
    """Run an expression on the dates in sample.

    Raises
    ------
    Refusal
        ``bad_settings``: the market does not offer these settings.
    """
    problem = _problem(market, request)
    if problem is not None:
        return CodeError(problem.message, problem.place)
    settings, book = request.settings, market.settings.book
    run = _run(market.sample, market, request)
    daily = run.daily(settings.delay, market.rows)
    stats = stats_of(daily, book)
    sub = _sub_universe(market, request, run)
    checks = checks_of(
        stats, daily, sub, level=market.settings.level, delay=settings.delay, book=book
    ) + unit_warnings(request.regular, market.fields)
    train, test = _split(market, request, daily)
    return Outcome(
        request=request,
        stats=stats.model_copy(update={"checks": checks}),
        daily=daily,
        train=train,
        test=test,
        order=market.settings.order,
        grade=grade(stats.fitness, settings.delay),
        operator_count=operator_count(request.regular),
        recordsets=_recordsets(market, request, run, daily),
    )


def held(market: Market, request: SimulationRequest) -> HeldFigures:
    """How an alpha fared on the held days: for a report after a session, never for a search.

    Raises
    ------
    Refusal
        ``bad_settings``, ``bad_expression``.
    DataError
        No days are held.
    """
    problem = _problem(market, request)
    if problem is not None:
        raise Refusal(BAD_EXPRESSION, problem.message, where=f"line {problem.place.line}")
    if market.held_rows.start >= market.held_rows.stop:
        raise DataError(
            "no days are held", where=market.name, fix="set held_days of [brain.simulator] above 0"
        )
    run = _run(market.whole, market, request)
    daily = run.daily(request.settings.delay, market.held_rows)
    return HeldFigures(stats_of(daily, market.settings.book), daily)


def operator_count(code: str) -> int:
    """Operators as written: calls and symbols; the sign of a number is none."""
    parts = [part for part in parts_of(parse_syntax(code, "fastexpr")) if not isinstance(part, _OPERANDS)]
    return sum(not (isinstance(part, Unary) and isinstance(part.operand, Number)) for part in parts)


def _problem(market: Market, request: SimulationRequest) -> Problem | None:
    wrong = market.problems(request.settings)
    if wrong:
        key, text = next(iter(wrong.items()))
        raise Refusal(BAD_SETTINGS, text, where=f"settings.{key}", details={"problems": wrong})
    return check_program(request.regular, market.fields, market.operators)


@dataclass(frozen=True)
class _Run:
    """Positions by the last row that they read, NaN = no opinion, and the market that they were made on."""

    history: History
    positions: Floats

    @cached_property
    def dollars(self) -> Floats:
        """Positions, 0 where there is no opinion."""
        return np.nan_to_num(self.positions, nan=0.0)

    def daily(self, delay: int, rows: slice) -> Daily:
        return self.of(self.dollars, delay, rows)

    def of(self, dollars: Floats, delay: int, rows: slice) -> Daily:
        """Series of other positions on the same market."""
        return daily_of(Book(self.history.panel.dates, dollars, self.history.gains), delay, rows)


def _run(history: History, market: Market, request: SimulationRequest) -> _Run:
    settings = request.settings
    members = history.members(settings.universe)
    node = expression(request.regular, market.fields).node
    masked = settings.pasteurization == "ON"
    values = evaluate(
        {"alpha": with_nan_handling(node, settings.nan_handling == "ON")},
        history.inputs(settings.universe) if masked else history.panel,
        universe=members if masked else None,
    )["alpha"]
    stages = Stages(
        members=members,
        groups=_groups(history, settings.neutralization),
        decay=settings.decay,
        truncation=settings.truncation,
        book=market.settings.book,
    )
    return _Run(history, positions(values, stages, market.settings.order))


def _groups(history: History, kind: str) -> Codes | Literal["market"] | None:
    if kind == "NONE":
        return None
    return "market" if kind == "MARKET" else history.codes(kind.lower())


def _sub_universe(market: Market, request: SimulationRequest, run: _Run) -> SubUniverse:
    """The alpha in the next smaller universe: cut to it, market-neutral, at the size that it had."""
    smaller = run.history.next_smaller(request.settings.universe)
    dollars = np.empty_like(run.positions)
    for rows in row_blocks(len(dollars)):
        whole = run.positions[rows]
        cut = np.where(smaller.members[rows], whole, np.nan)
        dollars[rows] = np.nan_to_num(scale(demean(cut), size_of(whole)), nan=0.0)
    return SubUniverse(run.of(dollars, request.settings.delay, market.rows), smaller.ratio)


def _split(market: Market, request: SimulationRequest, daily: Daily) -> tuple[Stats | None, Stats | None]:
    """Figures of the days before the test period, and of those within it."""
    if request.settings.test_period is None:
        return None, None
    row, book = market.test_row(request.settings.test_period), market.settings.book
    if row == len(daily.dates):
        return None, None
    return stats_of(daily.between(0, row), book), stats_of(daily.between(row, len(daily.dates)), book)


def _recordsets(market: Market, request: SimulationRequest, run: _Run, daily: Daily) -> dict[str, Recordset]:
    settings, book = request.settings, market.settings.book
    rows = market.rows
    members = earlier(run.history.members(settings.universe), settings.delay, rows).sum(axis=1)
    found = recordsets_of(daily, members, book)
    if settings.visualization:
        earned = earlier(run.dollars, 1, rows) * run.history.gains[rows]
        for name in market.visualized:
            view = GroupView(
                name=name,
                labels=run.history.panel.group_labels(name),
                codes=earlier(run.history.codes(name), 1, rows),
                positions=earlier(run.dollars, settings.delay, rows),
                earned=earned,
            )
            found.update(group_recordsets(view, book))
    return found
