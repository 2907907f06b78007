from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.judge._results import Criterion, Decision, LeakCheck, Outcome, Robustness, Status
from assay.judge._settings import JudgeSettings


def decide(
    summary: Mapping[str, float | int],
    robustness: Robustness,
    leaks: Sequence[LeakCheck],
    settings: JudgeSettings,
) -> Decision:
    """Hold the figures against the thresholds of the settings.

    ``rejected`` when a criterion fails; else ``undefined`` when one cannot be computed or there are too few
    days; else ``passed``. Criteria that were switched off are listed as not run, so that a reader of the
    certificate sees what was not asked.
    """
    rule = settings.thresholds
    criteria = [
        _at_least("days", summary["days"], rule.min_days, "days with a defined RankIC", missing="undefined"),
        _at_least("t", abs(summary["t"]), rule.min_t, "absolute Newey-West t of the mean RankIC"),
        _at_least("rank_ic", abs(summary["rank_ic"]), rule.min_rank_ic, "absolute mean RankIC"),
        _at_least(
            "neutral_rank_ic",
            abs(summary["neutral_rank_ic"]),
            rule.min_neutral_rank_ic,
            "absolute mean neutral RankIC",
        ),
        _at_least("coverage", summary["coverage"], rule.min_coverage, "mean coverage of the universe"),
        _at_least("net_excess", summary["net_excess"], rule.min_net_excess, "yearly net excess return"),
        _stable_sign(robustness, settings),
        _shuffle(robustness, settings),
        _late(robustness, settings),
        *(_leak(check, settings) for check in leaks),
    ]
    outcomes = [criterion.outcome for criterion in criteria]
    status: Status = "passed"
    if "failed" in outcomes:
        status = "rejected"
    elif "undefined" in outcomes:
        status = "undefined"
    if criteria[0].outcome == "undefined":
        status = "undefined"
    return Decision(status, tuple(criteria), _sentence(status, criteria, summary, settings))


def _at_least(
    name: str, value: float, threshold: float | None, what: str, *, missing: Outcome = "failed"
) -> Criterion:
    if threshold is None:
        return Criterion(name, "not_run", _number(value), None, f"{what}: no threshold set")
    if math.isnan(value):
        return Criterion(name, "undefined", None, threshold, f"{what} is undefined")
    if value >= threshold:
        return Criterion(name, "passed", float(value), threshold, f"{what} {value:.4g} >= {threshold:g}")
    return Criterion(name, missing, float(value), threshold, f"{what} {value:.4g} < {threshold:g}")


def _stable_sign(robustness: Robustness, settings: JudgeSettings) -> Criterion:
    parts = robustness.sub_periods
    what = "sign of the mean RankIC in each sub-period"
    if not settings.thresholds.stable_sign or settings.robustness == "off":
        return Criterion("stable_sign", "not_run", None, None, f"{what}: not asked")
    defined = [part.rank_ic for part in parts if not math.isnan(part.rank_ic)]
    if len(defined) < len(parts) or not parts:
        return Criterion("stable_sign", "undefined", None, None, f"{what} is undefined")
    same = sum(value > 0 for value in defined)
    stable = same in (0, len(defined))
    share = max(same, len(defined) - same)
    outcome: Outcome = "passed" if stable else "failed"
    detail = f"the mean RankIC has the same sign in {share} of {len(defined)} sub-periods"
    if not stable:
        detail += f", {len(defined)} needed"
    return Criterion("stable_sign", outcome, share / len(defined), 1.0, detail)


def _shuffle(robustness: Robustness, settings: JudgeSettings) -> Criterion:
    control = robustness.shuffle
    if not settings.thresholds.beyond_shuffle or control is None:
        return Criterion("shuffle", "not_run", None, None, "shuffled cross-section: not run")
    if math.isnan(control.observed) or math.isnan(control.high):
        return Criterion("shuffle", "undefined", None, None, "the shuffle control is undefined")
    band = f"the shuffle band {control.low:.4f} to {control.high:.4f}"
    if not control.shuffled_inside:
        means = ", ".join(f"{mean:.4f}" for mean in control.means)
        return Criterion(
            "shuffle", "failed", control.observed, control.high, f"shuffled signals ({means}) leave {band}"
        )
    outcome: Outcome = "passed" if control.observed_outside else "failed"
    place = "outside" if control.observed_outside else "inside"
    detail = f"mean RankIC {control.observed:.4f} lies {place} {band}"
    return Criterion("shuffle", outcome, control.observed, control.high, detail)


def _late(robustness: Robustness, settings: JudgeSettings) -> Criterion:
    threshold = settings.thresholds.min_late_share
    if settings.robustness == "off":
        return Criterion("one_bar_late", "not_run", None, threshold, "signal one bar late: not run")
    return _at_least(
        "one_bar_late", robustness.late_share, threshold, "share of the RankIC that remains one bar late"
    )


def _leak(check: LeakCheck, settings: JudgeSettings) -> Criterion:
    name = f"leak_{check.name}"
    adjustment = check.name == "adjustment"
    asked = settings.adjustment == "refuse" if adjustment else settings.thresholds.leaks
    detail = f"{check.name} check: {check.detail}"
    if check.outcome == "not_applicable" or (asked and check.outcome != "not_run"):
        return Criterion(name, check.outcome, None, None, detail)
    return Criterion(name, "not_run", None, None, detail)


def _sentence(
    status: Status, criteria: Sequence[Criterion], summary: Mapping[str, float | int], settings: JudgeSettings
) -> str:
    shown = "undefined" if math.isnan(summary["rank_ic"]) else f"{summary['rank_ic']:.4f}"
    t = "undefined" if math.isnan(summary["t"]) else f"{summary['t']:.1f}"
    figures = (
        f"RankIC {shown} at horizon {settings.horizon}, lag {settings.lag}, t {t} over {summary['days']} days"
    )
    failed = [c.detail for c in criteria if c.outcome in ("failed", "undefined")]
    if status == "passed":
        sign = " with the opposite sign" if summary["rank_ic"] < 0 else ""
        return f"Passed: the factor predicts returns{sign} ({figures}).{_after_cost(summary)}"
    word = "Rejected" if status == "rejected" else "Undefined"
    return f"{word}: {'; '.join(failed)} ({figures})."


def _after_cost(summary: Mapping[str, float | int]) -> str:
    """A reminder for a factor that predicts and yet does not pay: the rule above asks for the first only."""
    excess = summary["net_excess"]
    if math.isnan(excess) or excess >= 0:
        return ""
    return f" It does not pay its costs: the book earns {-excess:.1%} a year less than its benchmark."


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
