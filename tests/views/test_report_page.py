"""The page of a report: its text with every citation, escaped, linked both ways, readable on any screen."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest

from assay import views
from assay.errors import DataError
from assay.expr import parse
from assay.judge import BatchStatistics, Refused, Verdict, Verdicts
from assay.reports import Document
from assay.reports._extraction import Candidate, Extraction
from assay.reports._reasons import MINUTE_DATA, NO_FACTOR, SEVERAL_TARGETS, reason_of
from assay.reports.documents import find_quote, read_document
from assay.reports.gold import GoldRecord, gold_records
from assay.reports.readings import Curve, CurvePoint
from assay.reports.verifier import gate
from assay.spec import EvidenceSpan, FactorSpec, GateVerdict, Reading
from assay.views._report_charts import plot_readings
from assay.views._report_text import MOST_GAPS, MOST_PLACES, lay_out
from assay.views._report_words import CHECKS, FIELDS, visible

_VOID = {"meta", "link", "input", "br", "hr", "img", "wbr", "use", "path"}
_MARKUP = re.compile(r"[\s|#*`=_\u2022\u2013-]+")
_GOLD = {record.case_id: record for record in gold_records()}
_READINGS = (
    Reading("as written", "TS_PCTCHANGE($close,20)", -0.041, -4.2),
    Reading("month: 20 bars as 22", "TS_PCTCHANGE($close,22)", -0.037, -3.7),
    Reading("<b>rebalanced daily</b>", "TS_PCTCHANGE($close,20)", -0.052, -5.1),
    Reading("neutralised by industry", "TS_PCTCHANGE($close,20)", None, None),
)


class _Page(HTMLParser):
    """A page taken apart: elements with their attributes and text, and the text under each highlight."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.marked: dict[str, str] = {}
        self.report = ""
        self._open: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        assert not self._open, "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = (tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        classes = [name for _, attrs in self._open for name in attrs.get("class", "").split()]
        if "pages" not in classes or {"ftag", "gap", "folio"} & set(classes):
            return
        self.report += data
        for tag, attrs in self._open:
            for name in attrs["data-h"].split() if tag == "mark" else ():
                self.marked[name] = self.marked.get(name, "") + data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """The attributes of elements of a kind."""
        keys = {key.rstrip("_").replace("_", "-"): value for key, value in wanted.items()}
        return [
            attrs
            for name, attrs in self.elements
            if name == tag and all(value in attrs.get(key, "").split() for key, value in keys.items())
        ]

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.elements if "id" in attrs]


def _bare(text: str) -> str:
    """Without blanks and the marks of Markdown, which a page shows in its own way."""
    return _MARKUP.sub("", text)


def _extraction(record: GoldRecord, **fields: Any) -> Extraction:
    if record.status == "spec":
        assert record.stated is not None
        return Extraction.found(record.stated, record.direction, target=record.target, **fields)
    assert record.reason is not None
    make = Extraction.refused if record.status == "refused" else Extraction.conflict
    return make(
        reason_of(record.reason), target=record.target, note=record.notes, evidence=record.evidence, **fields
    )


def _of_gold(case_id: str, **fields: Any) -> tuple[Document, Extraction, GateVerdict]:
    record = _GOLD[case_id]
    document = read_document(record.report_path)
    extraction = _extraction(record, **fields)
    return document, extraction, gate(document, extraction)


def _page_of(case_id: str, **given: Any) -> str:
    return views.report_page(*_of_gold(case_id), **given)


def _note(text: str) -> Document:
    return read_document(text.encode(), name="note.md")


def _spec(evidence: Sequence[EvidenceSpan], **fields: Any) -> FactorSpec:
    values = {
        "name": "f", "universe": "CSI300", "frequency": "daily", "neutralization": "undeclared",
        "rebalance": "undeclared", "expr": "TS_PCTCHANGE($close,20)", "windows": (20,),
    }  # fmt: skip
    return FactorSpec(**{**values, **fields, "evidence": tuple(evidence)})


