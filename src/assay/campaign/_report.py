"""What a run came to, told from its ledger and its folder alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from assay.campaign._accept_types import Acceptance, AcceptedFactor
from assay.campaign._lineage import Lineage, lineages
from assay.campaign._reasons import NOT_A_CAMPAIGN
from assay.campaign._records import DESK, DONE, DROPPED
from assay.campaign._report_types import (
    CampaignReport,
    Floats,
    Funnel,
    GateAttempt,
    MechanismRow,
    MemoryVersion,
    NoiseRow,
    OutOfSample,
    RefusalRow,
    RefusalStage,
    RoleCost,
    RoundRow,
    TrialPoint,
    ZooCorrelations,
    ZooFactor,
    best_of,
)
from assay.campaign._resume import Recorded
from assay.campaign._state import known_commits
from assay.campaign._types import History, Outcome, RoundRecord, TrialRecord, trial_id
from assay.errors import Refusal
from assay.ledger import Entry, Ledger, decode_series
from assay.metrics import expected_max

_STAGES: Final[Mapping[Outcome, RefusalStage]] = {
    "no_candidate": "plan",
    "gate_refused": "gate",
    "review_rejected": "review",
    "rejected": "admission",
}
_TWINS: Final = {
    "simulated": "twin: the simulated market without its signals",
    "permuted": "twin: real bars with returns of other dates",
}
_ORDER: Final[tuple[RefusalStage, ...]] = ("plan", "gate", "review", "admission")


def campaign_report(
    ledger: Ledger, runs: Path, run_id: str, *, simulated: bool | None = None
) -> CampaignReport:
    """All that a page, a table or a program may want to know of a run, also of one that is going on.

    Parameters
    ----------
    runs : folder of the runs; what is missing in the run's own is left out.
    simulated : whether its data is, which the ledger does not say.

    Raises
    ------
    Refusal
        ``unknown_run``; ``not_a_campaign``.
    LedgerDamaged
        A record is none that this version writes.
    """
    from assay.campaign._accept_plan import recorded_acceptance

    run = ledger.run(run_id)
    state = run.state()
    if state.desk != DESK:
        raise Refusal(NOT_A_CAMPAIGN, f"the run {run_id!r} is one of the desk {state.desk!r}", where="run")
    entries = list(run.entries())
    recorded = Recorded.read(run)
    history, trials = recorded.history, recorded.history.trials
    start, counts = entries[0].body, _counts(entries)
    config, inputs = _split(start["inputs"])
    bodies = [entry.body for entry in entries if entry.kind == "trial"]
    scored = {body["fingerprint"]: body for body in bodies}
    known, accepted = lineages(trials), recorded_acceptance(run)
    zoo = tuple(
        _zoo_factor(trial, scored, ledger, counts.get(trial.round), attempts)
        for trial, attempts in _with_attempts(history.zoo, entries)
    )
    times = [datetime.fromisoformat(str(entry.meta["time"])) for entry in (entries[0], entries[-1])]
    return CampaignReport(
        run=run_id,
        state=state.stopped or "open",
        stop=recorded.stop,
        operator=str(start["operator"].get("name") or start["operator"].get("kind") or ""),
        data=next((name.partition(":")[2] for name in inputs if name.startswith("data:")), ""),
        universe=bodies[0]["universe"] if bodies else config.get("universe"),
        horizon=config.get("horizon"),
        simulated=simulated,
        started=times[0].isoformat(timespec="seconds"),
        ended=times[1].isoformat(timespec="seconds"),
        seconds=(times[1] - times[0]).total_seconds(),
        n=next((counts[item.number] for item in reversed(history.rounds) if item.number in counts), None),
        config=config,
        inputs=inputs,
        commits=known_commits(runs / run_id),
        digest=recorded.digest,
        funnel=Funnel.of(trials),
        rounds=tuple(_rounds(history, counts, entries)),
        mechanisms=tuple(_mechanisms(trials)),
        trials=trials,
        points=tuple(_points(trials, counts)),
        zoo=tuple(replace(factor, lineage=known[factor.trial.id]) for factor in zoo),
        correlations=_correlations(zoo),
        lineages=known,
        refusals=tuple(_refusals(trials, entries)),
        memory=tuple(_memory(history)),
        costs=costs_of(entries),
        noise=tuple(_noise(runs / run_id, Funnel.of(trials))),
        order=None if accepted is None else accepted.order,
        out_of_sample=_out_of_sample(accepted),
    )


def _split(inputs: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Settings, and hashes of all else."""
    config = {
        name.partition(":")[2]: json.loads(value)
        for name, value in inputs.items()
        if name.startswith("config:")
    }
    return config, {name: value for name, value in inputs.items() if not name.startswith("config:")}


