"""Produced pages in a real browser: they load nothing, fit a phone, and their table sorts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from assay import views
from assay.judge import Verdict, Verdicts

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright (extra dev) is not installed")

_CHROMIUM = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if _CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=_CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, verdict: Verdict, verdicts: Verdicts) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "sheet": views.tear_sheet(verdict),
        "report": views.batch_report(verdicts, title="Report", marks={"planted_1": "planted"}, sheets=1),
    }
    for name, content in made.items():
        (folder / f"{name}.html").write_text(content, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


class _Opened:
    def __init__(self, browser: Any, path: Path, width: int, scheme: Literal["light", "dark"]) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def column(self, number: int) -> list[str]:
        cells = self.page.locator(f"#ranked tbody tr td:nth-child({number})")
        return [text.strip() for text in cells.all_inner_texts()]


@pytest.mark.parametrize("name", ["sheet", "report"])
@pytest.mark.parametrize("width", [390, 1240])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_and_fit(
    browser: Any, pages: dict[str, Path], name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    opened = _Opened(browser, pages[name], width, scheme)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.close()


def test_dark_mode_is_dark_and_readable(browser: Any, pages: dict[str, Path]) -> None:
    brightness = """(property) => {
        const element = property === "color" ? document.querySelector("svg text") : document.body;
        const style = getComputedStyle(element);
        const value = property === "color" ? style.fill : style.backgroundColor;
        return value.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
    }"""
    found = {}
    for scheme in ("light", "dark"):
        opened = _Opened(browser, pages["sheet"], 1240, scheme)  # type: ignore[arg-type]
        found[scheme] = (opened.page.evaluate(brightness, "page"), opened.page.evaluate(brightness, "color"))
        opened.page.close()
    page, text = found["light"]
    assert page - text > 100
    page, text = found["dark"]
    assert text - page > 100


def test_table_sorts_in_dark_mode(browser: Any, pages: dict[str, Path]) -> None:
    opened = _Opened(browser, pages["report"], 1240, "dark")
    head = opened.page.locator("#ranked thead th", has_text="RankIC").first
    number = 1 + head.evaluate("cell => cell.cellIndex")
    head.locator("button").click()
    down = [float(text) for text in opened.column(number)]
    assert down == sorted(down, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").click()
    assert opened.column(number) == list(reversed([f"{value:.4f}" for value in down]))
    opened.page.locator("#ranked thead th button").nth(1).click()
    names = [text.lower() for text in opened.column(2)]
    assert names == sorted(names)
    assert opened.said == []
    opened.page.close()