def _span(field: str, quote: str, chunk: str = "p1-c0000") -> EvidenceSpan:
    return EvidenceSpan(field=field, chunk_id=chunk, quote=quote)  # type: ignore[arg-type]


def _made(text: str, *spans: EvidenceSpan, note: str = "", **fields: Any) -> str:
    document = _note(text)
    extraction = Extraction.found(_spec(spans, **fields), "undeclared", note=note)
    return views.report_page(document, extraction, gate(document, extraction))


# -- the text and its citations ------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", _GOLD)
def test_every_citation_is_highlighted_once_for_its_field(case_id: str) -> None:
    document, extraction, verdict = _of_gold(case_id)
    page = _Page(views.report_page(document, extraction, verdict))
    expected = Counter(
        {
            (span.field, place.start, place.end)
            for span in extraction.evidence
            for place in find_quote(document, span.quote, chunk_id=span.chunk_id)
            if _stands_there(document, span, place.start, place.end)
        }
    )
    wanted = Counter((FIELDS[name].label, _bare(document.text[a:b])) for name, a, b in expected)
    tags = page.all("a", class_="at")
    shown = Counter((tag["aria-label"].split(":")[0], _bare(page.marked[tag["id"]])) for tag in tags)
    assert shown == wanted
    assert len(shown) or not extraction.evidence


def _stands_there(document: Document, span: EvidenceSpan, start: int, end: int) -> bool:
    place = document.locate(start, end)
    return (span.page_start, span.char_start, span.page_end, span.char_end) == (
        place.page_start, place.char_start, place.page_end, place.char_end,
    )  # fmt: skip


@pytest.mark.parametrize("case_id", ["en-04", "en-06", "en-11", "zh-04", "zh-09", "zh-12"])
def test_the_whole_text_is_on_the_page_in_order(case_id: str) -> None:
    document, extraction, verdict = _of_gold(case_id)
    page = _Page(views.report_page(document, extraction, verdict))
    assert _bare(page.report) == _bare(document.text)
    assert [f"page-{p.number}" for p in document.pages] == [name for name in page.ids if name[:5] == "page-"]


@pytest.mark.parametrize("case_id", ["zh-09", "en-05", "en-06", "en-07-all", "en-13", "zh-08", "zh-19"])
def test_every_link_leads_somewhere_and_nothing_is_loaded(case_id: str) -> None:
    text = _page_of(case_id)
    page = _Page(text)
    assert len(page.ids) == len(set(page.ids))
    links = [attrs["href"] for tag, attrs in page.elements if tag in ("a", "link")]
    assert {link for link in links if not link.startswith("#")} == {"data:,"}
    assert {link[1:] for link in links if link.startswith("#")} <= set(page.ids)
    assert not [
        name for _, attrs in page.elements for name in attrs if name.startswith("on") or name == "src"
    ]
    assert not re.search(r"@import|url\((?!#)|https?://(?!www\.w3\.org/)", text)
    pointed = {name for _, attrs in page.elements for name in attrs.get("data-h", "").split()}
    assert pointed <= set(page.ids)


def test_a_quote_and_its_place_link_to_each_other() -> None:
    page = _Page(_page_of("en-05"))
    to_text = {a["data-h"]: a["href"] for a in page.all("a") if a.get("data-h") and "class" not in a}
    back = {a["id"]: a["href"] for a in page.all("a", class_="at")}
    assert set(to_text) == set(back)
    for name, href in to_text.items():
        assert href == f"#{name}"
        assert back[name][1:] in page.ids


def test_overlapping_citations_have_lines_of_their_own() -> None:
    spans = (
        _span("expr", "past twenty days of return"),
        _span("windows", "twenty days"),
        _span("frequency", "Every day we take the past twenty"),
        _span("direction", "return, and losers win"),
    )
    document = _note("Every day we take the past twenty days of return, and losers win.")
    layout = lay_out(document, spans)
    runs = layout.pages[0].blocks[0].runs
    for run in runs:
        lanes = [item.lane for item in run.highlights]
        assert len(lanes) == len(set(lanes))
    assert [run.supports for run in runs if "twenty" in run.text] == ["windows, formula, frequency"]
    assert "".join(run.text for run in runs) == document.text
    assert [item.field for run in runs for item in run.begin] == ["frequency", "expr", "windows", "direction"]