def _counts(entries: Iterable[Entry]) -> dict[int, int]:
    """N of the ledger at the admission of each round."""
    done = (entry.body for entry in entries if entry.kind == "round" and entry.body["outcome"] == DONE)
    return {
        body["number"]: body["ledger_n"]["n"]
        for body in done
        if body["ledger_n"] is not None and body["ledger_n"]["n"] is not None
    }


def _rounds(history: History, counts: Mapping[int, int], entries: Iterable[Entry]) -> Iterator[RoundRow]:
    done = {item.number: item for item in history.rounds}
    for entry in entries:
        if entry.kind != "round":
            continue
        body = entry.body
        if body["outcome"] == DONE:
            item: RoundRecord = done[body["number"]]
            yield RoundRow(item.number, Funnel.of(item.trials), item.quota, counts.get(item.number))
        elif body["outcome"] == DROPPED:
            why = f"{body['by'] or 'crash'}: {body['message']}"
            yield RoundRow(body["number"], Funnel(), {}, None, why)


def _mechanisms(trials: Sequence[TrialRecord]) -> Iterator[MechanismRow]:
    for name in dict.fromkeys(trial.mechanism for trial in trials):
        own = [trial for trial in trials if trial.mechanism == name]
        best = best_of(own)
        value = None if best is None else best.figures["t"]
        yield MechanismRow(name, Funnel.of(own), None if value is None else abs(value))


def _points(trials: Iterable[TrialRecord], counts: Mapping[int, int]) -> Iterator[TrialPoint]:
    best: float | None = None
    for trial in trials:
        if not trial.evaluated:
            continue
        rank_ic, n = trial.figures.get("rank_ic"), counts.get(trial.round)
        sparse = any(check["name"] == "days" and check["outcome"] != "passed" for check in trial.checks)
        if rank_ic is not None and not sparse:
            best = max(best or 0.0, abs(rank_ic))
        # the greatest |z| of n is the greatest of 2n values that are as likely positive as negative
        noise = None if n is None else expected_max(2 * n)
        yield TrialPoint(trial.id, n, rank_ic, trial.figures.get("t"), trial.admitted, sparse, best, noise)


def _with_attempts(
    zoo: Sequence[TrialRecord], entries: Iterable[Entry]
) -> Iterator[tuple[TrialRecord, tuple[GateAttempt, ...]]]:
    wanted = {trial.id: list[GateAttempt]() for trial in zoo}
    for entry in entries:
        name = _gated(entry)
        if name in wanted:
            body = entry.body
            wanted[name].append(
                GateAttempt(body["expression"], body["passed"], body["reason"] or "", body["message"] or "")
            )
    for trial in zoo:
        yield trial, tuple(wanted[trial.id])


def _gated(entry: Entry) -> str:
    """The trial that a verdict of the gate is about; empty for other records."""
    return trial_id(entry.body["round"], entry.body["slot"]) if entry.kind == "gate_verdict" else ""


def _zoo_factor(
    trial: TrialRecord,
    scored: Mapping[str, Mapping[str, Any]],
    ledger: Ledger,
    n: int | None,
    attempts: tuple[GateAttempt, ...],
) -> ZooFactor:
    body = scored.get(trial.fingerprint or "", {})
    figures = body.get("figures", {})
    name = body.get("series")
    series = None if name is None else decode_series(ledger.get(name))
    return ZooFactor(
        trial=trial,
        lineage=Lineage(),
        n=n,
        figures={key: value for key, value in figures.items() if not isinstance(value, list)},
        folds=tuple(figures.get("fold_rank_ics", ())),
        neutral_folds=tuple(figures.get("fold_neutral_rank_ics", ())),
        days=np.empty(0, "datetime64[D]") if series is None else series.days,
        excess=np.empty(0) if series is None else series.values,
        attempts=attempts,
    )


def _correlations(zoo: Sequence[ZooFactor]) -> ZooCorrelations:
    values: Floats = np.full((len(zoo), len(zoo)), np.nan)
    for i, left in enumerate(zoo):
        for j, right in enumerate(zoo[:i]):
            values[i, j] = values[j, i] = _correlation(left, right)
    values[np.diag_indices(len(zoo))] = [1.0 if len(factor.excess) > 1 else np.nan for factor in zoo]
    return ZooCorrelations(tuple(factor.trial.id for factor in zoo), values)


