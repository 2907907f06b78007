from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Final

from mcp_types import Tool as WireTool
from mcp_types import ToolAnnotations

if TYPE_CHECKING:
    from assay.tools import Tool

REASONS_KEY: Final = "assay/reasons"
ID_KEY: Final = "assay/id"
RECORD: Final = "provenance.record_candidate"
"""The one tool that exists only where the operator allows it."""


def wire_tool(tool: Tool, name: str | None = None) -> WireTool:
    """A tool as it is listed: schemas, all four hints, reasons; named by its id unless told otherwise."""
    hints = tool.annotations
    reasons = [
        {"code": reason.code, "meaning": reason.summary, "fix": reason.fix}
        | ({"reserved": True} if reason.code in tool.reserved else {})
        for reason in sorted(tool.reasons, key=lambda item: item.code)
    ]
    return WireTool(
        name=name or tool.id,
        title=tool.id,
        description=tool.summary,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            title=tool.id,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
        _meta={ID_KEY: tool.id, REASONS_KEY: reasons},
    )


def catalogued(*, allow_record: bool = False) -> Sequence[WireTool]:
    """The tools of the surface as the catalogue in this package has them, named by their ids.

    Nothing that stands behind them is imported, which takes longer than a client waits for the list.
    """
    text = resources.files("assay.mcp").joinpath("catalogue.json").read_text(encoding="utf-8")
    found = [WireTool.model_validate(entry) for entry in json.loads(text)["tools"]]
    named = [tool.model_copy(update={"name": (tool.meta or {})[ID_KEY]}) for tool in found]
    return [tool for tool in named if allow_record or tool.name != RECORD]
