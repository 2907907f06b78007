"""Binding of a judgement to a workspace's ledger: its run, its looks, its trials, its certificates."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.base import Operator, canonical_json, json_hash, uuid7
from assay.config import (
    DataSettings,
    DateRange,
    HiddenPeriod,
    LookBudgets,
    Workspace,
    as_date,
    find_data_place,
)
from assay.errors import Problem, Refusal
from assay.judge._items import Item
from assay.judge._measure import Measured
from assay.judge._moved import plan_payload, refuse_moved
from assay.judge._population import MOST_SERIES, ONE_TRIAL, Population, refused, without_ledger
from assay.judge._results import FloatArray
from assay.judge._settings import JudgeSettings, SettingProblems
from assay.judge._setup import Setup
from assay.judge._significance import p_value
from assay.judge._verdict import Verdict
from assay.ledger import (
    INCOMPLETE_SCOPE,
    LOOK_BUDGET_EXHAUSTED,
    DailySeries,
    Draft,
    Ledger,
    Scope,
    StopReason,
    TrialKey,
    Trials,
    decode_series,
    encode_series,
    workspace_ledger,
)

if TYPE_CHECKING:
    from assay.market import Panel

RECORDED = "recorded in the workspace's ledger"
UNRECORDED = "unrecorded, N unknown"
DESK = "judge"

# what changes no figure that a trial stands for: how it is checked, and what is made of it afterwards. The
# period's name and bounds are left out because the dates in fact judged are in the hash.
_NOT_IN_KEY = (
    "adjustment", "allow_hidden", "bootstrap", "end", "horizons", "leak_checks", "neutral", "participation",
    "period", "robustness", "seed", "sharpe_variance", "shuffles", "start", "sub_periods", "threads",
    "thresholds", "trials",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recording:
    """Where a judgement is recorded, and for whom.

    Parameters
    ----------
    ledger : the workspace's ledger.
    operator : who asked.
    budgets : looks at hidden dates that may be charged, by period.
    desk : who judges; part of each trial.
    run : id of an open run that the trials belong to; without one, the judgement is a run of its own.
    control : factors that were tried and admitted are read again, and nothing is chosen by what comes out:
        recorded, looks charged, and no trial of N.
    """

    ledger: Ledger
    operator: Operator = field(default_factory=Operator.human)
    budgets: LookBudgets = field(default_factory=LookBudgets)
    desk: str = DESK
    run: str | None = None
    control: bool = False


def recording_of(panel: Panel, settings: JudgeSettings | None = None) -> Recording | None:
    """The recording of a data set that lies in a workspace: its ledger, made where there is none yet.

    None for a panel in memory or outside a workspace.

    Raises
    ------
    ConfigProblems
        The ``settings`` give N, which is the ledger's to say.
    """
    if panel.folder is None:
        return None
    place = find_data_place(panel.folder, panel.name)
    return None if place is None else recording_in(place.workspace, place.settings, settings)


def recording_in(
    workspace: Workspace, data: DataSettings, settings: JudgeSettings | None = None
) -> Recording:
    """The recording in the ledger of a workspace, which is made where there is none yet.

    Parameters
    ----------
    data : the workspace's settings of the data set; they hold the budgets of looks.

    Raises
    ------
    ConfigProblems
        The ``settings`` give N, which is the ledger's to say.
    """
    if settings is not None:
        require_no_given_n(settings)
    return Recording(workspace_ledger(workspace), budgets=data.looks)


class Record:
    """One judgement in the ledger: begun before anything is measured, ended with its certificates.

    Use as a context: leaving it with an error ends the run as failed, with an interruption as stopped, and
    what was planned while hidden dates were open counts as a trial without a figure.
    """

    label = RECORDED

    def __init__(self, recording: Recording, items: Sequence[Item], setup: Setup, digest: str) -> None:
        require_no_given_n(setup.settings)
        self._recording, self._setup, self._digest = recording, setup, digest
        self._hash = config_hash(setup, digest)
        self._keys = {item.name: TrialKey(fingerprint_of(item), self._hash) for item in items}
        self._items = {item.name: item for item in items}
        self._own = recording.run is None
        self._run = recording.ledger.run(recording.run or f"{DESK}-{uuid7()}")
        self._recorded = False

    def __enter__(self) -> Record:
        refuse_moved(self._recording.ledger, self._data, self._setup.plan, self._read)
        begun = not self._own
        try:
            if self._own:
                self._start()
                begun = True
            self._charge()
        except BaseException as error:
            # an interruption may come when the start is on the disk, and not yet told of here
            if begun or (not isinstance(error, Exception) and self._started()):
                self._stop(_how(type(error)))
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self._stop("finished")
            return
        if not self._recorded and self._setup.window.hidden_opened:
            self.count()
        self._stop(_how(kind))

    def _start(self) -> None:
        recording, inputs = self._recording, {f"data:{self._data}": self._digest}
        self._run.start(recording.desk, recording.operator, self._hash, inputs, self._keys.values())

    def _started(self) -> bool:
        try:
            return self._run.state().open
        except Refusal:
            return False

    def _stop(self, reason: StopReason) -> None:
        if self._own:
            self._run.stop(reason)

    @property
    def _data(self) -> str:
        return self._setup.view.name

    @property
    def _read(self) -> DateRange:
        """First and last day that are judged."""
        dates = self._setup.dates[self._setup.rows]
        return DateRange(as_date(dates[0]), as_date(dates[-1]))

    def _charge(self) -> None:
        """Charge the looks that this judgement costs: all of them, or none and a refusal."""
        if not self._setup.window.hidden_opened:
            return
        recording, keys = self._recording, list(dict.fromkeys(self._keys.values()))
        plan = self._setup.plan
        name = None if plan is None else recording.ledger.put([plan_payload(plan)])[0]
        with recording.ledger.transaction():
            for period in self._setup.window.hidden_opened:
                self._require_budget(period, keys)
            for period, key in product(self._setup.window.hidden_opened, keys):
                recording.ledger.charge_look(
                    period, self._read, data=self._data, budget=self._budget(period), key=key,
                    operator=recording.operator, run=self._run.id, plan=name,
                )  # fmt: skip

    def _require_budget(self, period: HiddenPeriod, keys: Sequence[TrialKey]) -> None:
        """Refuse a batch that would use up the budget half way; of a single factor the charge itself does."""
        if len(keys) == 1:
            return
        with self._recording.ledger.index() as index:
            before = index.looks(data=self._data, period=period)
        paid = {look.key for look in before} if period == "eval" else set()
        wanted, left = len([key for key in keys if key not in paid]), self._budget(period) - len(before)
        if wanted > left:
            raise Refusal(
                LOOK_BUDGET_EXHAUSTED,
                f"{wanted} factors cost {wanted} looks at {period!r}, and {max(left, 0)} are left",
                where="period",
                details={"period": period, "data": self._data, "wanted": wanted, "left": max(left, 0)},
            )

    def _budget(self, period: HiddenPeriod) -> int:
        budgets = self._recording.budgets
        return budgets.score if period == "score" else budgets.eval

    def trials(self, measured: Mapping[str, Measured]) -> None:
        """Record what was measured, in the order of the items; on the disk when it returns."""
        days = self._setup.dates[self._setup.rows]
        names = [name for name in self._keys if len(measured[name].excess)]
        payloads = [
            encode_series(days[len(days) - len(measured[name].excess) :], measured[name].excess)
            for name in names
        ]
        stored = dict(zip(names, self._recording.ledger.put(payloads), strict=True))
        self._recording.ledger.append_many(
            [self._trial(name, measured[name], stored.get(name)) for name in self._keys]
        )
        self._recorded = True

    def count(self) -> None:
        """Record the trials without a figure: they count in N, and nothing later can be read off them.

        For hidden dates of which only one rounded number may be told: V[SR] and q-values, which everybody
        sees, would carry more.
        """
        self._recording.ledger.append_many([self._trial(name, None, None) for name in self._keys])
        self._recorded = True

    def _trial(self, name: str, measured: Measured | None, series: str | None) -> Draft:
        identity, settings = self._items[name].identity, self._setup.settings
        body: dict[str, Any] = {
            **self._keys[name].as_body(),
            "expression": identity.canonical or identity.text,
            "data": self._data,
            "universe": settings.universe,
            "period": self._setup.window.period,
            "horizon": settings.horizon,
            "bars": self._setup.rows.stop - self._setup.rows.start,
            "sharpe": None if measured is None else measured.moments.sharpe,
            "rank_ic": None if measured is None else float(measured.summary["rank_ic"]),
            "p_value": None if measured is None else p_value(float(measured.summary["t"])),
            "series": series,
            "desk": self._recording.desk,
            "control": self._recording.control,
        }
        return Draft("trial", body, self._run.id)

    def population(self) -> Population:
        """N, V[SR] and the other trials, from the ledger and from nowhere else."""
        try:
            found = self._recording.ledger.trials(Scope(data=self._data), within=self._run.id)
        except Refusal as refusal:
            if refusal.reason is not INCOMPLETE_SCOPE:
                raise
            return refused(f"{refusal.reason.code}: {refusal.message}")
        own = set(self._keys.values())
        others = [index for index, key in enumerate(found.keys) if key not in own]
        variance = found.sharpe_variance
        source = ONE_TRIAL if math.isnan(variance) else "N and V[SR] from the ledger"
        return Population(
            trials=found.n,
            variance=variance,
            source=source,
            p_values=found.p_values[others],
            excess=self._comparable(found, others),
            note=f"the trials on {self._data} that the ledger has",
        )

    def _comparable(self, found: Trials, others: Sequence[int]) -> tuple[FloatArray, ...]:
        """Series of other trials that run over the judged dates to their end; the latest ones."""
        days = self._setup.dates[self._setup.rows]
        named = [found.objects[index] for index in others if found.objects[index] is not None]
        series = [_series(found.read, str(name)) for name in dict.fromkeys(named[-MOST_SERIES:])]
        return tuple(s.values for s in series if np.array_equal(s.days, days[len(days) - len(s.days) :]))

    def certificates(self, verdicts: Sequence[Verdict]) -> None:
        """Record the certificates, whole, under their content hash."""
        documents = [canonical_json(verdict.certificate).encode() for verdict in verdicts]
        names = self._recording.ledger.put(documents)
        self._recording.ledger.append_many(
            [
                Draft("certificate", self._certificate(verdict, name), self._run.id)
                for verdict, name in zip(verdicts, names, strict=True)
            ]
        )

    def _certificate(self, verdict: Verdict, document: str) -> dict[str, Any]:
        return {
            **self._keys[verdict.name].as_body(),
            "document": document,
            "content_hash": verdict.certificate["content_hash"],
            "name": verdict.name,
            "data": self._data,
            "decision": verdict.decision.status,
        }


def _how(kind: type[BaseException]) -> StopReason:
    """How a judgement ended that an error ended: a person's or the system's stop is no failure."""
    return "stopped" if issubclass(kind, KeyboardInterrupt) else "failed"


class Unrecorded:
    """The same for a judgement that no ledger knows of: N is what the caller says, or unknown."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._measured: Sequence[Measured] = ()

    @property
    def label(self) -> str:
        """What the certificate says of the record."""
        n = self._settings.trials
        return UNRECORDED if n is None else f"unrecorded, N {n} (given)"

    def __enter__(self) -> Unrecorded:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def trials(self, measured: Mapping[str, Measured]) -> None:
        """Nothing is recorded."""
        self._measured = tuple(measured.values())

    def population(self) -> Population:
        """What the settings say."""
        return without_ledger(self._measured, self._settings)

    def certificates(self, verdicts: Sequence[Verdict]) -> None:
        """Nothing is recorded."""


