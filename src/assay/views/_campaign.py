"""The page of a campaign: funnel, trials, lineage, IC against N, the zoo, refusals, costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from markupsafe import Markup

from assay.campaign import CampaignReport, Funnel, OrderSpread, TrialRecord, ZooFactor
from assay.views._axes import heat_colours
from assay.views._campaign_charts import plot_book, plot_ic_against_n
from assay.views._campaign_lineage import lineage_graph
from assay.views._campaign_table import FIGURES, OUTCOMES, TONES, least_counted, table_json
from assay.views._format import MISSING, number, percent
from assay.views._page import render
from assay.views._report import breakable
from assay.views._report_words import visible, with_code
from assay.views._svg import to_svg

MOST_CHARTS: Final = 40
MOST_IN_MAP: Final = 60
_FIRST_ROWS: Final = 100
_LEAST_N: Final = "admission.least_n"
_STAGES: Final = {
    "slots": "slots",
    "candidates": "formula came",
    "gated": "past the gate",
    "evaluated": "scored: trials",
    "admitted": "admitted",
}
_STATES: Final = {
    "open": ("caution", "The run is going on, or was killed."),
    "finished": ("passed", "The run came to its end."),
    "stopped": ("caution", "The run was stopped and can be resumed."),
    "failed": ("rejected", "The run failed and can be resumed."),
    "abandoned": ("rejected", "The run was closed by hand."),
}
_CHECKS: Final = {
    "days": "dates with a RankIC",
    "coverage": "coverage",
    "t": "|t|",
    "payoff": "t of the payoff",
    "value_corr": "correlation of values with the pool",
    "ic_corr": "correlation of daily RankICs with the pool",
    "residual_ic": "RankIC that the pool leaves over",
    "turnover": "turnover",
    "break_even": "break-even cost",
    "deflated": "p after N trials",
    "rank_ic": "RankIC",
    "neutral_ic": "neutral RankIC",
}


def campaign_report(report: CampaignReport) -> str:
    """One self-contained HTML page about a campaign. It loads nothing from anywhere.

    All figures are of the training segment but those of the section on other dates, which has no date in it.
    All text that a model wrote is escaped, and characters that cannot be seen are written out.
    """
    from assay._version import __version__

    graph = lineage_graph(report)
    least_n = report.config.get(_LEAST_N)
    charts = {factor.trial.id: plot_book(factor) for factor in report.zoo[:MOST_CHARTS]}
    strongest = sorted(report.trials, key=_strength, reverse=True)[:_FIRST_ROWS]
    return render(
        "campaign.html",
        version=__version__,
        title=f"Campaign {report.run}",
        report=report,
        simulated=report.simulated,
        state=_state(report),
        tiles=_tiles(report),
        funnel=_funnel(report.funnel),
        mechanisms=_mechanisms(report),
        growth=_svg(plot_ic_against_n(report), "growth", "Size of RankIC and t of each trial against N"),
        headings=FIGURES,
        outcomes=OUTCOMES,
        trials_json=Markup(table_json(report.trials, least_n)),  # noqa: S704  no markup can be in it
        first=[_trial_row(trial) for trial in strongest],
        graph=graph,
        sparse=sum(point.sparse for point in report.points),
        heat=_heat(report),
        factors=[_factor(factor, report, charts) for factor in report.zoo],
        refusals=_refusals(report),
        rounds=[_round(row) for row in report.rounds],
        quota_names=[row.name for row in report.mechanisms],
        memory=[(item.round, visible(item.text)) for item in reversed(report.memory)],
        noise=_noise(report),
        order=_order(report.order),
        seen=_seen(report),
        costs=[_cost(asdict(cost)) for cost in report.costs],
        settings=[(name, _shown(value)) for name, value in sorted(report.config.items())],
        inputs=sorted(report.inputs.items()),
        facts=_facts(report),
    )


def _svg(figure: Any, name: str, description: str) -> Markup:
    return Markup(to_svg(figure, name=name, description=description))  # noqa: S704  drawn and escaped there


def _strength(trial: TrialRecord) -> float:
    value = trial.figures.get("t")
    return -1.0 if value is None or not math.isfinite(value) else abs(value)


def _state(report: CampaignReport) -> dict[str, str]:
    tone, sentence = _STATES.get(report.state, ("caution", f"The run is {report.state}."))
    stop = "" if report.stop is None else visible(report.stop.message)
    by = "" if report.stop is None else report.stop.by
    return {"tone": tone, "badge": report.state, "sentence": sentence, "stop": stop, "by": by}


def _tiles(report: CampaignReport) -> list[tuple[str, str, str]]:
    funnel, best = report.funnel, report.best
    rate = 100 * funnel.admitted / funnel.evaluated if funnel.evaluated else None
    unpriced = sum(cost.unpriced for cost in report.costs)
    done = sum(not row.dropped for row in report.rounds)
    dropped = len(report.rounds) - done
    money = f"money {report.money:.4f}" + (f", {unpriced} calls without a price" if unpriced else "")
    luck = next((point.noise_t for point in reversed(report.points) if point.noise_t is not None), None)
    return [
        ("admitted", str(funnel.admitted), f"{number(rate, 1)} per 100 trials"),
        ("trials", f"{funnel.evaluated:,}", f"of {funnel.slots:,} slots"),
        ("N", MISSING if report.n is None else f"{report.n:,}", "trials on this data set, of all runs"),
        ("best |t|", _best_t(best), f"the best of N by luck: about {number(luck, 2)}"),
        ("rounds", str(done), f"{dropped} dropped" if dropped else "none dropped"),
        ("time", _duration(report.seconds), "from the first record to the last"),
        ("models", f"{report.tokens:,} tokens", money if report.costs else "no model was asked"),
    ]


def _best_t(best: TrialRecord | None) -> str:
    value = None if best is None else best.figures.get("t")
    return MISSING if best is None or value is None else f"{abs(value):.2f}"


def _duration(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours} h {rest // 60:02d} min" if hours else f"{rest // 60} min {rest % 60:02d} s"


def _funnel(funnel: Funnel) -> list[dict[str, Any]]:
    """Each stage with its share of all slots, and of the stage before."""
    rows, before = [], funnel.slots
    for key, label in _STAGES.items():
        count = getattr(funnel, key)
        rows.append(
            {
                "label": label,
                "count": f"{count:,}",
                "share": 100 * count / funnel.slots if funnel.slots else 0.0,
                "kept": percent(count / before) if before else MISSING,
            }
        )
        before = count
    return rows


def _mechanisms(report: CampaignReport) -> list[tuple[str, ...]]:
    return [
        (
            visible(row.name),
            str(row.funnel.slots),
            str(row.funnel.gated),
            str(row.funnel.evaluated),
            str(row.funnel.admitted),
            number(row.best_t, 2),
        )
        for row in report.mechanisms
    ]


def _trial_row(trial: TrialRecord) -> dict[str, Any]:
    return {
        "id": trial.id,
        "mechanism": visible(trial.mechanism),
        "origin": trial.direction.kind,
        "parent": trial.parent or "",
        "formula": "" if trial.candidate is None else visible(trial.candidate.expression),
        "outcome": OUTCOMES[trial.outcome],
        "tone": TONES.get(trial.outcome, ""),
        "reason": trial.reason,
        "figures": [number(trial.figures.get(key), digits) for key, _, digits, _ in FIGURES],
    }


def _heat(report: CampaignReport) -> dict[str, Any] | None:
    """The correlation map: the strongest factors where there are many; None for fewer than two."""
    order = sorted(range(len(report.zoo)), key=lambda i: -_strength(report.zoo[i].trial))[:MOST_IN_MAP]
    if len(order) < 2:
        return None
    order.sort()
    ids, values = report.correlations.ids, report.correlations.values
    cells = [
        {
            "x": column,
            "y": row,
            "fill": heat_colours(float(values[i, j]))[0],
            "ink": heat_colours(float(values[i, j]))[1],
            "text": number(float(values[i, j]), 2),
            "title": f"{ids[i]} and {ids[j]}: {values[i, j]:.3f}",
        }
        for row, i in enumerate(order)
        for column, j in enumerate(order)
        if math.isfinite(values[i, j])
    ]
    return {
        "ids": [ids[i] for i in order],
        "cells": cells,
        "size": max(14, min(46, 900 // len(order))),
        "left_out": len(report.zoo) - len(order),
    }


def _factor(factor: ZooFactor, report: CampaignReport, charts: Mapping[str, Any]) -> dict[str, Any]:
    trial, figures = factor.trial, factor.figures
    candidate = trial.candidate
    assert candidate is not None  # it was scored
    name = trial.id
    return {
        "id": name,
        "name": visible(candidate.name),
        "formula": breakable(visible(candidate.expression)),
        "mechanism": visible(trial.mechanism),
        "origin": trial.direction.kind,
        "texts": [
            (label, with_code(text))
            for label, text in (
                ("idea", trial.direction.text),
                ("why it should work", candidate.hypothesis),
                ("what it computes", candidate.description),
            )
            if text
        ],
        "tiles": [
            ("RankIC", number(figures.get("rank_ic")), f"neutral {number(figures.get('neutral_rank_ic'))}"),
            ("t", number(figures.get("t"), 2), f"neutral {number(figures.get('neutral_t'), 2)}"),
            ("net excess", percent(figures.get("net_excess")), f"IR {number(figures.get('ir'), 2)}, a year"),
            ("turnover", number(figures.get("turnover"), 1), "x a year, one-way"),
            ("break-even", f"{number(figures.get('break_even_bp'), 1)} bp", "cost that uses up the excess"),
            ("coverage", percent(figures.get("coverage")), f"{number(figures.get('names'), 0)} names a day"),
        ],
        "folds": [
            (str(place), number(raw), number(neutral))
            for place, (raw, neutral) in enumerate(zip(factor.folds, factor.neutral_folds, strict=False), 1)
        ],
        "checks": [
            (
                _CHECKS.get(check["name"], check["name"]),
                check["outcome"],
                least_counted(visible(str(check.get("detail", ""))), report.config.get(_LEAST_N)),
            )
            for check in trial.checks
        ],
        "ancestors": factor.lineage.ancestors,
        "children": factor.lineage.children,
        "descendants": factor.lineage.admitted_descendants,
        "attempts": [(visible(a.expression), a.passed, visible(a.message)) for a in factor.attempts],
        "n": MISSING if factor.n is None else f"{factor.n:,}",
        "fingerprint": trial.fingerprint or "",
        "chart": _svg(charts[name], f"book-{name}", f"Net excess of {name}") if name in charts else "",
        "seen": report.out_of_sample.get(name),
    }


def _refusals(report: CampaignReport) -> list[dict[str, Any]]:
    most = max((row.times for row in report.refusals), default=1)
    return [
        {
            "stage": row.stage,
            "reason": row.reason or "no reason",
            "times": row.times,
            "slots": row.slots,
            "share": 100 * row.times / most,
            "example": visible(row.example),
            "message": visible(row.message),
        }
        for row in report.refusals
    ]


def _round(row: Any) -> dict[str, Any]:
    funnel = row.funnel
    return {
        "number": row.number,
        "dropped": visible(row.dropped),
        "cells": (funnel.slots, funnel.gated, funnel.evaluated, funnel.admitted),
        "n": MISSING if row.n is None else f"{row.n:,}",
        "quota": row.quota,
    }


def _noise(report: CampaignReport) -> list[tuple[str, ...]]:
    return [
        (
            visible(row.label),
            f"{row.runs:,}",
            f"{row.trials:,}",
            f"{row.admitted:,}",
            number(row.per_hundred, 2),
            f"{number(row.low, 2)} to {number(row.high, 2)}",
        )
        for row in report.noise
    ]


def _seen(report: CampaignReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for factor in report.zoo:
        found = report.out_of_sample.get(factor.trial.id)
        if found is not None:
            rows.append(
                (
                    factor.trial.id,
                    number(factor.figures.get("rank_ic")),
                    number(found.rank_ic),
                    number(factor.figures.get("neutral_rank_ic")),
                    number(found.neutral_rank_ic),
                    number(found.t, 2),
                )
            )
    return rows


def _order(found: OrderSpread | None) -> str:
    if found is None:
        return ""
    return (
        f"Admitted in other orders, at the N of the end: {found.span} factors in "
        f"{found.orders} orders, {found.given} in the run's own. Of {found.ever} that some order admits, "
        f"every order admits {found.always}; two orders have on average {found.overlap:.0%} in common."
    )


def _cost(cost: Mapping[str, Any]) -> tuple[str, ...]:
    counts = tuple(f"{cost[name]:,}" for name in ("calls", "failed", "input", "cached", "output"))
    unpriced = f"{cost['money']:.4f}" + (f" + {cost['unpriced']} unpriced" if cost["unpriced"] else "")
    return (cost["role"], *counts, f"{cost['estimated']:,}", unpriced, _duration(cost["seconds"]))


def _facts(report: CampaignReport) -> list[tuple[str, str]]:
    kind = {True: " (simulated)", False: " (real)", None: " (whether simulated is not known)"}
    rows = [
        ("data set", f"{report.data}{kind[report.simulated]}"),
        ("universe", report.universe or "all instruments"),
        ("horizon", MISSING if report.horizon is None else f"{report.horizon} bars"),
        ("figures", "training segment: search, less its tail for validation"),
        ("run by", visible(report.operator)),
        ("started", report.started),
        ("last record", report.ended),
        ("SHA-256 of the rounds", report.digest),
    ]
    return rows + [_version(visible(name)) for name in report.commits]


def _version(name: str) -> tuple[str, str]:
    """A version of the program: the released one, or the commit of its source."""
    kind, _, commit = name.partition(" ")
    return ("commit of the source", commit) if kind == "commit" else ("version of the program", name)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        parts = [": ".join(map(str, item)) if isinstance(item, list) else str(item) for item in value]
        return visible("; ".join(parts)) or "none"
    return "not set" if value is None else visible(str(value))
