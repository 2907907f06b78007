from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from assay.base import canonical_json
from assay.errors import AssayError, Reason, Refusal
from assay.tools._budget import Budget

if TYPE_CHECKING:
    from assay.ledger import Ledger

DESK = "agent"
REQUEST = "request"
LONGEST_IDEA = 4_000

NOT_AN_AGENT_RUN = Reason(
    "not_an_agent_run", "the run is not one of an agent", "see which there are: assay agent list"
)


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """What a run is asked to do. It is kept in the ledger, and a resumed run begins from there.

    Parameters
    ----------
    idea : what to look into; at most 4,000 characters.
    data : the data set, as the workspace knows it.
    role : the LLM role that acts; None for the explorer, which needs no model.
    seed : of the explorer.
    budget : hard limits of the episode.

    Raises
    ------
    AssayError
        The idea is empty, too long, or not text.
    """

    idea: str
    data: str
    role: str | None = None
    seed: int = 0
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        if not self.idea.strip():
            raise AssayError("the idea is empty", where="idea", fix="say what to look into")
        if len(self.idea) > LONGEST_IDEA:
            raise AssayError(
                f"the idea has {len(self.idea)} characters",
                where="idea",
                fix=f"say it in at most {LONGEST_IDEA}",
            )
        if any("\ud800" <= mark <= "\udfff" for mark in self.idea):
            raise AssayError("the idea is not text", where="idea", fix="write it in UTF-8")

    def encoded(self) -> bytes:
        """As it is stored."""
        return canonical_json(asdict(self)).encode()

    @classmethod
    def decoded(cls, content: bytes) -> AgentRequest:
        """The request that :meth:`encoded` wrote."""
        plain: Mapping[str, Any] = json.loads(content)
        return cls(**{**plain, "budget": Budget(**plain["budget"])})


def read_request(ledger: Ledger, run_id: str) -> AgentRequest:
    """The request of a run that was started before.

    Raises
    ------
    Refusal
        ``unknown_run``; ``not_an_agent_run``.
    """
    return request_of(ledger, start_of(ledger, run_id))


def request_of(ledger: Ledger, start: Mapping[str, Any]) -> AgentRequest:
    """The request that the body of a run's start names."""
    return AgentRequest.decoded(ledger.get(start["inputs"][REQUEST]))


def is_agent_start(body: Mapping[str, Any]) -> bool:
    """Whether the body of a run's start is that of an agent."""
    return body["desk"] == DESK and REQUEST in body["inputs"]


def start_of(ledger: Ledger, run_id: str) -> Mapping[str, Any]:
    """The body of a run's start."""
    run = ledger.run(run_id)
    run.state()
    body = next(run.entries(kind="run_start")).body
    if not is_agent_start(body):
        raise Refusal(
            NOT_AN_AGENT_RUN, f"the run {run_id!r} is one of the desk {body['desk']!r}", where="run"
        )
    return body
