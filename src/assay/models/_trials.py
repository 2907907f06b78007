from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assay.base import Operator, json_hash, uuid7
from assay.errors import Refusal
from assay.ledger import INCOMPLETE_SCOPE, Draft, Ledger, Scope, TrialKey, encode_series
from assay.models._report import EvalReport
from assay.models._walk import Evaluated

DESK = "models"


def record_trials(
    ledger: Ledger,
    found: Sequence[Evaluated],
    *,
    operator: Operator,
    desk: str = DESK,
    run: str | None = None,
) -> tuple[EvalReport, ...]:
    """Record evaluations of one data set as trials, and give their reports with N.

    They are on the disk when it returns. A repeat is recorded again and adds nothing to N.

    Parameters
    ----------
    run : id of an open run that the trials belong to; without one they are a run of their own.

    Raises
    ------
    Refusal
        ``ledger_busy``.
    """
    if not found:
        return ()
    where = found[0].report.provenance
    keys = [
        TrialKey(item.report.provenance.fingerprint, item.report.provenance.config_hash) for item in found
    ]
    work = ledger.run(run or f"{desk}-{uuid7()}")
    if run is None:
        digest = json_hash([list(key) for key in keys])
        work.start(desk, operator, digest, {f"data:{where.data}": where.data_hash}, keys)
        with work.ending():
            _append(ledger, found, keys, desk, work.id)
    else:
        _append(ledger, found, keys, desk, work.id)
    n = _n(ledger, where.data, work.id)
    return tuple(replace(item.report, n=n) for item in found)


def _append(
    ledger: Ledger, found: Sequence[Evaluated], keys: Sequence[TrialKey], desk: str, run: str
) -> None:
    series = [index for index, item in enumerate(found) if len(item.figures.excess)]
    payloads = [encode_series(found[index].figures.days, found[index].figures.excess) for index in series]
    stored = dict(zip(series, ledger.put(payloads), strict=True))
    ledger.append_many(
        [_trial(item, keys[index], stored.get(index), desk, run) for index, item in enumerate(found)]
    )


def _trial(item: Evaluated, key: TrialKey, series: str | None, desk: str, run: str) -> Draft:
    report = item.report
    t = report.metrics.t
    body = {
        **key.as_body(),
        "expression": item.expression,
        "data": report.provenance.data,
        "universe": report.provenance.universe,
        "period": report.provenance.period,
        "horizon": report.horizon,
        "bars": report.bars,
        "sharpe": item.figures.sharpe,
        "rank_ic": report.metrics.rank_ic,
        "p_value": None if t is None else math.erfc(abs(t) / math.sqrt(2.0)),
        "series": series,
        "desk": desk,
        "control": False,
    }
    return Draft("trial", body, run)


def _n(ledger: Ledger, data: str, run: str) -> int | None:
    try:
        return ledger.trials(Scope(data=data), within=run).n
    except Refusal as refusal:
        if refusal.reason is INCOMPLETE_SCOPE:
            return None
        raise
