from __future__ import annotations

import json
from typing import Any

from assay.mcp._listing import wire_tool
from assay.mcp._names import NameStyle, WireNames
from assay.tools import COMMON, Registry


def catalogue(registry: Registry, style: NameStyle = "underscore") -> dict[str, Any]:
    """Every tool as agents see it: both names, schemas, hints, reasons; and the reasons common to all."""
    tools = registry.tools("agent")
    names = WireNames((tool.id for tool in tools), style)
    listed = [wire_tool(tool, names.shown(tool.id)) for tool in tools]
    return {
        "common_reasons": [
            {"code": reason.code, "meaning": reason.summary, "fix": reason.fix} for reason in COMMON
        ],
        "tools": [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed],
    }


def catalogue_text(registry: Registry) -> str:
    """The file ``docs/reference/mcp-catalogue.json``, and its copy here, from which tools are listed."""
    return json.dumps(catalogue(registry), indent=1, ensure_ascii=False) + "\n"
