"""Several agents on one platform: explorers and optimisers that share its slots and its results."""

from assay.brain.multi._agents import Board, SearchAgent
from assay.brain.multi._explorer import Explorer
from assay.brain.multi._model import ModelSettings, by_model
from assay.brain.multi._optimizer import NewSearch, Optimizer, SettingsSearch, by_layers
from assay.brain.multi._orchestrator import AgentLine, MultiReport, MultiRound, MultiStop, Orchestrator
from assay.brain.multi._queues import FairQueues, Side, Waiting
from assay.brain.multi._setup import explorer_tasks, make_agents

__all__ = [
    "AgentLine",
    "Board",
    "Explorer",
    "FairQueues",
    "ModelSettings",
    "MultiReport",
    "MultiRound",
    "MultiStop",
    "NewSearch",
    "Optimizer",
    "Orchestrator",
    "SearchAgent",
    "SettingsSearch",
    "Side",
    "Waiting",
    "by_layers",
    "by_model",
    "explorer_tasks",
    "make_agents",
]
