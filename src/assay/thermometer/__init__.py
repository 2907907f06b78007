"""Immutable prints of supply and demand from component series."""

from typing import TYPE_CHECKING

from assay.base import lazy_names
from assay.thermometer._component import (
    AXES,
    Axis,
    Component,
    ComponentSeries,
    Direction,
    Observation,
    Rules,
    ThermometerProblems,
    methodology_hash,
)
from assay.thermometer._file import FILE, read_components
from assay.thermometer._reasons import NO_READING, NO_THERMOMETER_PRINT, THERMOMETER_BUSY

# prints are pydantic models, which are slow to import, and simulated series need numpy
_HOMES = {
    "._make": ("make_print",),
    "._print": ("VERDICT_MEANINGS", "AxisReading", "ComponentReading", "ThermometerPrint"),
    "._simulate": ("month_ends", "simulated_components"),
    "._store": ("PrintStore", "StoredPrint", "workspace_prints"),
    "._tools": ("thermometer_tools",),
}

__all__ = [
    "AXES",
    "FILE",
    "NO_READING",
    "NO_THERMOMETER_PRINT",
    "THERMOMETER_BUSY",
    "VERDICT_MEANINGS",
    "Axis",
    "AxisReading",
    "Component",
    "ComponentReading",
    "ComponentSeries",
    "Direction",
    "Observation",
    "PrintStore",
    "Rules",
    "StoredPrint",
    "ThermometerPrint",
    "ThermometerProblems",
    "make_print",
    "methodology_hash",
    "month_ends",
    "read_components",
    "simulated_components",
    "thermometer_tools",
    "workspace_prints",
]

__getattr__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from assay.thermometer._make import make_print
    from assay.thermometer._print import (
        VERDICT_MEANINGS,
        AxisReading,
        ComponentReading,
        ThermometerPrint,
    )
    from assay.thermometer._simulate import month_ends, simulated_components
    from assay.thermometer._store import PrintStore, StoredPrint, workspace_prints
    from assay.thermometer._tools import thermometer_tools
