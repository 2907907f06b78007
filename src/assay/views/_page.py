from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.views._charts import Chart


def render(template: str, **values: Any) -> str:
    """A page from a packaged template. All values are escaped except the charts' own markup."""
    environment = Environment(
        loader=PackageLoader("assay.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)


def chart_markup(charts: Mapping[str, Chart]) -> dict[str, dict[str, str]]:
    """Charts for a template; only the SVG, which Assay drew and escaped itself, is marked as markup."""
    return {
        key: {"title": chart.title, "caption": chart.caption, "svg": Markup(chart.svg)}  # noqa: S704
        for key, chart in charts.items()
    }
