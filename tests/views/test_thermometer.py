"""The page of the thermometer: what it says, that nothing in it is markup, and how it stands in a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest

from assay import views
from assay.thermometer import (
    ComponentSeries,
    PrintStore,
    StoredPrint,
    make_print,
    month_ends,
    simulated_components,
)

from .test_browser import _Opened, browser

__all__ = ["browser"]  # a fixture


def stored(folder: Path, days: tuple[date, ...], series: tuple[ComponentSeries, ...]) -> list[StoredPrint]:
    store = PrintStore(folder)
    for day in days:
        store.add(make_print(series, day))
    return list(store.standing())


@pytest.fixture(scope="module")
def prints(tmp_path_factory: pytest.TempPathFactory) -> list[StoredPrint]:
    days = month_ends(date(2018, 1, 1), date(2020, 6, 30))
    return stored(tmp_path_factory.mktemp("prints"), days, simulated_components())


def test_the_page_tells_the_last_print_and_that_it_is_simulated(prints: list[StoredPrint]) -> None:
    page = views.thermometer_page(prints)
    last = prints[-1]
    for said in (
        "Thermometer as of 2020-06-30",
        "Simulated components.",
        last.print.verdict.capitalize(),
        f"<b>{last.print.heat:.1f}</b>",
        last.name,
        last.print.methodology_hash,
        "30, from 2018-01-31",
        *(item.name for item in last.print.components),
    ):
        assert said in page, said
    assert page == views.thermometer_page(prints), "the same to the byte"


def test_what_a_person_wrote_is_no_markup_and_unsimulated_is_not_called_simulated(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> & Co"
    series = tuple(
        replace(item, component=replace(item.component, source=hostile, simulated=False))
        for item in simulated_components()
    )
    lost = replace(series[0], component=replace(series[0].component, name="lost"), observations=())
    page = views.thermometer_page(stored(tmp_path / "p", (date(2020, 6, 30),), (*series, lost)))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Co" in page
    assert "Simulated components." not in page
    assert "no value released" in page


def test_prints_of_another_methodology_are_not_drawn(prints: list[StoredPrint], tmp_path: Path) -> None:
    other = stored(tmp_path / "p", (date(2020, 7, 31),), simulated_components(8))
    page = views.thermometer_page([*prints, *other])
    assert "<td>1, from 2020-07-31</td>" in page
    assert "<td>30</td>" in page


def test_no_print_is_no_page() -> None:
    with pytest.raises(ValueError, match="no print"):
        views.thermometer_page([])
    for plot in (views.plot_heat, views.plot_diffusion):
        assert "there is no print" in views.to_svg(plot([]), name="x", description="x")


@pytest.mark.parametrize("heat", [0.0, 50.0, 100.0])
def test_the_gauge_says_its_heat(prints: list[StoredPrint], heat: float) -> None:
    svg = views.to_svg(
        views.plot_gauge(prints[-1].print.model_copy(update={"heat": heat})), name="g", description="Heat"
    )
    assert re.search(rf">{heat:.1f}</text>", svg)
    assert not re.search(r"#[0-9a-f]{6}", svg), "every colour follows the reader's theme"


def test_lines_pass_through_the_prints(prints: list[StoredPrint]) -> None:
    listed = [item.print for item in prints]
    (axes,) = views.plot_diffusion(listed).axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
    assert lines == {
        "supply": [made.axes.supply.diffusion for made in listed],
        "demand": [made.axes.demand.diffusion for made in listed],
    }
    (axes,) = views.plot_heat(listed).axes
    assert list(axes.get_lines()[-1].get_ydata()) == [made.heat for made in listed]


@pytest.mark.parametrize("width", [390, 1240])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_quiet_and_fits(
    browser: Any,
    prints: list[StoredPrint],
    tmp_path: Path,
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    file = tmp_path / "page.html"
    file.write_text(views.thermometer_page(prints), encoding="utf-8")
    opened = _Opened(browser, file, width, scheme)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.close()
