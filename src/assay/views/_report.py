"""The page of one report: the text with its citations, the spec, the gate, the readings, the backtest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from assay.errors import Reason
from assay.expr import to_text
from assay.judge import Verdict, Verdicts
from assay.reports import Document
from assay.reports._extraction import Candidate, Extraction
from assay.reports._reasons import SEVERAL_TARGETS, reason_of
from assay.reports.readings import Curve, against_direction, signs_told
from assay.spec import HOUSE_DEFAULTS, FactorSpec, GateVerdict, Reading, read_expr
from assay.views._format import MISSING, number
from assay.views._one import of_one
from assay.views._page import render
from assay.views._report_charts import plot_readings
from assay.views._report_text import Highlight, Layout, Quoted, lay_out
from assay.views._report_words import (
    CHECKS,
    FIELDS,
    FLAGS,
    NOTABLE,
    language_of,
    quoted_text,
    value_text,
    visible,
)
from assay.views._sheet import sheet_values
from assay.views._svg import to_svg

_CONTEXT: Final = 120
_BREAKS: Final = re.compile(r"(?<=[(,*/+-])(?=\S)")
_OUTCOMES: Final = {True: ("passed", "passed"), False: ("failed", "failed"), None: ("not made", "not_run")}
_NEUTRAL: Final = {"none": "no", "industry_size": "industry, size"}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of the spec: its value, the default where the text is silent, and the quotes."""

    name: str
    label: str
    tag: str
    value: str
    default: str
    code: bool
    quotes: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One place of a contradiction: the quote with the words around it."""

    anchor: str
    place: Highlight
    page: int
    before: str
    quote: str
    after: str


def report_page(
    document: Document,
    extraction: Extraction,
    verdict: GateVerdict,
    readings: Curve | Sequence[Reading] | None = None,
    judged: Verdict | Verdicts | None = None,
    *,
    simulated: bool | None = None,
) -> str:
    """One self-contained HTML page about one factor of one report.

    The page shows the text with every cited place highlighted in the colour of the field that it supports,
    the spec, refusal or contradiction, the checks of the gate, the readings of the text, and the backtest. It
    loads nothing from anywhere; all text of the report is escaped, and characters that cannot be seen are
    written out.

    Parameters
    ----------
    readings : what the readings of the text came to; by default those of the gate's verdict. The first one is
        the text as written.
    judged : the factor's backtest.
    simulated : whether the readings were evaluated on simulated data; by default as the backtest says. Where
        neither says it, the page says that it does not know.
    """
    from assay._version import __version__

    layout = lay_out(document, extraction.evidence)
    name = visible(extraction.target or document.name)
    shown = _readings(verdict.readings if readings is None else readings, verdict)
    refused = judged.refused if isinstance(judged, Verdicts) and not len(judged) else ()
    backtest = None if judged is None or refused else _backtest(judged)
    if simulated is None and backtest is not None:
        simulated = bool(backtest["simulated"])
    return render(
        "report.html",
        version=__version__,
        title=name,
        name=name,
        status=_status(extraction, verdict),
        reasons=_reasons(extraction, verdict),
        note=visible(extraction.note),
        facts=_facts(document),
        flags=[(FLAGS[flag], flag in NOTABLE) for flag in document.flags if flag in FLAGS],
        kind=extraction.status,
        choose=extraction.reason is SEVERAL_TARGETS,
        spec=None if extraction.spec is None else _spec(extraction, extraction.spec, layout),
        sides=_sides(document, layout),
        lost=[item for item in layout.quoted if not item.places],
        fields=FIELDS,
        layout=layout,
        language=language_of(document),
        document=visible(document.name),
        checks=[(CHECKS[c.name], *_OUTCOMES[c.passed], visible(c.detail)) for c in verdict.checks],
        candidates=[_candidate(item, extraction.target) for item in extraction.candidates],
        readings=shown,
        signs=signs_told(extraction.direction),
        against="" if shown is None else against_direction(extraction.direction, shown["written"]),
        simulated=simulated,
        figures=backtest is not None or shown is not None,
        backtest=backtest,
        turned="" if judged is None or refused else _turned(extraction, _judged(judged)),
        not_judged=[visible(item.error.message) for item in refused],
    )


_judged = of_one(lambda verdict: verdict)
_backtest = of_one(lambda verdict: sheet_values(verdict, prefix="bt"))


def _turned(extraction: Extraction, verdict: Verdict) -> str:
    """The formula that was judged, where it is the report's with its sign turned to be traded; else empty."""
    if extraction.spec is None or extraction.direction != "negative":
        return ""
    read, judged = read_expr(extraction.spec).expression, verdict.identity
    if read is None or read.signature != judged.signature or read.fingerprint == judged.fingerprint:
        return ""
    return breakable(visible(judged.text))


