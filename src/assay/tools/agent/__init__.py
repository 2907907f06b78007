"""Agent runs: one episode of a model, or of the explorer, that is recorded, resumed and replayed."""

from assay.tools.agent._estimate import estimate_run
from assay.tools.agent._explorer import explorer
from assay.tools.agent._prompt import researcher_prompt
from assay.tools.agent._replay import Replayed, replay_run
from assay.tools.agent._request import DESK, AgentRequest, read_request
from assay.tools.agent._run import resume_run, start_run
from assay.tools.agent._setup import AgentSetup
from assay.tools.agent._summary import AgentRun, AgentSummary, Best, agent_runs, summary_of

__all__ = [
    "DESK",
    "AgentRequest",
    "AgentRun",
    "AgentSetup",
    "AgentSummary",
    "Best",
    "Replayed",
    "agent_runs",
    "estimate_run",
    "explorer",
    "read_request",
    "replay_run",
    "researcher_prompt",
    "resume_run",
    "start_run",
    "summary_of",
]
