"""The page of a campaign: all its parts, escaped, quiet in a browser, usable with thousands of rows."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from assay import views
from assay.campaign import (
    CampaignReport,
    Candidate,
    Direction,
    Funnel,
    NoiseRow,
    OutOfSample,
    RoleCost,
    Stop,
    TrialPoint,
    TrialRecord,
    ZooFactor,
    trial_id,
)
from assay.campaign._lineage import lineages
from assay.campaign._report_types import (
    GateAttempt,
    MechanismRow,
    MemoryVersion,
    RefusalRow,
    RoundRow,
    ZooCorrelations,
)
from assay.views._campaign_charts import plot_ic_against_n
from assay.views._campaign_lineage import lineage_graph
from assay.views._campaign_table import least_counted, table_json

MECHANISMS = ("momentum", "reversal")
DAYS = np.arange("2018-01-02", "2018-07-02", dtype="datetime64[D]")
EVIL = "</script><script>alert(1)</script><!-- \u2028 \u202e <b>x</b>"


def _trial(number: int, slot: int, parent: str | None, **changes: Any) -> TrialRecord:
    rank_ic = 0.01 * ((7 * number + 3 * slot) % 9 - 4)
    made = TrialRecord(
        id=trial_id(number, slot),
        round=number,
        slot=slot,
        direction=Direction(
            slot, MECHANISMS[slot % 2], "new" if parent is None else "refinement", "idea & more", parent
        ),
        candidate=Candidate(
            slot, "f", f"ts_mean(returns, {number + slot})", "it <goes> on", "a mean of `returns`"
        ),
        outcome="rejected",
        reason="admission.t",
        detail="0.50 |t|; at least 3",
        fingerprint=f"{number:012d}{slot:012d}",
        figures={"rank_ic": rank_ic, "neutral_rank_ic": rank_ic / 2, "t": 100 * rank_ic, "coverage": 0.9},
        checks=({"name": "t", "outcome": "failed", "value": 0.5, "threshold": 3.0, "detail": "0.5"},),
    )
    return replace(made, **changes)


def _report(rounds: int = 4, slots: int = 6, **changes: Any) -> CampaignReport:
    trials = []
    for number in range(1, rounds + 1):
        for slot in range(slots):
            parent = trial_id(number - 1, slot) if number > 1 and slot < 3 else None
            ended: dict[str, Any] = {}
            if slot == 0 and number % 2 == 0:
                ended = {"outcome": "admitted", "reason": "", "detail": ""}
            if slot == 5:
                ended = {"outcome": "gate_refused", "reason": "candidate.constant", "figures": {}}
            trials.append(_trial(number, slot, parent, **ended))
    return _of_trials(tuple(trials), slots, **changes)


def _of_trials(trials: tuple[TrialRecord, ...], slots: int, **changes: Any) -> CampaignReport:
    known = lineages(trials)
    rng = np.random.default_rng(3)
    zoo = tuple(
        ZooFactor(
            trial=trial,
            lineage=known[trial.id],
            n=slots * trial.round,
            figures={**trial.figures, "net_excess": 0.02, "ir": 0.5, "turnover": 12.0},
            folds=(0.01, 0.02),
            neutral_folds=(0.0, None),
            days=DAYS,
            excess=rng.normal(0, 0.01, len(DAYS)),
            attempts=(
                GateAttempt("sign(close)", False, "candidate.constant", "constant"),
                GateAttempt("close", True, "", ""),
            ),
        )
        for trial in trials
        if trial.admitted
    )
    rounds = max(trial.round for trial in trials)
    matrix = np.eye(len(zoo)) if zoo else np.empty((0, 0))
    made = CampaignReport(
        run="c-1",
        state="finished",
        stop=Stop("max_rounds", "the limit is 4"),
        operator="system",
        data="sim",
        universe=None,
        horizon=10,
        simulated=True,
        started="2020-01-01T00:00:00+00:00",
        ended="2020-01-01T01:02:03+00:00",
        seconds=3723.0,
        n=slots * rounds,
        config={"seed": 0, "mechanisms": [["momentum", "goes on"]], "universe": None},
        inputs={"data:sim": "ab" * 32},
        commits=("assay 1",),
        digest="cd" * 32,
        funnel=Funnel.of(trials),
        rounds=(
            *(
                RoundRow(
                    number,
                    Funnel.of([trial for trial in trials if trial.round == number]),
                    dict.fromkeys(MECHANISMS, slots // 2),
                    slots * number,
                )
                for number in range(1, rounds + 1)
            ),
            RoundRow(rounds + 1, Funnel(), {}, None, "provider_quota: <no> money"),
        ),
        mechanisms=tuple(
            MechanismRow(name, Funnel.of([trial for trial in trials if trial.mechanism == name]), 3.5)
            for name in MECHANISMS
        ),
        trials=trials,
        points=tuple(
            TrialPoint(
                trial.id,
                slots * trial.round,
                trial.figures.get("rank_ic"),
                trial.figures.get("t"),
                trial.admitted,
                trial.slot == 4,
                0.04,
                2.5,
            )
            for trial in trials
            if trial.evaluated
        ),
        zoo=zoo,
        correlations=ZooCorrelations(tuple(factor.trial.id for factor in zoo), matrix),
        lineages=known,
        refusals=(RefusalRow("gate", "candidate.constant", 9, 4, "sign(close)", "it does not differ"),),
        memory=(MemoryVersion(2, "old <memory>"), MemoryVersion(4, "new memory")),
        costs=(RoleCost("planner", 5, 1, 1000, 10, 200, 0.25, 2, 1, 61.0),),
    )
    return replace(made, **changes)


class _Page(HTMLParser):
    """Elements with attributes, and the text outside of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._skipped = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag in ("script", "style"):
            self._skipped = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipped:
            self._skipped = ""

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.text += " ".join(data.split()) + " "

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.elements if "id" in attrs]


