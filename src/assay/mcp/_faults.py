"""Errors of the protocol: each carries a reason in its data, as refusals of tools do in ``_meta``."""

from __future__ import annotations

import logging
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import ValidationError

from assay.errors import Reason

BAD_CURSOR: Final = Reason(
    "bad_cursor", "the cursor was not given out for this list", "leave it out, and list from the beginning"
)
BAD_REQUEST: Final = Reason(
    "bad_request", "the request does not have the form of the protocol", "send what the specification says"
)
UNKNOWN_METHOD: Final = Reason(
    "unknown_method", "the server does not have this method", "use what its capabilities name"
)
UNKNOWN_RESOURCE: Final = Reason("unknown_resource", "there is no such resource", "use one that is listed")
UNKNOWN_PROMPT: Final = Reason("unknown_prompt", "there is no such prompt", "use one that is listed")
MISSING_ARGUMENT: Final = Reason(
    "missing_argument", "an argument of the prompt is missing", "send the ones that it requires"
)
BAD_ARGUMENT: Final = Reason(
    "bad_argument", "an argument of the prompt is not one of its own, or too long", "send what is listed"
)
NOT_UNDERSTOOD: Final = Reason(
    "not_understood",
    "this is no message of the protocol, or too long",
    "send one JSON-RPC message a line",
)
SERVER_FAILED: Final = Reason(
    "server_failed", "the server could not do its work; the request was not at fault", "ask the operator"
)

_log = logging.getLogger("assay.mcp")


def protocol_fault(
    reason: Reason, message: str | None = None, *, code: int = INVALID_PARAMS, **data: Any
) -> MCPError:
    """An error of the protocol with ``reason`` in its data."""
    told = {"reason": reason.code, "fix": reason.fix, **data}
    return MCPError(code, message or reason.summary, told)


async def with_reasons(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """The one boundary of requests: what goes wrong is an error with a reason, and tells nothing of inside.

    The SDK would answer an exception of a handler with the exception's own words.
    """
    try:
        return await call_next(ctx)
    except MCPError as error:
        data = error.data if isinstance(error.data, dict) else {}
        if "reason" in data:
            raise
        reason = UNKNOWN_METHOD if error.code == METHOD_NOT_FOUND else BAD_REQUEST
        raise MCPError(
            error.code, error.message, {**data, "reason": reason.code, "fix": reason.fix}
        ) from error
    except ValidationError as error:
        raise protocol_fault(BAD_REQUEST) from error
    except Exception as error:
        _log.exception("the request %s failed", ctx.method)
        raise protocol_fault(SERVER_FAILED, code=INTERNAL_ERROR) from error