def test_two_citations_of_one_field_share_a_line_and_a_place_that_both_quote() -> None:
    spans = (
        _span("expr", "the return of"),
        _span("expr", "return of twenty days"),
        _span("expr", "the return of"),
    )
    layout = lay_out(_note("We take the return of twenty days."), spans)
    assert {item.lane for item in layout.highlights} == {0}
    assert [item.spans for item in layout.highlights] == [(0, 2), (1,)]
    assert layout.quoted[0].places == layout.quoted[2].places


def test_a_quote_that_stands_everywhere_is_shown_at_its_first_places() -> None:
    text = "day " * 40
    quoted = lay_out(_note(text), (_span("frequency", "day"),)).quoted[0]
    assert len(quoted.places) == MOST_PLACES
    assert quoted.more == 40 - MOST_PLACES
    assert f"and {quoted.more} more places" in _made(text, _span("frequency", "day"))


def test_a_quote_of_nothing_but_the_bars_of_a_table_has_no_link() -> None:
    page = _Page(
        _made("| a | b |\n|---|---|\n| c | d |", _span("universe", "|---|---|"), _span("expr", "c | d"))
    )
    assert [tag["href"] for tag in page.all("a", class_="at")] == ["#q1"]


def test_numbers_say_what_they_were_taken_for() -> None:
    page = _page_of("zh-01")
    assert '<span class="num" data-n="= 20, 20 trading days, parameter">二十</span>' in page
    assert '<span class="num" data-n="name">300</span>' in page
    assert '<label for="numbers">' in page


def test_what_was_left_out_can_be_seen() -> None:
    page = _page_of("zh-04")
    assert 'id="left-out"' in page
    assert re.search(r'<p class="gap-line furniture">.*?repeated on pages: .*?多因子系列', page)
    assert 'id="left-out"' not in _page_of("en-03")


def test_a_page_full_of_invisible_characters_shows_the_first_of_them() -> None:
    page = _made("\u200b".join("We rank the return of twenty days. " * 12), _span("expr", "the return"))
    assert page.count('class="gap invisible"') == MOST_GAPS + 1
    assert "319 more on this page" in page


# -- hostile text --------------------------------------------------------------------------------------------

_ATTACK = "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}"


def test_everything_from_the_report_is_escaped(make_verdict: Callable[..., Verdict]) -> None:
    document = replace(_note(f"We rank {_ATTACK} returns."), name=_ATTACK)
    spans = (_span("expr", _ATTACK), _span("name", "not there " + _ATTACK))
    extraction = Extraction.found(
        _spec(spans, name=_ATTACK[:200]),
        "positive",
        target=_ATTACK,
        note=_ATTACK,
        candidates=(Candidate(_ATTACK, (1,), _ATTACK, True), Candidate("b", (1,), "c", False, MINUTE_DATA)),
    )
    reading = Reading(_ATTACK, _ATTACK, 0.01, 1.0)
    curve = Curve((CurvePoint(reading, "none", "weekly", None, _ATTACK),), 0, _ATTACK, _ATTACK)
    judged = make_verdict(_ATTACK)
    text = views.report_page(document, extraction, gate(document, extraction), curve, judged)
    page = _Page(text)
    assert Counter(tag for tag, _ in page.elements)["script"] == 1
    assert "<img" not in text
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    assert "{{ 7*7 }}" in text
    assert _bare(_ATTACK) in _bare(page.report)
    refused = Extraction.conflict(NO_FACTOR, note=_ATTACK, evidence=spans)
    assert "<img" not in views.report_page(document, refused, gate(document, refused))


