"""Submitting an alpha."""

from __future__ import annotations

from assay.brain._errors import NOT_SUBMITTED
from assay.brain._wire import Alpha, Check
from assay.brain.client._alphas import Alphas, path_of
from assay.brain.client._calls import Calls, Waiting
from assay.brain.client._faults import fault
from assay.brain.client._reply import Reply
from assay.errors import AssayError, Refusal


def is_submitted(alpha: Alpha) -> bool:
    """Whether the platform has taken an alpha."""
    return alpha.status != "UNSUBMITTED" or alpha.stage != "IS"


async def submit(calls: Calls, alphas: Alphas, alpha_id: str) -> Alpha:
    """Submit an alpha, wait for the platform's word, and read the alpha again: its status alone is proof.

    The last reply of a submission that went well has been seen as 200 and as 404, so it proves nothing. One
    that is submitted already is given as it is.

    Raises
    ------
    Refusal
        ``not_submitted``: the checks that failed are in ``details``; ``not_permitted``; ``unknown_alpha``.
    SimulationOverdue
        The platform did not come to an end in ``simulation_timeout``.
    """
    before = await alphas.get(alpha_id)
    if is_submitted(before):
        return before
    path = path_of(alpha_id, "submit")
    reply = await calls.change("POST", path, accept=(403, 404))
    waiting = Waiting(calls)
    running = reply.status < 300
    while running:
        await waiting.pause(reply.retry_after, f"the submission of {alpha_id} has not ended")
        reply = await calls.patience(lambda: calls.once("GET", path, accept=(403, 404)))
        running = reply.status < 300 and reply.retry_after is not None
    after = await alphas.get(alpha_id)
    if is_submitted(after):
        return after
    raise _refusal(alpha_id, reply)


def _refusal(alpha_id: str, reply: Reply) -> AssayError:
    if reply.status == 403 and reply.checks() is None:
        return fault(reply)
    failing = [check for check in reply.checks() or () if check.result in ("FAIL", "ERROR")]
    if not failing:
        return Refusal(
            NOT_SUBMITTED,
            f"the platform ended the submission of {alpha_id}, and its status did not change",
            where=reply.where,
            fix="look at the alpha on the platform, then try again",
        )
    return Refusal(
        NOT_SUBMITTED,
        f"the platform did not take {alpha_id}: {', '.join(map(_words, failing))}",
        where=reply.where,
        details={"checks": [check.wire() for check in failing]},
    )


def _words(check: Check) -> str:
    if check.value is None or check.limit is None:
        return f"{check.name} {check.result}"
    return f"{check.name} {check.result} ({check.value:g}, limit {check.limit:g})"