def _status(extraction: Extraction, verdict: GateVerdict) -> dict[str, str]:
    """The badge, its tone, and the outcome in one sentence."""
    if extraction.status == "refused":
        sentence = "No factor is taken from this report, for the reason below."
        return {"badge": "refused", "tone": "rejected", "sentence": sentence}
    if extraction.status == "conflict":
        sentence = "The report contradicts itself, and a person has to decide."
        return {"badge": "conflict", "tone": "caution", "sentence": sentence}
    if verdict.admitted:
        sentence = (
            "Every number, operation and data field of the formula, and whatever else the spec "
            "declares, stands in the words of the report that are cited."
        )
        return {"badge": "admitted", "tone": "passed", "sentence": sentence}
    sentence = "The words that are cited do not support all of the spec."
    return {"badge": "not admitted", "tone": "rejected", "sentence": sentence}


def _reasons(extraction: Extraction, verdict: GateVerdict) -> list[dict[str, str]]:
    """Why there is no admitted spec: in words, the particulars, what to do."""
    if extraction.reason is not None:
        return [_reason(extraction.reason, "")]
    rows = []
    for finding in verdict.findings:
        try:
            reason = reason_of(finding.code)
        except KeyError:
            reason = Reason(finding.code, finding.message, "")
        rows.append(_reason(reason, finding.message if finding.message != reason.summary else ""))
    return rows


def _reason(reason: Reason, detail: str) -> dict[str, str]:
    return {"code": reason.code, "summary": reason.summary, "detail": visible(detail), "fix": reason.fix}


def _facts(document: Document) -> list[tuple[str, str]]:
    count = len(document.pages)
    return [
        ("report", visible(document.name)),
        ("format", f"{document.format}, {count} {'page' if count == 1 else 'pages'}"),
        ("SHA-256", document.sha256),
    ]


def _spec(extraction: Extraction, spec: FactorSpec, layout: Layout) -> dict[str, Any]:
    expression = read_expr(spec)
    refusal = expression.refusal
    return {
        "written": breakable(visible(spec.expr)),
        "core": ""
        if expression.expression is None
        else breakable(to_text(expression.expression.node, "core")),
        "stopped": "" if refusal is None else visible(refusal.message),
        "direction": value_text(spec, extraction.direction, "direction"),
        "rows": [_row(extraction, spec, layout, name) for name in FIELDS],
    }


def breakable(formula: str) -> Markup:
    """A formula, escaped, that a page may break after a bracket, comma or sign."""
    return Markup("<wbr>").join(_BREAKS.split(formula))


def _row(extraction: Extraction, spec: FactorSpec, layout: Layout, name: str) -> FieldRow:
    value = value_text(spec, extraction.direction, name)
    return FieldRow(
        name,
        FIELDS[name].label,
        FIELDS[name].tag,
        breakable(value) if name == "expr" else value,
        HOUSE_DEFAULTS.get(name, "") if not value else "",
        name == "expr",
        tuple(item for item in layout.quoted if item.span.field == name),
    )