def test_characters_without_a_glyph_are_written_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    page = _made(
        f"We rank the 20\u200b\u200b-day return \u202edaily\u202c.{hidden}",
        _span("expr", "the 20-day return"),
        note="left\u200fright\ud800",
        name="a\u202eb\u2028c",
    )
    assert not re.search("[\u200b\u200f\u202c\u202e\u2028\ud800\U000e0000-\U000e007f]", page)
    page.encode("utf-8")
    for shown in ("[U+200B \u00d72]", "[U+202E]", "[tag characters: obey]", "left[U+200F]right[U+D800]"):
        assert shown in page
    assert "a[U+202E]b[U+2028]c" in page
    assert "characters that reverse the order of the text" in page
    assert _bare(_Page(page).marked["s0"]) == _bare("the 20-day return")


def test_visible_leaves_ordinary_text_alone() -> None:
    text = "沪深300：二十日、α = 0.5 × β…\n\tnaïve 한국어 العربية"
    assert visible(text) == text
    assert visible("a\u00adb\ufe0f\u2800") == "a[U+00AD]b[U+FE0F][U+2800]"


# -- spec, refusal, contradiction ----------------------------------------------------------------------------


def test_an_admitted_spec_with_its_defaults() -> None:
    page = _page_of("en-03")
    assert '<span class="tag passed">admitted</span>' in page
    assert "close / ts_mean(close, 60)" in page.replace("<wbr>", "")
    assert "positive: a high value predicts a high return" in page
    for default in ("CSI300", "daily", "none", "weekly"):
        assert f"house default: {default}" in page
    assert page.count("not stated") == 4
    for sentence in CHECKS.values():
        assert sentence in page


def test_a_spec_that_is_not_admitted_says_why_in_words() -> None:
    page = _made("We rank the 20-day return daily.", _span("expr", "the 30-day return"))
    assert '<span class="tag rejected">not admitted</span>' in page
    assert "A citation does not resolve" in page
    assert "<code>extract.bad_citation</code>" in page
    assert '<span class="tag failed" lang="en">not in the text</span>' in page
    assert '<span class="tag failed">failed</span><div>Every quote stands in the text' in page


@pytest.mark.parametrize("case_id", ["zh-11", "zh-12"])
def test_a_formula_without_an_engine_says_what_stops_it(case_id: str) -> None:
    record = _GOLD[case_id]
    assert record.stated is not None
    document = read_document(record.report_path)
    extraction = Extraction.found(record.stated, record.direction)
    page = views.report_page(document, extraction, gate(document, extraction))
    assert "Does not run" in page
    assert record.reason is not None
    assert record.reason in page


def test_a_contradiction_shows_its_places_side_by_side() -> None:
    text = _page_of("en-06")
    sides = re.findall(r"<article.*?</article>", text, re.DOTALL)
    assert len(sides) == 2
    assert "windows, page 1" in sides[0]
    assert "the past 20 trading days</strong>" in sides[0]
    assert "windows, page 2" in sides[1]
    assert "60 trading days</strong>" in sides[1]
    assert '<span class="tag caution">conflict</span>' in text
    assert 'id="spec"' not in text
    assert "the gate had nothing to judge" in text


def test_a_refusal_shows_its_reason_and_what_it_rests_on() -> None:
    text = _page_of("en-13")
    assert '<span class="tag rejected">refused</span>' in text
    assert MINUTE_DATA.summary in text
    assert MINUTE_DATA.fix in text
    assert "What the refusal rests on" in text
    assert "We take one-minute bars" in text
    assert "What the refusal rests on" not in _page_of("zh-08")


def test_several_factors_are_offered_first() -> None:
    candidates = (
        Candidate("Low-to-close", (1,), "close over low", True),
        Candidate("VWAP slippage", (2, 3), "five-minute bars", False, MINUTE_DATA),
    )
    document, extraction, verdict = _of_gold("en-07-all", candidates=candidates)
    assert extraction.reason is SEVERAL_TARGETS
    page = views.report_page(document, extraction, verdict)
    assert page.index("Factors in the report") < page.index('id="text"')
    assert "--target NAME" in page
    assert MINUTE_DATA.summary in page
    assert '<a href="#page-2">2</a>, <a href="#page-3">3</a>' in page
    document, extraction, verdict = _of_gold("en-07-low", candidates=candidates)
    page = views.report_page(document, extraction, verdict)
    assert page.index("Factors in the report") > page.index('id="text"')
    assert "--target NAME" not in page


