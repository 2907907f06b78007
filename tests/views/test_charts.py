from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from assay import views
from assay.errors import AssayError
from assay.judge import BatchStatistics, Verdict, Verdicts
from assay.views._axes import heat_colours, ramp, thinned
from assay.views._charts import PLOTS, draw_all
from assay.views._ic_charts import rolling_mean
from assay.views._style import CSS_VARIABLES, chart_style, chinese_families, new_figure
from assay.views._svg import to_svg

_OF_A_PRINT = {"plot_diffusion", "plot_gauge", "plot_heat"}
"""Of the thermometer, not of a verdict."""
_PLOT_NAMES = sorted(name for name in views.__all__ if name.startswith("plot_") and name not in _OF_A_PRINT)


@pytest.mark.parametrize("name", _PLOT_NAMES)
def test_plots_return_labelled_figures(name: str, verdict: Verdict) -> None:
    from matplotlib.figure import Figure

    figure = getattr(views, name)(verdict)
    assert isinstance(figure, Figure)
    labels = [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text]
    assert labels


@pytest.mark.parametrize("name", _PLOT_NAMES)
def test_plots_say_so_when_there_is_nothing_to_show(name: str, empty_verdict: Verdict) -> None:
    figure = getattr(views, name)(empty_verdict)
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert said or name == "plot_coverage"


def test_plotting_does_not_touch_pyplot(verdict: Verdict) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    views.plot_ic_series(verdict)
    assert dict(matplotlib.rcParams) == before


def test_the_sheet_draws_every_public_plot() -> None:
    drawn = {plot.draw.__name__ for plot in PLOTS.values()}
    assert drawn == set(_PLOT_NAMES)


def test_svg_follows_the_theme_and_stands_alone(verdict: Verdict) -> None:
    charts = draw_all(verdict, prefix="p")
    ids: list[str] = []
    for chart in charts.values():
        root = ET.fromstring(chart.svg)
        assert root.get("aria-label") == chart.title
        assert "var(--" in chart.svg
        assert not [colour for colour in CSS_VARIABLES if colour in chart.svg]
        assert "DejaVu" not in chart.svg
        assert not re.search(r'(?:href|src)="(?!#)', chart.svg)
        found = re.findall(r'\bid="([^"]+)"', chart.svg)
        assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', chart.svg)) <= set(found)
        ids += found
    assert len(ids) == len(set(ids))


def test_svg_description_is_escaped(verdict: Verdict) -> None:
    svg = views.to_svg(views.plot_quantiles(verdict), name="x", description='"><script>')
    assert "<script>" not in svg
    ET.fromstring(svg)


def test_svg_is_the_same_each_time(verdict: Verdict) -> None:
    first = views.to_svg(views.plot_book(verdict), name="x", description="d")
    assert first == views.to_svg(views.plot_book(verdict), name="x", description="d")


def test_rolling_mean_against_a_loop() -> None:
    rng = np.random.default_rng(3)
    values = np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60))
    got = rolling_mean(values, 10)
    for row in range(60):
        window = values[max(0, row - 9) : row + 1]
        defined = window[np.isfinite(window)]
        if row < 9 or len(defined) < 5:
            assert np.isnan(got[row])
        else:
            assert got[row] == pytest.approx(defined.mean(), abs=1e-12)


def test_ramp_and_heat_colours() -> None:
    assert len(set(ramp(10))) == 10
    assert not set(ramp(10)) & set(CSS_VARIABLES)
    assert heat_colours(0.9)[0] != heat_colours(-0.9)[0]
    assert heat_colours(0.05)[1] != heat_colours(0.99)[1]


@pytest.mark.parametrize("count", [0, 1, 500, 501, 1700])
def test_thinned_keeps_the_ends(count: int) -> None:
    rows: Any = thinned(count)
    assert len(rows) == min(count, 500)
    if count:
        assert rows[0] == 0
        assert rows[-1] == count - 1


@pytest.mark.parametrize("name", [*_PLOT_NAMES, "tear_sheet"])
def test_one_verdict_may_come_as_a_batch_and_several_are_refused(
    name: str, verdict: Verdict, verdicts: Verdicts
) -> None:
    show = getattr(views, name)
    if name == "plot_coverage":
        alone = Verdicts([verdict], batch=BatchStatistics(1, (0.1,), (0.1,), 0.0, 0, ""))
        assert show(alone).axes
    with pytest.raises(AssayError, match="this shows one verdict, and 3 were given") as caught:
        show(verdicts)
    assert caught.value.fix is not None
    assert "verdicts[0]" in caught.value.fix


CHINESE = "二十日反转"


def test_a_page_with_chinese_text_needs_no_chinese_font_here() -> None:
    with chart_style():
        figure, axes = new_figure()
        axes.set_title(CHINESE, fontfamily="DejaVu Sans")  # which lacks all of it
    assert CHINESE in to_svg(figure, name="x", description="")


def test_figures_draw_chinese_text_with_an_installed_font() -> None:
    from io import BytesIO

    if not chinese_families():
        pytest.skip("no font with Chinese characters is installed here")
    with chart_style():
        figure, axes = new_figure()
        axes.set_title(CHINESE)
        axes.plot([1, 2], [1, -1], label=CHINESE)
        axes.legend()
    for name in chinese_families():
        assert name not in to_svg(figure, name="x", description="")
    figure.savefig(BytesIO())  # a glyph that is missing is a warning, and so an error
