from __future__ import annotations

from assay.brain.tools._data import data_tools
from assay.brain.tools._desk import BrainDesk
from assay.brain.tools._knowledge import knowledge_tools
from assay.brain.tools._operators import operator_tools
from assay.brain.tools._settings import setting_tools
from assay.brain.tools._validate import validate_tools
from assay.brain.tools._web import web_tools
from assay.tools import Tool


def brain_tools(desk: BrainDesk) -> tuple[Tool, ...]:
    """The tools of the group, on what stands behind them.

    Simulating, polling and submitting are not among them: those are actions of the engine.
    """
    return (
        *data_tools(desk),
        *operator_tools(desk),
        *setting_tools(desk),
        *validate_tools(desk),
        *knowledge_tools(desk),
        *web_tools(desk.web),
    )