def test_the_page_has_every_part() -> None:
    noise = (
        NoiseRow("this run", 1, 100, 4, 4.0, 1.1, 9.9),
        NoiseRow("twin: simulated", 2, 200, 1, 0.5, 0.01, 2.75),
    )
    seen = {"r02-s00": OutOfSample(0.0123, 0.0045, 1.5)}
    page = _Page(views.campaign_report(_report(noise=noise, out_of_sample=seen)))
    parts = ["funnel", "growth", "trials", "lineage", "zoo", "refusals", "noise", "memory", "rounds", "costs"]
    assert [name for name in parts if name not in page.ids] == []
    assert len(page.ids) == len(set(page.ids))
    assert {"f-r02-s00", "f-r04-s00"} <= set(page.ids)
    for told in (
        "Simulated data.", "the limit is 4", "twin: simulated", "0.01 to 2.75", "0.0123", "new memory",
        "old <memory>", "candidate.constant", "it does not differ", "provider_quota: <no> money",
        "0.2500 + 2 unpriced", "1 h 02 min", "cd" * 32,
    ):  # fmt: skip
        assert told in page.text, told
    links = {attrs["href"] for tag, attrs in page.elements if tag == "a" and "href" in attrs}
    assert {link[1:] for link in links} <= set(page.ids)


def test_the_page_of_a_run_that_has_just_begun() -> None:
    empty = replace(
        _report(),
        state="open", stop=None, funnel=Funnel(), rounds=(), mechanisms=(), trials=(), points=(), zoo=(),
        correlations=ZooCorrelations((), np.empty((0, 0))), lineages={}, refusals=(), memory=(), costs=(),
        n=None, simulated=None,
    )  # fmt: skip
    page = _Page(views.campaign_report(empty))
    assert "going on, or was killed" in page.text
    assert "No model was asked" in page.text
    assert "whether simulated is not known" in page.text
    assert {"lineage", "zoo", "noise", "memory"} & set(page.ids) == set()


