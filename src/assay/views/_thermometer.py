"""The page of the thermometer: its last print, the ones before, and what each component says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.thermometer import VERDICT_MEANINGS
from assay.views._charts import Chart
from assay.views._page import chart_markup, render
from assay.views._svg import to_svg
from assay.views._thermometer_charts import plot_diffusion, plot_gauge, plot_heat

if TYPE_CHECKING:
    from assay.thermometer import AxisReading, ComponentReading, StoredPrint

STATES = {
    "counted": "counted",
    "missing": "no value released",
    "short": "none to compare with",
    "stale": "too old",
}


def thermometer_page(prints: Sequence[StoredPrint]) -> str:
    """A page of prints, one a day, by day; the last one is told in full.

    The charts have those alone that were made as the last one was: others cannot be compared with it.

    Raises
    ------
    ValueError
        There is no print.
    """
    if not prints:
        raise ValueError("there is no print to show")
    stored = prints[-1]
    last, rules = stored.print, stored.print.rules
    shown = [item for item in prints if item.print.methodology_hash == last.methodology_hash]
    charts = chart_markup(_charts(shown))
    return render(
        "thermometer.html",
        version=__version__,
        title=f"Thermometer as of {last.as_of}",
        simulated=last.simulated,
        verdict=last.verdict,
        sentence=VERDICT_MEANINGS[last.verdict],
        tiles=_tiles(stored),
        gauge=charts.pop("gauge"),
        charts=list(charts.values()),
        components=[_component_row(item) for item in last.components],
        facts=[
            ("print", stored.name),
            ("supersedes", last.supersedes or "none"),
            ("prints shown", f"{len(shown)}, from {shown[0].as_of}"),
            ("prints of another methodology", str(len(prints) - len(shown))),
            ("methodology hash", last.methodology_hash),
            ("compared with", f"the last value that is {rules.lookback_days} days older, or more"),
            ("neutral", f"a diffusion within {rules.neutral_band:g} of 0.5"),
            ("too old", f"{rules.stale_after_days} days beyond the release lag"),
        ],
    )


def _charts(prints: Sequence[StoredPrint]) -> dict[str, Chart]:
    listed = [stored.print for stored in prints]
    drawn = {
        "gauge": (
            "Heat",
            "How much more widely demand rises than supply, as of the last print.",
            plot_gauge(listed[-1]),
        ),
        "heat": ("Heat over time", "Each print as it stands.", plot_heat(listed)),
        "diffusion": (
            "Diffusion of each axis",
            "Share of the components that rose, plus half of those unchanged.",
            plot_diffusion(listed),
        ),
    }
    return {
        key: Chart(title, caption, to_svg(figure, name=f"thermometer-{key}", description=title))
        for key, (title, caption, figure) in drawn.items()
    }


def _tiles(stored: StoredPrint) -> list[tuple[str, str, str]]:
    made = stored.print
    fresh = made.freshness
    return [
        ("heat", f"{made.heat:.1f}", "0 to 100; 50 is equal"),
        *_axis_tiles("supply", made.axes.supply),
        *_axis_tiles("demand", made.axes.demand),
        ("newest value", fresh.newest.isoformat(), f"the oldest that counts: {fresh.oldest}"),
        ("components", f"{len(fresh.counted)} of {len(made.components)}", "that count"),
    ]


def _axis_tiles(name: str, axis: AxisReading) -> list[tuple[str, str, str]]:
    return [
        (f"{name}, diffusion", f"{axis.diffusion:.2f}", axis.move),
        (f"{name}, agreement", f"{axis.agreement:.2f}", f"dispersion {axis.dispersion:.2f}"),
    ]


def _component_row(item: ComponentReading) -> dict[str, str]:
    return {
        "name": item.name,
        "axis": item.axis if item.direction == 1 else f"{item.axis}, inverse",
        "change": item.change or STATES[item.state],
        "tone": "" if item.change else "caution",
        "last": "-" if item.last is None else f"{item.last.value:g}",
        "day": "-" if item.last is None else item.last.day.isoformat(),
        "released": "-" if item.last is None else item.last.released.isoformat(),
        "reference": "-" if item.reference is None else f"{item.reference.value:g}",
        "source": item.source,
        "hash": item.series_hash[:12],
    }
