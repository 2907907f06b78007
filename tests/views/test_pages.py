from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from assay import views
from assay.judge import SUMMARY, BatchStatistics, Verdict, Verdicts
from assay.views._sheet import flattened

_ATTACK = "<img src=x onerror=alert(1)>{{ 7*7 }}"


class _Links(HTMLParser):
    """Everything a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action") and value and not value.startswith("#"):
                self.loaded.append(value)
            if name == "id" and value:
                self.ids.append(value)
            if name.startswith("on"):
                self.handlers.append(name)


def _parsed(page: str) -> _Links:
    links = _Links()
    links.feed(page)
    return links


@pytest.fixture(scope="module")
def sheet(verdict: Verdict) -> str:
    return views.tear_sheet(verdict)


@pytest.fixture(scope="module")
def report(verdicts: Verdicts) -> str:
    return views.batch_report(
        verdicts, title="Three factors", notes=["A note."], marks={"planted_1": "planted"}, sheets=2
    )


def test_pages_load_nothing(sheet: str, report: str) -> None:
    for page in (sheet, report):
        links = _parsed(page)
        assert links.loaded == ["data:,"]
        assert not links.handlers
        assert "@import" not in page
        assert not re.search(r"url\((?!#)", page)
        assert len(links.ids) == len(set(links.ids))


def test_only_the_report_has_a_script(sheet: str, report: str) -> None:
    assert _parsed(sheet).tags.count("script") == 0
    assert _parsed(report).tags.count("script") == 1


def test_sheet_shows_what_was_judged(sheet: str, verdict: Verdict) -> None:
    text = html.unescape(sheet)
    assert "Simulated data." in text
    assert verdict.name in text
    assert verdict.decision.sentence in text
    assert "signal of t from rows up to t-1; traded at the close of t+1; label over 5 bars" in text
    assert "unrecorded, N unknown" in text
    assert str(verdict.data.first_signal) in text
    assert "csi300" in text
    assert verdict.data.sha256 in text
    assert str(verdict.certificate["content_hash"]) in text
    for column in SUMMARY:
        assert column.description in text or column.key == "t_lags"
    for check in verdict.leaks:
        assert check.name in text
    for key, _ in flattened(verdict.settings.to_dict()):
        assert key in text
    assert _parsed(sheet).tags.count("svg") == 12


def test_real_data_is_not_called_simulated(verdict: Verdict) -> None:
    from dataclasses import replace

    page = views.tear_sheet(replace(verdict, data=replace(verdict.data, simulated=False, source="table")))
    assert "Simulated data." not in page
    assert "(real; source: table)" in page


def test_a_verdict_without_values_has_a_page(empty_verdict: Verdict) -> None:
    page = views.tear_sheet(empty_verdict)
    assert "Undefined: no day has enough names" in page
    assert "too few names with values to form groups" in page


def test_everything_given_is_escaped(make_verdict: Callable[..., Verdict]) -> None:
    from dataclasses import replace

    plain = make_verdict(_ATTACK)
    dressed = replace(
        plain,
        warnings=(_ATTACK,),
        data=replace(plain.data, panel=_ATTACK, source=_ATTACK, universe=_ATTACK, record=_ATTACK),
        decision=replace(plain.decision, sentence=_ATTACK),
        certificate={"content_hash": _ATTACK, "body": _ATTACK},
    )
    page = views.tear_sheet(dressed)
    assert "<img" not in page
    assert "{{ 7*7 }}" in page
    assert "49" not in re.findall(r"onerror=alert\(1\)&gt;(\w+)", page)


def test_report_ranks_by_absolute_t(report: str, verdicts: Verdicts) -> None:
    places = [report.index(html.escape(str(row["name"]))) for row in verdicts.rows(by="t")]
    assert places == sorted(places)
    assert "&lt;script&gt;alert(1)" in report
    assert '<span class="tag mark">planted</span>' in report
    assert "A note." in report
    assert "2 of 3 judged factors passed." in report
    assert "Probability of backtest overfitting: 0.20 over 70 splits." in report


def test_report_names_the_refused(verdicts: Verdicts) -> None:
    from assay.errors import DataError
    from assay.judge import Refused

    error = DataError("no such field <b>", fix="use close")
    batch = Verdicts(list(verdicts), batch=verdicts.batch, refused=[Refused("x", "x + y", error)])
    page = views.batch_report(batch, title="t", sheets=0)
    assert "no such field &lt;b&gt;" in page
    assert "use close" in page


def test_same_verdict_same_bytes(verdict: Verdict, sheet: str) -> None:
    assert views.tear_sheet(verdict) == sheet


def test_marks_of_a_pass_are_on_the_page(make_verdict: Callable[..., Verdict]) -> None:
    from dataclasses import replace

    plain = make_verdict()
    odd = replace(plain, summary={**plain.summary, "rank_ic": -0.03, "net_excess": -0.1})
    batch = Verdicts([odd], batch=BatchStatistics(1, (0.01,), (0.01,), float("nan"), 0, ""))
    for page in (views.tear_sheet(odd), views.batch_report(batch, title="t", sheets=0)):
        assert '<span class="tag caution">passed (\u2212)</span>' in page
        assert '<span class="tag caution">no net gain</span>' in page
        assert "no net gain: after cost the book earns less than its benchmark" in page
    assert '<span class="tag caution">' not in views.tear_sheet(plain)


def test_costs_and_the_meaning_of_figures_are_on_the_page(sheet: str, report: str) -> None:
    for page in (sheet, report):
        assert "5 bp buying, 15 bp selling" in page
    assert "<small>mean daily Spearman correlation of signal and label</small>" in sheet
    assert "18.2 x a year" in sheet
    assert "no DSR: N unknown" in sheet
    assert "value (log scale)" in sheet