def test_it_loads_nothing_and_everything_that_a_model_wrote_is_text() -> None:
    report = _report()
    candidate = Candidate(0, EVIL, "ts_mean(returns, 5)", EVIL, EVIL)
    direction = replace(report.trials[6].direction, text=EVIL)
    spoilt = replace(report.trials[6], candidate=candidate, detail=EVIL, direction=direction)
    trials = tuple(spoilt if trial is report.trials[6] else trial for trial in report.trials)
    text = views.campaign_report(_of_trials(trials, 6, memory=(MemoryVersion(2, EVIL),)))
    assert "<script>alert" not in text
    assert "<b>x</b>" not in text
    assert "\u202e" not in text
    assert "\u2028" not in text
    page = _Page(text)
    assert [tag for tag, _ in page.elements].count("script") == 2
    outside = [v for _, attrs in page.elements for k, v in attrs.items() if k in ("src", "href")]
    assert [value for value in outside if not value.startswith(("#", "data:"))] == []


def test_the_rows_of_the_table_are_whole_and_each_text_is_written_once() -> None:
    report = _report()
    data = json.loads(table_json(report.trials))
    assert len(data["rows"]) == len(report.trials)
    assert len(data["texts"]) == len(set(data["texts"]))
    first, trial = data["rows"][1], report.trials[1]
    assert first[0] == trial.id
    assert data["texts"][first[1]] == trial.mechanism
    assert first[7][0] == trial.figures["rank_ic"]
    assert data["rows"][5][7] == [None] * 6


def test_the_table_grows_by_little_for_each_trial() -> None:
    report = _report(rounds=200, slots=10)
    assert len(table_json(report.trials)) < 250 * len(report.trials)


def test_lineage_shows_the_lines_that_led_to_admissions() -> None:
    graph = lineage_graph(_report())
    assert graph is not None
    assert {node.trial.id for node in graph.nodes} == {"r01-s00", "r02-s00", "r03-s00", "r04-s00"}
    assert len(graph.edges) == 3
    assert [number for number, _ in graph.rounds] == [1, 2, 3, 4]
    across = [node.x for node in sorted(graph.nodes, key=lambda node: node.trial.round)]
    assert across == sorted(set(across))
    assert lineage_graph(replace(_report(), zoo=())) is None


def test_lineage_counts_what_led_to_nothing_and_keeps_rows_apart() -> None:
    base = _report()
    more = _trial(4, 9, "r03-s00")
    other = _trial(4, 8, "r03-s00", outcome="admitted")
    graph = lineage_graph(_of_trials((*base.trials, more, other), 6))
    assert graph is not None
    counted = {node.trial.id: node.more for node in graph.nodes}
    assert counted["r03-s00"] == 1
    assert counted["r01-s00"] == 0
    leaves = [node.y for node in graph.nodes if node.trial.id in ("r04-s00", "r04-s08")]
    assert len(set(leaves)) == 2
    assert all(0 < node.x < graph.width and 0 < node.y < graph.height for node in graph.nodes)


def test_an_id_stands_over_its_dot_where_nothing_else_does() -> None:
    graph = lineage_graph(_report())
    assert graph is not None
    assert all(node.labelled for node in graph.nodes)
    rounds = 60  # too many for an id over each dot
    line = [
        _trial(number, 0, trial_id(number - 1, 0) if number > 1 else None, outcome="admitted")
        for number in range(1, rounds + 1)
    ]
    close = lineage_graph(_of_trials(tuple(line), 1))
    assert close is not None
    written = sorted(node.x for node in close.nodes if node.labelled)
    assert 1 < len(written) < rounds
    assert min(b - a for a, b in pairwise(written)) >= 40