# -- readings and backtest -----------------------------------------------------------------------------------


def test_readings_are_ordered_by_their_figure_and_the_written_one_is_marked() -> None:
    page = _page_of("zh-01", readings=_READINGS, simulated=True)
    assert "3 readings: RankIC from -0.0520 to -0.0370, a spread of 0.0150. All have one sign." in page
    body = page[page.index('id="readings"') :]
    names = ["&lt;b&gt;rebalanced daily", "as written", "month: 20 bars as 22", "neutralised by industry"]
    places = [body.index(f"<bdi>{name}") for name in names]
    assert places == sorted(places)
    written = body[places[1] : places[2]]
    assert "the spec" in written
    assert "-0.0410" in written
    assert "-4.20" in written
    assert '<svg role="img" aria-label="RankIC of every reading' in body
    assert "Simulated data." in page


def test_a_curve_says_its_data_and_settings() -> None:
    points = tuple(CurvePoint(item, "industry_size", "weekly", 0.4) for item in _READINGS)
    page = _page_of("zh-01", readings=Curve(points, 7, "cn-2024", "csi300"), simulated=False)
    assert "Data: cn-2024, csi300 (real)" in page
    assert "7 more readings were not evaluated" in page
    assert page.count(">industry, size</td>") == 4
    assert "Simulated data." not in page


def test_a_sign_against_the_stated_direction_is_told() -> None:
    against = (Reading("as written", "x", 0.0036, 0.29),)
    page = _page_of("zh-01", readings=against)
    assert "is above zero on these data, against the negative direction that the text states" in page
    assert "on these data, against" not in _page_of("zh-01", readings=_READINGS)


def test_readings_of_unknown_origin_say_so() -> None:
    assert "whether simulated or real is not recorded" in _page_of("zh-01", readings=_READINGS)


def test_readings_that_disagree_or_are_alone() -> None:
    opposite = (_READINGS[0], Reading("b", "x", 0.02, 2.0))
    assert "They do not agree on the sign." in _page_of("zh-01", readings=opposite)
    assert "The text allows one reading that has a RankIC: -0.0410." in _page_of(
        "zh-01", readings=_READINGS[:1]
    )
    assert "No reading has a defined RankIC." in _page_of("zh-01", readings=_READINGS[3:])
    assert 'id="readings"' not in _page_of("zh-01")


def test_the_readings_of_the_verdict_are_shown_by_default() -> None:
    document, extraction, _ = _of_gold("zh-01")
    verdict = gate(document, extraction, readings=_READINGS)
    assert 'id="readings"' in views.report_page(document, extraction, verdict)


def test_the_chart_of_readings_draws_each_that_has_a_figure() -> None:
    axes = plot_readings(_READINGS, written=0).axes[0]
    drawn = [line.get_xdata() for line in axes.lines if line.get_marker() in ("o", "D")]
    values = [float(x[0]) for x in drawn if len(x)]
    assert values == [-0.041, -0.037, -0.052]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "2", "3", "4"]
    assert any(list(line.get_xdata()) == [0.0, 0.0] for line in axes.lines), "a line at zero"
    assert not plot_readings(_READINGS[3:]).axes[0].lines


def test_a_backtest_brings_the_charts_of_the_tear_sheet(verdict: Verdict) -> None:
    text = _page_of("zh-01", judged=verdict)
    assert "Simulated data." in text
    page = _Page(text)
    assert len(page.all("svg")) == 12
    assert len(page.ids) == len(set(page.ids))
    for shown in (verdict.decision.sentence, verdict.data.sha256, "After cost", "18.2 x a year"):
        assert shown in text
    real = replace(verdict, data=replace(verdict.data, simulated=False, source="table"))
    assert "Simulated data." not in _page_of("zh-01", judged=real)
    assert "Simulated data." not in _page_of("en-06", simulated=True), "no figures, no warning about them"