def require_no_given_n(settings: JudgeSettings) -> None:
    """Refuse N from a caller where a ledger counts."""
    if settings.trials is not None or settings.sharpe_variance is not None:
        raise SettingProblems([_GIVEN])


def fingerprint_of(item: Item) -> str:
    """The fingerprint of an expression; the hash of values that have none."""
    return item.identity.fingerprint or f"values:{item.identity.values_sha256}"


def config_hash(setup: Setup, digest: str) -> str:
    """SHA-256 over all that a trial's figures hang on besides the formula: data, dates, settings, costs."""
    dates = setup.dates[setup.rows]
    plain = {key: value for key, value in setup.settings.to_dict().items() if key not in _NOT_IN_KEY}
    if setup.exposures is None:
        del plain["neutralize"]  # keys of trials that older releases recorded stay as they were
    given = setup.benchmark if setup.benchmark_name == "given series" else None
    content = {
        "data": digest,
        "first": str(dates[0]),
        "last": str(dates[-1]),
        "settings": {**plain, "costs": setup.settings.to_dict()["costs"] or _costs(setup)},
        "market": setup.market,
        "benchmark": None if given is None else hashlib.sha256(given.tobytes()).hexdigest(),
    }
    return json_hash(content)


def _costs(setup: Setup) -> dict[str, float]:
    return {"buy_bp": setup.costs.buy_bp, "sell_bp": setup.costs.sell_bp}


def _series(read: Callable[[str], bytes], name: str) -> DailySeries:
    return decode_series(read(name))


_GIVEN = Problem(
    "trials",
    "N and V[SR] are given, and the data set lies in a workspace",
    "leave trials and sharpe_variance out: its ledger counts the trials",
)