def test_each_dot_has_a_name_and_a_tooltip() -> None:
    base = _report()
    hidden = replace(base.trials[6], candidate=Candidate(0, "f", "close\u202e < open", "", ""))
    trials = tuple(hidden if trial.id == hidden.id else trial for trial in base.trials)
    text = views.campaign_report(_of_trials(trials, 6))
    names = [
        attrs["aria-label"] for tag, attrs in _Page(text).elements if tag == "a" and "aria-label" in attrs
    ]
    assert sorted(names) == [
        "r01-s00, rejected", "r02-s00, admitted", "r03-s00, rejected", "r04-s00, admitted",
    ]  # fmt: skip
    assert "<title>r02-s00, admitted, momentum, t 1.00: close[U+202E] &lt; open</title>" in text
    assert len(re.findall(r'<text class="id"[^>]*>r0[1-4]-s00</text>', text)) == 4


def test_the_least_n_of_the_rule_is_told_where_it_is_counted() -> None:
    told = "after 100 trials (an N below 100 counts as 100); at most 0.05"
    assert least_counted("0.2 p after 100 trials; at most 0.05", 100) == f"0.2 p {told}"
    for own in ("0.2 p after 101 trials; at most 0.05", "0.2 p after 1000 trials; at most 0.05"):
        assert least_counted(own, 100) == own
    base = _report()
    detail = "0.0006 p of RankIC and payoff after 100 trials; at most 0.05"
    check = {"name": "deflated", "outcome": "passed", "value": 0.0006, "threshold": 0.05, "detail": detail}
    trials = tuple(replace(trial, checks=(check,), detail=detail) for trial in base.trials)
    found = views.campaign_report(_of_trials(trials, 6, config={"admission.least_n": 100}))
    page = _Page(found)
    assert page.text.count(f"payoff {told}") == 2, "on the page of each admitted factor"
    rows = json.loads(table_json(trials, 100))["rows"]
    assert rows[0][-1].endswith(told)
    assert "counts as" not in views.campaign_report(_of_trials(trials, 6))


def test_words_between_backticks_are_code() -> None:
    base = _report()
    direction = replace(base.trials[6].direction, text="of the form `ts_mean(<x>, w)`, 5` wide")
    trials = tuple(replace(t, direction=direction) if t is base.trials[6] else t for t in base.trials)
    text = views.campaign_report(_of_trials(trials, 6))
    assert "<bdi>of the form <code>ts_mean(&lt;x&gt;, w)</code>, 5` wide</bdi>" in text


def test_the_versions_of_the_program_and_of_its_source_are_told_apart() -> None:
    page = _Page(views.campaign_report(_report(commits=("assay 1", "commit abcd"))))
    assert "version of the program assay 1 " in page.text
    assert "commit of the source abcd " in page.text


def test_many_families_are_cut_off_and_told() -> None:
    trials = tuple(
        _trial(number, slot, None if number == 1 else trial_id(number - 1, slot), outcome="admitted")
        for number in (1, 2, 3)
        for slot in range(200)
    )
    graph = lineage_graph(_of_trials(trials, 200))
    assert graph is not None
    assert len(graph.nodes) <= 400
    assert graph.families + graph.left_out == 200