@pytest.mark.parametrize(
    ("formula", "told"),
    [("-ts_return(close, 20)", True), ("ts_return(close, 20)", False), ("-ts_return(close, 21)", False)],
)
def test_a_sign_that_was_turned_is_told_at_the_backtest(verdict: Verdict, formula: str, told: bool) -> None:
    parsed = parse(formula)
    identity = replace(
        verdict.identity, text=formula, fingerprint=parsed.fingerprint, signature=parsed.signature
    )
    page = _page_of("zh-01", judged=replace(verdict, identity=identity), readings=_READINGS)
    card = page[page.index('id="backtest-h"') : page.index('<div class="tiles">')]
    assert ("judged with its sign turned" in card) is told
    assert ("the other sign here than among the readings" in card) is told
    alone = _page_of("zh-01", judged=replace(verdict, identity=identity))
    assert ("than of the formula as written" in alone) is told


def test_a_backtest_that_was_refused_says_why() -> None:
    error = DataError("no members <b>", where="universe")
    none = Verdicts(
        [], batch=BatchStatistics(0, (), (), float("nan"), 0, ""), refused=[Refused("f", "x", error)]
    )
    page = _page_of("zh-01", judged=none)
    assert "Not judged: <bdi>no members &lt;b&gt;</bdi>" in page


def test_equal_arguments_give_equal_bytes() -> None:
    assert _page_of("zh-01", readings=_READINGS) == _page_of("zh-01", readings=_READINGS)


# -- reach: labels, contrast, other documents ----------------------------------------------------------------


def test_controls_and_regions_have_names() -> None:
    page = _Page(_page_of("zh-09", readings=_READINGS))
    labels = {attrs["for"] for attrs in page.all("label")}
    assert {attrs["id"] for attrs in page.all("input")} == labels
    for attrs in (
        *page.all("nav"),
        *page.all("svg"),
        *page.all("div", role="region"),
        *page.all("a", class_="at"),
    ):
        assert attrs["aria-label"]
    for attrs in page.all("section"):
        assert attrs["aria-labelledby"] in page.ids
    assert page.all("html")[0]["lang"] == "en"
    assert page.all("div", class_="pages")[0]["lang"] == "zh-Hans"
    assert {attrs["scope"] for attrs in page.all("th")} <= {"col", "row"}
    assert [tag for tag, _ in page.elements].count("h1") == 1


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_have_contrast(theme: int) -> None:
    base, own = _variables("style.css", theme), _variables("report.css", theme)
    page, ink = base["page"], base["ink"]
    for name in FIELDS:
        colour = own[f"f-{name}"]
        assert _contrast(colour, page) >= 3, f"the line of {name}"
        for share in (0.12, 0.20, 0.34):
            assert _contrast(ink, _mixed(colour, page, share)) >= 4.5, f"text on the tint of {name}"
    assert len({own[f"f-{name}"] for name in FIELDS}) == len(FIELDS)
    assert len({words.tag for words in FIELDS.values()}) == len(FIELDS)


def _variables(name: str, theme: int) -> dict[str, str]:
    """The colours of a style sheet; those of its dark theme replace the light ones."""
    text = (files("assay.views") / "templates" / name).read_text(encoding="utf-8")
    light, dark = text.split("prefers-color-scheme: dark", 1)
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light))
    return found | dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark)) if theme else found


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _mixed(colour: str, ground: str, share: float) -> str:
    mixed = [
        round(share * a + (1 - share) * b) for a, b in zip(_channels(colour), _channels(ground), strict=True)
    ]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""

    def light(colour: str) -> float:
        parts = [value / 255 for value in _channels(colour)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(a), light(b)))
    return (high + 0.05) / (low + 0.05)


def test_a_page_without_text_is_there_and_says_so() -> None:
    document = _note("one\n\ftwo")
    extraction = Extraction.refused(NO_FACTOR)
    empty = replace(document, pages=(*document.pages, replace(document.pages[0], number=3, text="")))
    page = views.report_page(empty, extraction, gate(empty, extraction))
    assert 'id="page-3"' in page
    assert page.count("This page has no text.") == 1


