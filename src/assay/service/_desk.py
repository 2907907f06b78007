"""What the service does, without HTTP: a job comes in, status and body go out. Runs in the worker process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from assay.base import Operator, json_hash, uuid7
from assay.config import DataPlace, find_data_place
from assay.errors import AssayError
from assay.expr import DialectName, Expression, parse, require_runnable, to_text
from assay.judge import (
    EvalFigures,
    Recording,
    Verdict,
    data_digest,
    eval_report,
    judge,
    panel_fields,
    reference_expressions,
    score_reward,
    spec_settings,
)
from assay.ledger import DATA_INPUT, Ledger, workspace_ledger
from assay.service._faults import answer_to
from assay.service._terms import Terms

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel

DESK = "service"
TAPE_ROWS = 20
FIGURES = (
    "ir", "net_return", "net_excess", "max_drawdown", "turnover", "rank_ic", "rank_icir", "ic", "icir", "t",
    "coverage", "days",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work; plain values, so that it can be sent to another process.

    Parameters
    ----------
    period : None for a test of the formula alone.
    run : id of the run in the ledger that the work belongs to.
    eval_token : opens the sealed period.
    """

    expression: str
    dialect: DialectName
    terms: Terms | None = None
    period: Literal["search", "score", "eval"] | None = None
    run: str = ""
    eval_token: str = ""


Body: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True, slots=True)
class Answer:
    """Status of HTTP and a JSON-ready body."""

    status: int
    body: Body


@dataclass(frozen=True, slots=True)
class Desk:
    """A data set in its workspace, with the judge behind it."""

    panel: Panel
    place: DataPlace
    ledger: Ledger
    operator: Operator

    def do(self, job: Job) -> Answer:
        """Do a job; whatever stops it becomes an answer."""
        try:
            return Answer(200, self._test(job) if job.period is None else self._backtest(job))
        except Exception as error:  # noqa: BLE001 - the boundary of the worker: it has to go on
            return Answer(*answer_to(error))

    def new_run(self) -> str:
        """An id for the run of a job."""
        return f"{DESK}-{uuid7()}"

    def abandon(self, run: str) -> None:
        """End the run of a job whose worker was stopped; what it may have tried counts as unrecorded."""
        with self.ledger.index() as index:
            state = index.runs().get(run)
        if state is not None and state.open:
            self.ledger.run(run).close()

    def _parsed(self, text: str, dialect: DialectName) -> Expression:
        fields = panel_fields(self.panel)
        expression = parse(text, dialect, fields=fields)
        require_runnable(expression, fields=fields)
        return expression

    def _test(self, job: Job) -> Body:
        from assay.engine import evaluate

        expression = self._parsed(job.expression, job.dialect)
        plan = self.place.settings.periods
        search = self.panel if plan is None else self.panel.between(plan.search.start, plan.search.end)
        first = max(0, search.shape[0] - TAPE_ROWS - expression.lookback)
        tape = search.between(search.dates[first], search.dates[-1])
        members = tape.universe("all")
        values = evaluate({"formula": expression.node}, tape, universe=members)["formula"][-TAPE_ROWS:]
        known = np.isfinite(values) & members[-TAPE_ROWS:]
        return {
            "canonical": to_text(expression.node, "core"),
            "fingerprint": expression.fingerprint,
            "fields": list(expression.fields),
            "lookback": expression.lookback,
            "share": float(known.sum() / max(1, members[-TAPE_ROWS:].sum())),
        }

    def _backtest(self, job: Job) -> Body:
        terms = job.terms or Terms()
        settings = spec_settings(terms, self.panel, self.place.settings)
        # an error is told at its place in the formula as it was given, not as it is traded
        self._parsed(job.expression, job.dialect)
        expression = self._parsed(terms.traded(job.expression), job.dialect)
        seed = None if terms.seed is None else self._parsed(terms.traded(terms.seed), "report")
        run = self.ledger.run(job.run)
        digest = json_hash(settings.to_dict())
        data = {f"{DATA_INPUT}{self.panel.name}": data_digest(self.panel)}
        run.start(DESK, self.operator, digest, data)
        recording = Recording(self.ledger, self.operator, self.place.settings.looks, DESK, job.run)
        with run.ending():
            return self._judged(job, expression, seed, settings, recording)

    def _judged(
        self,
        job: Job,
        expression: Expression,
        seed: Expression | None,
        settings: JudgeSettings,
        recording: Recording,
    ) -> Body:
        plan = self.place.settings.periods
        if job.period == "score":
            baseline = (*(() if seed is None else (seed,)), *reference_expressions(self.panel))
            reward = score_reward(
                expression, self.panel, baseline=baseline, settings=settings, recording=recording, plan=plan
            )
            return {"period": "score", "reward": reward.value}
        if job.period == "eval":
            report = eval_report(
                expression,
                self.panel,
                token=job.eval_token,
                seed=seed,
                settings=settings,
                recording=recording,
                plan=plan,
            )
            seed_figures = None if report.seed is None else _eval(report.seed)
            return {"period": "eval", "candidate": _eval(report.candidate), "seed": seed_figures}
        verdict = judge(expression, self.panel, settings, plan=plan, recording=recording)[0]
        return _search(verdict)


def _search(verdict: Verdict) -> Body:
    return {
        "period": "search",
        "simulated": verdict.data.simulated,
        "fingerprint": verdict.identity.fingerprint,
        "decision": verdict.decision.status,
        "sentence": verdict.decision.sentence,
        "figures": {name: _number(float(verdict.summary[name])) for name in FIGURES},
        "criteria": [
            {"name": item.name, "outcome": item.outcome, "detail": item.detail}
            for item in verdict.decision.criteria
        ],
        "leaks": [
            {"name": item.name, "outcome": item.outcome, "detail": item.detail} for item in verdict.leaks
        ],
        "warnings": list(verdict.warnings),
    }


def _eval(figures: EvalFigures) -> Body:
    names = ("ir", "net_excess", "max_drawdown", "turnover", "rank_ic")
    plain: Mapping[str, float | None] = {name: _number(getattr(figures, name)) for name in names}
    return {**plain, "days": figures.days}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def open_desk(data: Path, *, operator: Operator | None = None) -> Desk:
    """The desk of a stored data set.

    Raises
    ------
    AssayError
        The data set lies in no workspace, or its workspace plans no periods for it.
    DataError
        It cannot be read.
    """
    from assay.market import open_panel

    panel = open_panel(data, check_hashes=True)
    place = find_data_place(data, panel.name)
    if place is None:
        raise AssayError(
            f"{data} lies in no workspace", where="--data", fix="serve a data set of a workspace: assay init"
        )
    if place.settings.periods is None:
        raise AssayError(
            f"no periods are set for {panel.name!r}, so no date of it is hidden",
            where=f"data.{panel.name}.periods",
            fix="set search, score and eval in assay.toml; 'assay data show' tells the dates",
        )
    return Desk(panel, place, workspace_ledger(place.workspace), operator or Operator.system(DESK))