def test_the_chart_leaves_out_sparse_trials_and_marks_what_was_seen_later() -> None:
    report = _report()
    (trial,) = (point for point in report.points if point.trial == "r02-s00")
    turned = -0.02 if trial.rank_ic > 0 else 0.02
    report = _report(out_of_sample={"r02-s00": OutOfSample(turned)})
    upper, lower = plot_ic_against_n(report).axes
    names = [text for _, text in zip(*upper.get_legend_handles_labels(), strict=True)]
    assert names == ["trial", "admitted", "best so far", "out of sample"]
    drawn = {line.get_label(): line for line in upper.get_lines()}
    assert len(drawn["trial"].get_xdata()) + len(drawn["admitted"].get_xdata()) == 16
    assert list(drawn["out of sample"].get_ydata()) == [-0.02]  # its direction did not hold
    assert upper.get_ylim()[0] < -0.02
    assert "best of N by luck" in [line.get_label() for line in lower.get_lines()]
    assert plot_ic_against_n(replace(report, points=())).axes


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
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a campaign of 5,000 slots."""
    path = tmp_path_factory.mktemp("campaign") / "page.html"
    path.write_text(views.campaign_report(_report(rounds=500, slots=10)), encoding="utf-8")
    return path


def _open(browser: Any, path: Path, width: int = 1240, scheme: Literal["light", "dark"] = "light") -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(path.as_uri())
    return page


def _column(page: Any, number: int) -> list[str]:
    cells = page.locator(f"#ranked tbody tr:not(.particulars) td:nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


@pytest.mark.parametrize(("width", "rows"), [(1240, [7]), (900, [4, 3])])
def test_no_tile_stands_alone_in_its_row(browser: Any, page_file: Path, width: int, rows: list[int]) -> None:
    page = _open(browser, page_file, width)
    head = page.locator(".tiles").first
    tops = head.evaluate("head => [...head.children].map(tile => tile.offsetTop)")
    page.close()
    assert [tops.count(top) for top in dict.fromkeys(tops)] == rows


@pytest.mark.parametrize("width", [390, 1240])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet_and_fits(
    browser: Any, page_file: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = _open(browser, page_file, width, scheme)
    assert page.said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_table_sorts_filters_and_turns_pages(browser: Any, page_file: Path) -> None:
    page = _open(browser, page_file)
    assert len(_column(page, 1)) == 100
    strengths = [abs(float(text)) for text in _column(page, 8)]
    assert strengths == sorted(strengths, reverse=True)
    page.locator("#ranked thead th button", has_text="RankIC").click()
    values = [float(text) for text in _column(page, 6)]
    assert values == sorted(values, reverse=True)
    page.locator("#ranked thead th button", has_text="trial").click()
    assert _column(page, 1)[0] == "r01-s00"
    page.locator("#after").click()
    assert _column(page, 1)[0] == "r11-s00"
    page.locator("#outcome").select_option("admitted")
    assert set(_column(page, 5)) == {"admitted"}
    assert page.locator("#shown").inner_text() == "250 of 5,000 slots"
    page.locator("#find").fill("r100- refinement")
    assert page.locator("#shown").inner_text() == "0 of 5,000 slots"
    page.locator("#find").fill("r100-s00")
    page.locator("#least").fill("0.5")
    assert all(name.startswith(("r100-s00", "r101-s00")) for name in _column(page, 1))
    page.locator(".filters button").click()
    page.locator("#shown", has_text=re.compile(r"^5,000 slots$")).wait_for()
    assert page.said == []
    page.close()


def test_a_row_opens_and_links_lead_to_trials_and_factors(browser: Any, page_file: Path) -> None:
    page = _open(browser, page_file)
    page.locator("#ranked tbody button").first.click()
    assert "why it should work" in page.locator("tr.particulars").inner_text()
    assert page.locator("tr.particulars code").first.inner_text() == "returns"
    page.locator("#ranked tbody button").first.click()
    assert page.locator("tr.particulars").count() == 0
    page.evaluate("location.hash = '#f-r100-s00'")
    page.locator("#f-r100-s00[open]").wait_for()
    page.locator("#f-r100-s00 a[data-find]").first.click()
    page.locator("tr.particulars").wait_for()
    assert "r99-s00" in _column(page, 1)
    assert page.said == []
    page.close()


def test_without_a_script_the_strongest_are_there(browser: Any, page_file: Path) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(page_file.as_uri())
    assert len(_column(page, 1)) == 100
    assert not page.locator("#find").is_visible()
    page.close()


def test_no_hidden_date_is_on_the_page() -> None:
    seen = {"r02-s00": OutOfSample(0.01, 0.0, 1.0)}
    text = views.campaign_report(_report(out_of_sample=seen))
    years = set(re.findall(r"\b20(?:19|2[1-9])\b", text))
    assert years == set()