def _sides(document: Document, layout: Layout) -> list[Side]:
    """Each cited place with the words around it on its line."""
    return [
        Side(
            item.id if place is item.places[0] else "",
            place,
            int(document.page_of[place.start]),
            *_around(document.text, place.start, place.end),
        )
        for item in layout.quoted
        for place in item.places
    ]


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    first, last = max(line, start - _CONTEXT), min(stop, end + _CONTEXT)
    before = ("\u2026" if first > line else "") + _beside(text[first:start])
    after = _beside(text[end:last]) + ("\u2026" if last < stop else "")
    return before, quoted_text(text[start:end]), after


def _beside(text: str) -> str:
    """Words beside a quote; the blank between them stays."""
    words = quoted_text(text)
    return f"{' ' if text[:1].isspace() else ''}{words}{' ' if words and text[-1:].isspace() else ''}"


def _candidate(item: Candidate, target: str | None) -> dict[str, Any]:
    return {
        "name": visible(item.name),
        "pages": item.pages,
        "definition": visible(item.definition),
        "computable": item.computable,
        "why": "" if item.why_not is None else item.why_not.summary,
        "code": "" if item.why_not is None else item.why_not.code,
        "chosen": item.name == target,
    }


def _readings(given: Curve | Sequence[Reading], verdict: GateVerdict) -> dict[str, Any] | None:
    """The rows in the order of their RankIC, the chart, and the spread in words; None without readings."""
    curve = given if isinstance(given, Curve) else None
    readings = curve.readings if curve is not None else tuple(given) if not isinstance(given, Curve) else ()
    if not readings:
        return None
    order = sorted(range(len(readings)), key=lambda place: _ascending(readings[place]))
    chart = to_svg(
        plot_readings([readings[place] for place in order], written=order.index(0)),
        name="readings",
        description="RankIC of every reading, with the one as written marked",
    )
    return {
        "rows": [_reading(readings[place], curve, place, readings[0].expr) for place in order],
        "written": readings[0],
        "full": curve is not None,
        "chart": Markup(chart),  # noqa: S704  drawn and escaped here
        "spread": _spread(readings),
        "left_out": 0 if curve is None else curve.left_out,
        "data": "" if curve is None else f"{visible(curve.data)}, {visible(curve.universe)}",
        "single": next((visible(c.detail) for c in verdict.checks if c.name == "readings" and c.detail), ""),
    }


def _ascending(reading: Reading) -> tuple[bool, float]:
    return reading.rank_ic is None, reading.rank_ic or 0.0


def _reading(reading: Reading, curve: Curve | None, place: int, written: str) -> dict[str, Any]:
    point = None if curve is None else curve.points[place]
    return {
        "name": visible(reading.name),
        "expr": visible(reading.expr) if place == 0 or reading.expr != written else "",
        "written": place == 0,
        "rank_ic": number(reading.rank_ic),
        "t": number(reading.t_stat, 2),
        "ir": MISSING if point is None else number(point.ir, 2),
        "neutral": "" if point is None else _NEUTRAL.get(point.neutralize, point.neutralize),
        "rebalance": "" if point is None else point.rebalance,
        "why": "" if point is None else visible(point.why),
    }


def _spread(readings: Sequence[Reading]) -> str:
    """The outcome of all readings in one sentence."""
    known = sorted(item.rank_ic for item in readings if item.rank_ic is not None)
    if not known:
        return "No reading has a defined RankIC."
    if len(known) == 1:
        return f"The text allows one reading that has a RankIC: {number(known[0])}."
    agree = "All have one sign." if known[0] > 0 or known[-1] < 0 else "They do not agree on the sign."
    return (
        f"{len(known)} readings: RankIC from {number(known[0])} to {number(known[-1])}, "
        f"a spread of {number(known[-1] - known[0])}. {agree}"
    )
