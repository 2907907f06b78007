"""The readings on the search period, by the judge; each is a trial."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from assay.errors import AssayError, Refusal
from assay.expr import Call, to_text
from assay.reports._document import Document
from assay.reports.readings._variants import MOST_READINGS, Neutralize, Rebalance, Variant, variants_of
from assay.spec import Direction, FactorSpec, Reading, UniverseName, require_backtest

if TYPE_CHECKING:
    from assay.config import PeriodPlan
    from assay.judge import JudgeSettings, Recording, Verdict, Verdicts
    from assay.market import Panel

BARS: Final[Mapping[Rebalance, int]] = {"daily": 1, "weekly": 5, "monthly": 20}
"""Bars between rebalances, and the length of the label."""

_NAMES: Final[Mapping[UniverseName, tuple[str, ...]]] = {
    "CSI300": ("csi300", "hs300", "sim300"),
    "CSI500": ("csi500", "zz500", "sim500"),
}
"""Under which names data sets hold the members of a universe; ``sim...`` is the simulated market."""

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A reading with what else the judge said of it.

    ``ir`` is the annualised information ratio after cost of a book in the declared direction; ``why`` says
    why a reading has no figures.
    """

    reading: Reading
    neutralize: Neutralize
    rebalance: Rebalance
    ir: float | None
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        reading = self.reading
        return {
            "name": reading.name,
            "expr": reading.expr,
            "neutralize": self.neutralize,
            "rebalance": self.rebalance,
            "rank_ic": reading.rank_ic,
            "t_stat": reading.t_stat,
            "ir": self.ir,
            "trial": reading.trial,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Curve:
    """The specification curve: readings, the one as written first.

    Parameters
    ----------
    points : in a fixed order.
    left_out : readings beyond the limit, which were not evaluated.
    data, universe : what they were evaluated on.
    """

    points: tuple[CurvePoint, ...]
    left_out: int
    data: str
    universe: str

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What the gate takes."""
        return tuple(point.reading for point in self.points)

    @property
    def rank_ic_spread(self) -> float | None:
        """Largest minus smallest RankIC; None with fewer than two that are defined."""
        return _spread([point.reading.rank_ic for point in self.points])

    @property
    def ir_spread(self) -> float | None:
        """Largest minus smallest IR; None with fewer than two that are defined."""
        return _spread([point.ir for point in self.points])

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "data": self.data,
            "universe": self.universe,
            "rank_ic_spread": self.rank_ic_spread,
            "ir_spread": self.ir_spread,
            "left_out": self.left_out,
            "points": [point.as_dict() for point in self.points],
        }


def evaluate_readings(
    document: Document,
    spec: FactorSpec,
    direction: Direction,
    panel: Panel,
    *,
    plan: PeriodPlan | None = None,
    settings: JudgeSettings | None = None,
    recording: Recording | None = None,
    most: int = MOST_READINGS,
) -> Curve:
    """Evaluate every reading of a spec on the search period of a data set.

    Parameters
    ----------
    plan : the periods; by default those of the workspace in which the panel lies.
    settings : lag, fill, costs and threads are taken from here; the rest is the reading's, or not needed.
    recording : the ledger in which each reading is a trial; desk ``reports``. By default that of the
        workspace in which the panel lies.
    most : readings that are evaluated at most.

    A formula with a negative direction is evaluated with its sign changed, as it would be traded; RankIC and
    t are told of the formula as the text writes it. A spec that cannot run gives a curve without points.

    Raises
    ------
    Refusal
        ``universe_without_backtest``: there is no membership of the spec's universe; ``unknown_universe``:
        the data set does not hold it.
    """
    found = variants_of(document, spec, most=most)
    universe = panel_universe(panel, require_backtest(spec.universe))
    bench = _Bench(panel, plan, recording, -1.0 if direction == "negative" else 1.0)
    points: dict[str, CurvePoint] = {}
    for neutralize, rebalance in dict.fromkeys((v.neutralize, v.rebalance) for v in found.chosen):
        same = [v for v in found.chosen if (v.neutralize, v.rebalance) == (neutralize, rebalance)]
        points.update(bench.judged(same, _settings(settings, universe, neutralize, rebalance)))
    return Curve(tuple(points[v.name] for v in found.chosen), found.left_out, panel.name, universe)


def backtest(
    document: Document,
    spec: FactorSpec,
    direction: Direction,
    panel: Panel,
    *,
    plan: PeriodPlan | None = None,
    settings: JudgeSettings | None = None,
    recording: Recording | None = None,
) -> Verdicts | None:
    """The spec as written, judged in full on the search period: the trial of its first reading again.

    The formula has the sign of its direction. None where it cannot run.

    Raises
    ------
    Refusal
        As :func:`evaluate_readings`; ``unsupported_neutralization``: the data set lacks what the spec takes
        out.
    """
    from assay.judge import JudgeSettings, judge

    found = variants_of(document, spec, most=1).chosen
    if not found:
        return None
    universe = panel_universe(panel, require_backtest(spec.universe))
    own = settings or JudgeSettings()
    quick = _settings(settings, universe, found[0].neutralize, found[0].rebalance)
    full = replace(
        quick,
        horizons=own.horizons,
        robustness=own.robustness,
        leak_checks=own.leak_checks,
        bootstrap=own.bootstrap,
        neutral=own.neutral,
    )
    bench = _Bench(panel, plan, recording, -1.0 if direction == "negative" else 1.0)
    return judge({spec.name: bench.text(found[0])}, panel, full, plan=plan, recording=recording)


def panel_universe(panel: Panel, name: UniverseName) -> str:
    """The panel's name of a universe of the vocabulary.

    Raises
    ------
    Refusal
        ``unknown_universe``.
    """
    names = _NAMES.get(name, (name.lower(),))
    for known in names:
        try:
            panel.universe(known)
        except Refusal as refusal:
            if refusal.reason.code != "unknown_universe" or known == names[-1]:
                raise
        else:
            return known
    raise AssertionError("the last name either is there or was refused")


def _settings(
    base: JudgeSettings | None, universe: str, neutralize: Neutralize, rebalance: Rebalance
) -> JudgeSettings:
    from assay.judge import JudgeSettings

    bars = BARS[rebalance]
    return replace(
        base or JudgeSettings(),
        universe=universe,
        period=None,  # search, where there is a plan
        start=None,
        end=None,
        allow_hidden=False,
        horizon=bars,
        horizons=(bars,),
        rebalance=bars,
        neutralize=neutralize,
        robustness="off",
        leak_checks="off",
        bootstrap=0,
        neutral=False,
    )


@dataclass(frozen=True, slots=True)
class _Bench:
    """What readings are judged with; ``sign`` is that of the trade."""

    panel: Panel
    plan: PeriodPlan | None
    recording: Recording | None
    sign: float

    def judged(self, variants: Sequence[Variant], settings: JudgeSettings) -> dict[str, CurvePoint]:
        """Readings that share their settings, by name."""
        from assay.judge import judge

        texts = {variant.name: self.text(variant) for variant in variants}
        try:
            verdicts = judge(
                texts, self.panel, settings, plan=self.plan, recording=self.recording, collect=True
            )
        except Refusal as refusal:
            if refusal.reason.code != "unsupported_neutralization":
                raise
            return {variant.name: _undefined(variant, refusal) for variant in variants}
        refused = {item.name: item.error for item in verdicts.refused}
        trials = self._trials(len(verdicts))
        points = {name: _undefined(_named(variants, name), error) for name, error in refused.items()}
        for verdict, trial in zip(verdicts, trials, strict=True):
            points[verdict.name] = self._point(_named(variants, verdict.name), verdict, trial)
        return points

    def text(self, variant: Variant) -> str:
        """The formula as it is traded, in the core dialect."""
        node = variant.node if self.sign > 0 else Call("neg", (variant.node,), ())
        return to_text(node, "core")

    def _trials(self, count: int) -> Sequence[str | None]:
        """Ids of the trials that the last judgement recorded, in its order."""
        if self.recording is None or self.recording.run is None:
            return [None] * count
        entries = list(self.recording.ledger.run(self.recording.run).entries(kind="trial"))
        return [f"{e.body['fingerprint']}:{e.body['config_hash']}" for e in entries[len(entries) - count :]]

    def _point(self, variant: Variant, verdict: Verdict, trial: str | None) -> CurvePoint:
        summary = verdict.summary
        reading = Reading(
            variant.name,
            variant.expr,
            _figure(self.sign * summary["rank_ic"]),
            _figure(self.sign * summary["t"]),
            trial,
        )
        return CurvePoint(reading, variant.neutralize, variant.rebalance, _figure(summary["ir"]))


def _named(variants: Sequence[Variant], name: str) -> Variant:
    return next(variant for variant in variants if variant.name == name)


def _undefined(variant: Variant, error: AssayError) -> CurvePoint:
    reading = Reading(variant.name, variant.expr, None, None, None)
    return CurvePoint(reading, variant.neutralize, variant.rebalance, None, error.message)


def _figure(value: float) -> float | None:
    return round(float(value), _DIGITS) if math.isfinite(value) else None


def _spread(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(max(known) - min(known), _DIGITS) if len(known) > 1 else None
