"""Agent runs: one episode of a model, or of the explorer, that is recorded, resumed and replayed.

What other desks build their own runs on is public, too: a ledger and a registry that go on where a record
ends (:class:`ContinuedLedger`, :class:`RecordedRegistry`), and for replays a ledger that follows a run
(:class:`FollowingLedger`), a sink that keeps its failures (:class:`FaithfulSink`) and the comparison
(:func:`compared`).
"""

from assay.tools.agent._compared import Replayed, compared
from assay.tools.agent._estimate import estimate_run
from assay.tools.agent._explorer import explorer
from assay.tools.agent._following import FaithfulSink, FollowingLedger
from assay.tools.agent._prompt import researcher_prompt
from assay.tools.agent._recorded import ContinuedLedger, Diverged, RecordedRegistry
from assay.tools.agent._replay import replay_run
from assay.tools.agent._request import DESK, AgentRequest, read_request
from assay.tools.agent._run import Watch, resume_run, start_run
from assay.tools.agent._setup import AgentSetup
from assay.tools.agent._summary import AgentRun, AgentSummary, Best, agent_runs, summary_of
from assay.tools.agent._turns import AgentCall, agent_calls

__all__ = [
    "DESK",
    "AgentCall",
    "AgentRequest",
    "AgentRun",
    "AgentSetup",
    "AgentSummary",
    "Best",
    "ContinuedLedger",
    "Diverged",
    "FaithfulSink",
    "FollowingLedger",
    "RecordedRegistry",
    "Replayed",
    "Watch",
    "agent_calls",
    "agent_runs",
    "compared",
    "estimate_run",
    "explorer",
    "read_request",
    "replay_run",
    "researcher_prompt",
    "resume_run",
    "start_run",
    "summary_of",
]
