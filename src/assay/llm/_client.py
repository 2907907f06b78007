from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assay.base import Clock, SystemClock
from assay.config import Secret, redact
from assay.errors import ProviderError, ProviderTransient
from assay.llm._budget import Budget, Reservation
from assay.llm._log import (
    CallKey,
    CallRecord,
    CallSink,
    masked_error,
    masked_reply,
    masked_request,
)
from assay.llm._ordinals import Ordinals
from assay.llm._provider import Provider
from assay.llm._replay import ReplayProvider
from assay.llm._retry import RetryPolicy, with_retries
from assay.llm._types import Message, Reply, Request, ToolSpec

if TYPE_CHECKING:
    from pydantic import BaseModel

    from assay.llm._structured import Structured

    M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Calls of one role. Several threads may use it; see :meth:`lanes` for calls whose order must not
    matter.

    The order of one call: there is room in the budget; the provider is asked, passing errors again; the
    call is recorded, its error too; the caller gets the reply. A reply that could not be recorded is never
    handed on.

    Parameters
    ----------
    role : who asks; a part of the key by which a reply is found again.
    provider : where replies come from.
    model, parameters : sent with each request.
    sink : where calls are recorded, durably.
    budget : what the run may take; shared by its clients.
    retry : how passing errors are met.
    ordinals : numbers equal calls; shared by the run's clients.
    earlier : calls that the run has made and recorded before it was interrupted. Those with a reply are
        answered from here, and neither made nor recorded nor counted again.
    secrets : their values are masked in all that is sent, recorded or handed on.
    structured_by : how a structured reply is asked for: as plain JSON, or as the call of a tool.
    """

    role: str
    provider: Provider
    sink: CallSink
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    ordinals: Ordinals = field(default_factory=Ordinals)
    earlier: Mapping[CallKey, CallRecord] = field(default_factory=dict)
    secrets: Sequence[Secret] = ()
    base_url: str = ""
    structured_by: Literal["json", "tool"] = "json"
    clock: Clock = field(default_factory=SystemClock)
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = random.random

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), **parameters: Any
    ) -> Reply:
        """The reply to a conversation; ``parameters`` go over the client's own.

        Raises
        ------
        Refusal
            ``call_budget_exhausted``, ``token_budget_exhausted``, ``money_budget_exhausted``: nothing was
            sent.
        ProviderError
            The service failed, passing errors after the last attempt.
        ReplayMiss
            On replay: the log holds no such call.
        """
        given = {**self.parameters, **parameters}
        request = masked_request(Request(self.model, tuple(messages), given, tuple(tools)), self.secrets)
        request_hash = request.hash
        key = CallKey(self.role, request_hash, self.ordinals.take(self.role, request_hash))
        known = self.earlier.get(key)
        if known is not None and known.reply is not None:
            return known.reply
        with self.budget.reserve(request) as reservation:
            if isinstance(self.provider, ReplayProvider):
                call = self.provider.find(key, request)
                reservation.repeat(call)
            else:
                call = self._made(key, request, reservation)
            self.sink.record(call)
        return call.outcome()

    def structured(
        self, messages: Sequence[Message], model: type[M], *, attempts: int = 2, **parameters: Any
    ) -> Structured[M]:
        """A reply that has the form of ``model``.

        JSON is read tolerantly; what does not fit the model is sent back with the errors, until
        ``attempts`` calls are made in all. A model may answer with plain JSON or by calling the tool,
        whichever way it was asked.

        Raises
        ------
        ProviderBadReply
            No reply had the form; the message holds the last errors.
        Refusal, ProviderError, ReplayMiss
            As :meth:`complete`.
        """
        from assay.llm._structured import structured

        return structured(self, messages, model, attempts=attempts, parameters=parameters)

    def lanes(self, n: int) -> tuple[Client, ...]:
        """Clients for ``n`` branches that run side by side, in the order of the branches.

        Equal requests of two branches get their ordinals by the branches' order and not by time, so a
        replay serves each branch its own reply.
        """
        return tuple(replace(self, ordinals=lane) for lane in self.ordinals.lanes(n))

    def _made(self, key: CallKey, request: Request, reservation: Reservation) -> CallRecord:
        """The call, made now."""

        def failed(error: ProviderTransient, number: int) -> None:
            if number < self.retry.attempts and not reservation.another_attempt():
                raise error  # no room for one attempt more

        start = self.clock.now()
        reply: Reply | None = None
        error: ProviderError | None = None
        try:
            reply = with_retries(
                lambda: self.provider.complete(request),
                self.retry,
                sleep=self.sleep,
                draw=self.draw,
                on_failure=failed,
            )
        except ProviderError as caught:
            error = masked_error(caught, self.secrets)
        else:
            reply = masked_reply(reply, self.secrets)
        return CallRecord(
            *key,
            request=request,
            reply=reply,
            error=error,
            attempts=reservation.attempts,
            cost=None if reply is None else reservation.spend(reply.usage),
            backend=self.provider.name,
            base_url=redact(self.base_url, self.secrets),
            latency=max((self.clock.now() - start).total_seconds(), 0.0),
        )
