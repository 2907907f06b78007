from __future__ import annotations

import json
from typing import Final

from mcp_types import CallToolResult, TextContent

from assay.tools import Failed, Illegal, Ok, Outcome, Refused

TOOL_FAILED: Final = "tool_failed"
"""``_meta.reason`` of a tool that broke: never the caller's fault."""


def answer_of(outcome: Outcome) -> CallToolResult:
    """The result of ``tools/call`` for an outcome.

    A result is an object, as structured content and as text. A refusal has its reason in ``_meta.reason``,
    which is what a caller branches on; its text says the same to a model, and what to do. It has no
    structured content, since clients hold that to the schema of results.
    """
    if isinstance(outcome, Ok):
        text = json.dumps(outcome.result, ensure_ascii=False)
        return CallToolResult(content=[TextContent(text=text)], structured_content=dict(outcome.result))
    if isinstance(outcome, Failed):
        return _error(TOOL_FAILED, f"{TOOL_FAILED}: {outcome.message}")
    return _refused(outcome.face() if isinstance(outcome, Illegal) else outcome)


def _refused(refused: Refused) -> CallToolResult:
    told = f"{refused.reason}: {refused.message}"
    texts = [f"{told}\nwhat to do: {refused.fix}" if refused.fix else told]
    if refused.detail:
        texts.append(json.dumps(dict(refused.detail), ensure_ascii=False))
    return _error(refused.reason, *texts)


def _error(reason: str, *texts: str) -> CallToolResult:
    content = [TextContent(text=text) for text in texts]
    return CallToolResult(content=content, is_error=True, _meta={"reason": reason})
