"""The tear sheet of one verdict as plain rows for the template."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.judge import SUMMARY, Robustness, Verdict
from assay.views._charts import draw_all
from assay.views._format import basis_points, figure_text, number, percent, small_number
from assay.views._one import of_one
from assay.views._page import chart_markup, render
from assay.views._wording import (
    costs_text,
    deflated_help,
    deflated_value,
    figure_label,
    footnotes,
    no_gain,
    opposite,
    status_text,
)

OUTCOME_WORDS = {
    "passed": "passed",
    "failed": "failed",
    "undefined": "undefined",
    "not_applicable": "does not apply",
    "not_run": "not run",
}
_CRITERION_WORDS = {"not_run": "not part of the rule", "not_applicable": "does not apply"}
_HEADLINE = ("rank_ic", "neutral_rank_ic", "t", "rank_icir", "net_excess", "ir", "turnover", "break_even_bp")

Row = tuple[str, ...]
Pair = tuple[str, str]


@of_one
def tear_sheet(verdict: Verdict) -> str:
    """One self-contained HTML page about one judged factor.

    The page loads nothing from anywhere, follows the reader's theme, and says which data it shows.
    """
    from assay._version import __version__

    return render(
        "tear_sheet.html",
        title=verdict.name,
        version=__version__,
        sheet_values=sheet_values(verdict, prefix="c"),
    )


def sheet_values(verdict: Verdict, *, prefix: str) -> dict[str, Any]:
    """Everything the sheet template shows, as text; ``prefix`` keeps ids apart on a page with many sheets."""
    return {
        "id": prefix,
        "name": verdict.name,
        "identity": _identity(verdict),
        "status": verdict.status,
        "sentence": verdict.decision.sentence,
        "badge": status_text(verdict),
        "tone": "caution" if opposite(verdict) or no_gain(verdict) else verdict.status,
        "notes": footnotes([verdict]),
        "no_gain": no_gain(verdict),
        # a page says in a notice of its own that its data is simulated
        "warnings": [text for text in verdict.warnings if not text.startswith("the data is simulated")],
        "simulated": verdict.data.simulated,
        "data": data_rows(verdict),
        "headline": _figures(verdict, _HEADLINE),
        "figures": _figures(
            verdict, tuple(column.key for column in SUMMARY if column.key not in (*_HEADLINE, "t_lags"))
        ),
        "charts": chart_markup(draw_all(verdict, prefix=prefix)),
        "criteria": [
            (
                c.name,
                _CRITERION_WORDS.get(c.outcome, c.outcome),
                c.outcome,
                number(c.value),
                number(c.threshold),
                c.detail,
            )
            for c in verdict.decision.criteria
        ],
        "quantiles": _quantiles(verdict),
        "decay": _decay(verdict),
        "leaks": [
            (
                check.name,
                OUTCOME_WORDS[check.outcome],
                check.outcome,
                _leak_detail(check.detail, check.numbers),
                check.culprit or "",
            )
            for check in verdict.leaks
        ],
        "coverage_nodes": [(row.node, percent(row.share), percent(row.lost)) for row in verdict.coverage],
        "sub_periods": _sub_periods(verdict.robustness),
        "significance": _significance(verdict),
        "book": _book(verdict),
        "settings": list(flattened(verdict.settings.to_dict())),
        "certificate": json.dumps(verdict.certificate, indent=2, ensure_ascii=False, sort_keys=True),
        "content_hash": str(verdict.certificate.get("content_hash", "")),
    }


def flattened(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested settings as dotted names and text."""
    rows: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += flattened(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            rows.append((prefix + key, ", ".join(map(str, value))))
        else:
            rows.append((prefix + key, "not set" if value is None else str(value)))
    return rows


def _identity(verdict: Verdict) -> list[Pair]:
    identity = verdict.identity
    rows = [("formula", identity.text), ("dialect", identity.dialect or "none: given as values")]
    if identity.canonical:
        rows.append(("canonical form", identity.canonical))
    if identity.fingerprint:
        rows.append(("fingerprint", identity.fingerprint))
    if identity.fields:
        rows.append(("fields", ", ".join(identity.fields)))
    if identity.lookback is not None:
        rows.append(("lookback", f"{identity.lookback} bars"))
    if identity.values_sha256:
        rows.append(("SHA-256 of the values", identity.values_sha256))
    return rows


def data_rows(verdict: Verdict) -> list[Pair]:
    """Which data was judged, and how it was timed."""
    data, settings = verdict.data, verdict.settings
    kind = "simulated" if data.simulated else "real"
    rows = [
        ("data set", f"{data.panel} ({kind}; source: {data.source})"),
        ("universe", f"{data.universe or 'all instruments'}, {data.members_per_day:.1f} names a day"),
        ("judged dates", f"{data.first_signal} to {data.last_signal} (period: {data.period})"),
        ("rows read", f"{data.first_row} to {data.last_row}, {data.instruments} instruments"),
        ("timing", _timing(verdict)),
        ("costs", costs_text(verdict).removeprefix("costs ")),
        ("book", f"{settings.book}, rebalanced every {settings.rebalance} bars"),
        ("record", data.record),
        ("SHA-256 of the data", data.sha256),
    ]
    if data.hidden_opened:
        rows.insert(3, ("hidden dates opened", ", ".join(data.hidden_opened)))
    return rows


def _timing(verdict: Verdict) -> str:
    settings = verdict.settings
    last = "t" if settings.lag == 0 else f"t-{settings.lag}"
    return (
        f"signal of t from rows up to {last}; traded at the {settings.fill} of t+1; "
        f"label over {settings.horizon} bars"
    )


def _figures(verdict: Verdict, keys: Sequence[str]) -> list[Row]:
    by_key = {column.key: column for column in SUMMARY}
    return [
        (
            figure_label(key, verdict.summary["t_lags"]),
            figure_text(verdict.summary[key], by_key[key], market=verdict.data.market),
            by_key[key].description,
        )
        for key in keys
    ]


def _quantiles(verdict: Verdict) -> list[Row]:
    if verdict.quantiles is None:
        return []
    return [
        (
            str(row.quantile),
            basis_points(row.mean),
            basis_points(row.excess),
            basis_points(row.std),
            number(row.t, 2),
            percent(row.yearly),
            f"{row.mean_names:.1f}",
            str(row.days),
        )
        for row in verdict.quantiles.rows
    ]


def _decay(verdict: Verdict) -> list[Row]:
    return [
        (
            str(row.horizon),
            number(row.ic),
            number(row.rank_ic),
            number(row.icir, 3),
            number(row.rank_icir, 3),
            f"{number(row.t, 2)} ({row.t_lags} lags)",
            str(row.days),
        )
        for row in verdict.decay
    ]


def _leak_detail(detail: str, numbers: Mapping[str, float | int]) -> str:
    shown = ", ".join(f"{key} {value:g}" for key, value in numbers.items())
    return f"{detail} ({shown})" if shown else detail


def _sub_periods(robustness: Robustness) -> list[Row]:
    return [
        (
            f"{part.start} to {part.end}",
            str(part.days),
            number(part.ic),
            number(part.rank_ic),
            number(part.t, 2),
            percent(part.net_excess),
        )
        for part in robustness.sub_periods
    ]


def _significance(verdict: Verdict) -> list[Pair]:
    found = verdict.significance
    trials = "unknown" if found.trials is None else str(found.trials)
    deflated = deflated_help(verdict)
    if found.dsr == found.dsr:
        deflated = f"{deflated_value(verdict)}: {deflated}"
    rows = [
        ("t of the mean RankIC", f"{number(found.t, 2)} (Newey-West, {found.t_lags} lags)"),
        ("p-value", small_number(found.p_value)),
        ("Sharpe ratio of net excess, per bar", number(found.sharpe)),
        ("skew, raw kurtosis", f"{number(found.skew, 2)}, {number(found.kurtosis, 2)}"),
        ("PSR: true ratio above 0", percent(found.psr)),
        ("trials N", f"{trials} ({found.trials_source})"),
        ("DSR: above the best of N without skill", deflated),
    ]
    interval = found.rank_ic_interval
    if interval is not None:
        rows.append(
            (
                f"{percent(interval.level, 0)} interval of the mean RankIC",
                f"{number(interval.low)} to {number(interval.high)} "
                f"({interval.resamples} resamples, blocks of {interval.block:.1f} bars)",
            )
        )
    return rows


def _book(verdict: Verdict) -> list[Pair]:
    book = verdict.book
    if book is None:
        return []
    rows = [
        ("buys blocked", str(book.blocked_buys)),
        ("sales blocked", str(book.blocked_sells)),
        ("delisted holdings closed", str(book.delisted_closed)),
    ]
    if book.theoretical:
        rows.append(("theoretical", "yes: the market does not let everybody short"))
    if book.note:
        rows.append(("note", book.note))
    return rows
