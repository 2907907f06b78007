"""Sentences that the terminal and the pages share: what was judged on what, and the marks of a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from assay.judge import SUMMARY, Column, Verdict
from assay.views._format import percent

OPPOSITE = "passed (\u2212)"
NO_GAIN = "no net gain"
_SIMULATED = "the data is simulated"
_LABELS = {
    "turnover": "book turnover",
    "days_undefined": "days undefined",
    "rank_autocorrelation": "rank autocorr.",
}


def header_lines(verdict: Verdict, *, batch: bool = False) -> list[str]:
    """Data set, simulated or real, universe, dates, timing, costs and N, in two lines."""
    data = verdict.data
    kind = "SIMULATED data" if data.simulated else "real data"
    return [
        f"{data.panel} ({kind}), {data.universe or 'all instruments'}, "
        f"{data.first_signal} to {data.last_signal}",
        f"{timing_text(verdict)}; {costs_text(verdict)}; {record_text(verdict, batch=batch)}",
    ]


def record_text(verdict: Verdict, *, batch: bool = False) -> str:
    """Where the judgement is recorded, and N as known there."""
    found, record = verdict.significance, verdict.data.record
    if not verdict.recorded:
        if not batch or found.trials is None:
            return record
        spread = "given" if verdict.settings.sharpe_variance is not None else "of this batch"
        return f"{record}, V[SR] {spread}"
    return f"{record}, N {'not known' if found.trials is None else found.trials}"


def timing_text(verdict: Verdict) -> str:
    """What the signal knew and when it traded, in a few words."""
    settings = verdict.settings
    known = "t" if settings.lag == 0 else f"t-{settings.lag}"
    return f"signal from rows <= {known}, traded at the {settings.fill} of t+1, {settings.horizon}-bar label"


def costs_text(verdict: Verdict) -> str:
    """The costs that were applied, in basis points of the value traded."""
    costs = verdict.costs
    if costs is None:
        return "costs not stated"
    duty = ", stamp duty by date on top" if verdict.settings.stamp_duty == "dated" else ""
    return f"costs {costs.buy_bp:g} bp buying, {costs.sell_bp:g} bp selling{duty}"


DEFLATED = Column(
    "dsr", "DSR", "percent", "probability that the true Sharpe ratio is above the best of N without skill"
)
"""The column of a ranked table; it is left out where no factor has the figure."""


def any_deflated(verdicts: Iterable[Verdict]) -> bool:
    """Whether a factor has a deflated Sharpe ratio."""
    return any(not math.isnan(verdict.significance.dsr) for verdict in verdicts)


def deflated_value(verdict: Verdict) -> str:
    """The deflated Sharpe ratio as a probability; a dash where there is none."""
    return percent(verdict.significance.dsr)


def deflated_help(verdict: Verdict) -> str:
    """What the deflated ratio is held against, or why there is none."""
    found = verdict.significance
    if found.trials is None and not verdict.recorded:
        return "no DSR: N unknown (--trials: how many distinct trials led to this factor)"
    if found.trials is None:
        return found.trials_source
    if math.isnan(found.sharpe_variance):
        missing = "V[SR] needs two trials with a book" if verdict.recorded else "give --sharpe-variance"
        return f"no DSR: V[SR] unknown, {missing}"
    if math.isnan(found.dsr):
        return "no DSR: the net excess return has no Sharpe ratio"
    return (
        f"probability that the true ratio is above the best of N {found.trials} without skill; "
        f"{found.trials_source}"
    )


def opposite(verdict: Verdict) -> bool:
    """Whether the factor passed with the sign against it."""
    return verdict.status == "passed" and verdict.summary["rank_ic"] < 0


def no_gain(verdict: Verdict) -> bool:
    """Whether the factor passed and its book earned less than the benchmark after cost."""
    return verdict.status == "passed" and verdict.summary["net_excess"] < 0


def status_text(verdict: Verdict) -> str:
    """The status as a badge shows it."""
    return OPPOSITE if opposite(verdict) else verdict.status


def footnotes(verdicts: Iterable[Verdict], *, mark: str = NO_GAIN) -> list[str]:
    """What the marks of a table mean, for those that occur in it; ``mark`` stands for no net gain."""
    shown = list(verdicts)
    notes: list[str] = []
    if any(opposite(verdict) for verdict in shown):
        trades = (
            "the book follows the factor as written; put a minus before it to turn it round"
            if any(v.settings.direction == "given" for v in shown if opposite(v))
            else "the book trades it turned round"
        )
        notes.append(f"{OPPOSITE}: predicts returns with the opposite sign; {trades}")
    if any(no_gain(verdict) for verdict in shown):
        label = mark if mark == NO_GAIN else f"{mark} {NO_GAIN}"
        notes.append(f"{label}: after cost the book earns less than its benchmark")
    if any(_unexplained(verdict) for verdict in shown):
        notes.append(
            "neutral RankIC \u2013: industry and styles explain the whole factor (volatility, traded value "
            "and return are such styles themselves), or data is missing"
        )
    if deflated := [verdict for verdict in shown if any_deflated([verdict])]:
        notes.append(f"DSR: {deflated_help(deflated[0])}")
    return notes


def shared_warnings(verdicts: Sequence[Verdict]) -> tuple[list[str], str]:
    """Warnings that all verdicts carry, and a line that counts the others."""
    per = [[text for text in v.warnings if not text.startswith(_SIMULATED)] for v in verdicts]
    common = [text for text in per[0] if all(text in texts for texts in per)] if len(per) > 1 else []
    others = [[text for text in texts if text not in common] for texts in per]
    count = sum(map(len, others))
    if not count:
        return common, ""
    noun = "warning" if count == 1 else "warnings"
    factors = sum(bool(texts) for texts in others)
    where = "the same command with --json lists them, as does each factor judged by itself"
    return common, f"{count} {noun} about {factors} of {len(verdicts)} factors: {where}"


def figure_label(key: str, lags: float) -> str:
    """The heading of a figure outside its table, where some need a word more."""
    if key == "t":
        return f"t (NW, {lags:g} lags)"
    headings = {column.key: column.heading for column in SUMMARY}
    return _LABELS.get(key, headings[key])


def _unexplained(verdict: Verdict) -> bool:
    summary = verdict.summary
    asked = "neutral_rank_ic" in verdict.series
    return asked and math.isnan(summary["neutral_rank_ic"]) and not math.isnan(summary["rank_ic"])