def _correlation(left: ZooFactor, right: ZooFactor) -> float:
    """Pearson, over the days that both have; NaN where either is constant."""
    _, one, other = np.intersect1d(left.days, right.days, assume_unique=True, return_indices=True)
    x, y = left.excess[one], right.excess[other]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _refusals(trials: Iterable[TrialRecord], entries: Iterable[Entry]) -> Iterator[RefusalRow]:
    found: dict[tuple[RefusalStage, str], RefusalRow] = {}

    def count(
        stage: RefusalStage, reason: str, example: str, message: str, *, times: int, slots: int
    ) -> None:
        key = stage, reason
        row = found.get(key) or RefusalRow(stage, reason, 0, 0, example, message)
        found[key] = replace(row, times=row.times + times, slots=row.slots + slots)

    for entry in entries:
        if _gated(entry) and not entry.body["passed"]:
            body = entry.body
            count("gate", body["reason"] or "", body["expression"], body["message"] or "", times=1, slots=0)
    for trial in trials:
        stage = _STAGES.get(trial.outcome)
        if stage is not None:
            example = trial.candidate.expression if trial.candidate is not None else ""
            count(stage, trial.reason, example, trial.detail, times=stage != "gate", slots=1)
    yield from sorted(found.values(), key=lambda row: (_ORDER.index(row.stage), -row.times, row.reason))


def _memory(history: History) -> Iterator[MemoryVersion]:
    for item in history.rounds:
        if item.memory is not None:
            yield MemoryVersion(item.number, item.memory)


def _noise(folder: Path, own: Funnel) -> Iterator[NoiseRow]:
    """The run beside the twins whose ledgers lie in its folder, those of a kind together."""
    from assay.campaign._noise import NOISE, TWIN

    found: dict[str, list[Funnel]] = {}
    for path in sorted(folder.glob(f"{NOISE}/*/ledger")):
        ledger = Ledger.open(path)
        with ledger.index() as index:
            state = index.runs().get(TWIN)
        if state is not None and state.stopped == "finished":
            kind = path.parent.name.partition("-")[0]
            found.setdefault(kind, []).append(Funnel.of(Recorded.read(ledger.run(TWIN)).history.trials))
    if found:
        yield _noise_row("this run", [own])
    for kind, funnels in found.items():
        yield _noise_row(_TWINS.get(kind, kind), funnels)


def _noise_row(label: str, funnels: Sequence[Funnel]) -> NoiseRow:
    from assay.campaign._noise import Rate

    rate = Rate.of(sum(one.admitted for one in funnels), sum(one.evaluated for one in funnels))
    return NoiseRow(label, len(funnels), rate.trials, rate.admitted, rate.per_hundred, rate.low, rate.high)


def _out_of_sample(accepted: Acceptance | None) -> dict[str, OutOfSample]:
    if accepted is None:
        return {}
    return {
        factor.trial: OutOfSample(*(_as_tried(factor, name) for name in ("rank_ic", "neutral_rank_ic", "t")))
        for factor in accepted.factors
    }


def _as_tried(factor: AcceptedFactor, name: str) -> float | None:
    """A figure of the hold-out with the sign of the trial's formula, as the figures of training have it."""
    value = factor.hold_out.get(name)
    return None if value is None else factor.direction * value


def costs_of(entries: Iterable[Entry]) -> tuple[RoleCost, ...]:
    """What each role took, of the calls that are recorded, also of dropped rounds."""
    found: dict[str, RoleCost] = {}
    for entry in entries:
        if entry.kind != "llm_call":
            continue
        body = entry.body
        row = found.get(body["role"], RoleCost(body["role"]))
        usage = {} if body["reply"] is None else body["reply"]["usage"]
        found[row.role] = replace(
            row,
            calls=row.calls + 1,
            failed=row.failed + (body["error"] is not None),
            input=row.input + usage.get("input", 0),
            cached=row.cached + usage.get("cached", 0),
            output=row.output + usage.get("output", 0),
            money=row.money + (body["cost"] or 0.0),
            unpriced=row.unpriced + (body["cost"] is None and body["reply"] is not None),
            estimated=row.estimated + bool(usage.get("estimated", False)),
            seconds=row.seconds + (entry.meta.get("latency") or 0.0),
        )
    return tuple(found.values())
