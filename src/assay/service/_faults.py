"""Which error is whose: the one table from exceptions to status codes and bodies."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from assay.errors import ExpressionError, Reason, Refusal
from assay.service._reasons import MEMORY_LIMIT, UNAVAILABLE

FORBIDDEN: Final = frozenset({"eval_sealed", "look_budget_exhausted", "period_not_allowed"})
OF_THE_MODEL: Final = frozenset(
    {
        "no_signal", "off_whitelist", "no_field", "unsupported_universe", "unsupported_neutralization",
        "unsupported_frequency", "universe_without_backtest", "spec_not_admitted", "spec_altered", "bad_spec",
    }
)  # fmt: skip

_log = logging.getLogger("assay.service")


def fault(
    source: str, reason: Reason, message: str | None = None, details: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The body of an error."""
    body: dict[str, Any] = {
        "source": source,
        "reason": reason.code,
        "message": message or reason.summary,
        "fix": reason.fix,
    }
    return body if details is None else {**body, "details": dict(details)}


def answer_to(error: Exception) -> tuple[int, dict[str, Any]]:
    """Status and body for what stopped a request.

    An error of the model is told in its own words, which know the formula and nothing of dates. What stands
    in the way on this side is told in constant words, since the particulars may name a hidden date or a path;
    they go to the log.
    """
    if isinstance(error, ExpressionError):
        return 422, {**fault("model", error.reason, error.message, error.details), "fix": error.fix}
    if isinstance(error, Refusal):
        code = error.reason.code
        if code in OF_THE_MODEL:
            return 422, fault("model", error.reason, error.message)
        if code in FORBIDDEN:
            return 403, fault("client", error.reason)
        _log.warning("refused: %s", error.as_dict())
        return 503, fault("environment", error.reason)
    if isinstance(error, MemoryError):
        _log.warning("out of memory: %s", error)
        return 503, fault("environment", MEMORY_LIMIT)
    _log.error("the service failed", exc_info=error)
    return 503, fault("environment", UNAVAILABLE)