# -- in a browser --------------------------------------------------------------------------------------------

_CHROMIUM = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright (extra dev) is not installed")
    if _CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=_CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, verdict: Verdict) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("report-pages")
    hostile = _made(
        "a" * 400 + " <b> " + "\u202e\u200b" * 50 + " | x |", _span("expr", "a" * 300), name="n" * 200
    )
    made = {
        "spec": _page_of("zh-09", readings=_READINGS, judged=verdict),
        "english": _page_of("en-05", readings=_READINGS),
        "conflict": _page_of("en-06"),
        "refused": _page_of("en-13"),
        "hostile": hostile,
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


class _Opened:
    def __init__(
        self, browser: Any, path: Path, width: int = 1240, scheme: Literal["light", "dark"] = "light"
    ) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def close(self) -> None:
        """Nothing was said and nothing was asked for."""
        assert self.said == []
        assert [url for url in self.asked if not url.startswith(("file:", "data:"))] == []
        self.page.close()


@pytest.mark.parametrize("name", ["spec", "english", "conflict", "refused", "hostile"])
@pytest.mark.parametrize("width", [400, 1240])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_and_fit(
    browser: Any, written: dict[str, Path], name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    opened = _Opened(browser, written[name], width, scheme)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


@pytest.mark.parametrize("width", [400, 1240])
def test_a_click_leads_to_the_words_and_back(browser: Any, written: dict[str, Path], width: int) -> None:
    opened = _Opened(browser, written["spec"], width)
    page = opened.page
    link = page.locator("tr[data-field=rebalance] .quote a").first
    name = link.get_attribute("data-h")
    link.click()
    tag, mark = page.locator(f"#{name}"), page.locator(f"mark[data-h~={name}]").first
    assert page.evaluate("document.activeElement.id") == name
    assert mark.evaluate("e => e.classList.contains('lit')")
    assert _in_view(mark)
    page.keyboard.press("Enter")  # the tag has the focus, and leads back
    quote = page.locator(tag.get_attribute("href"))
    assert page.evaluate("document.activeElement.id") == quote.get_attribute("id")
    assert _in_view(quote)
    mark.click()
    assert page.evaluate("location.hash") == tag.get_attribute("href")
    opened.close()


def _in_view(element: Any) -> bool:
    shown: bool = element.evaluate(
        "e => { const box = e.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"
    )
    return shown


def test_the_pointer_and_the_keyboard_show_what_words_support(browser: Any, written: dict[str, Path]) -> None:
    opened = _Opened(browser, written["spec"])
    page = opened.page
    mark = page.locator("mark").first
    mark.hover()
    assert page.locator("#hint").inner_text() == f"Supports: {mark.get_attribute('title')}"
    assert page.locator("tr.lit").count() == 1
    page.locator("h1").hover()
    assert page.locator("#hint").inner_text() == ""
    page.locator("a.at").nth(2).focus()
    assert page.locator("tr.lit").count() == 1
    assert page.locator("mark.lit").count() >= 1
    opened.close()


def test_numbers_and_gaps_show_on_demand(browser: Any, written: dict[str, Path]) -> None:
    opened = _Opened(browser, written["spec"])
    page = opened.page
    content = "e => getComputedStyle(e, '::after').content"
    number = page.locator(".num[data-n]").first
    assert number.evaluate(content) == "none"
    page.get_by_label("Explain numbers").check()
    assert number.evaluate(content) != "none"
    gap = page.locator(".gap.furniture").first
    assert not gap.is_visible()
    page.get_by_label("Show what was left out").check()
    assert gap.is_visible()
    opened.close()


def test_print_shows_all_of_the_text(browser: Any, written: dict[str, Path]) -> None:
    opened = _Opened(browser, written["spec"])
    opened.page.emulate_media(media="print")
    sizes = opened.page.locator(".pages").evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert sizes[0] <= sizes[1] + 1
    opened.close()
