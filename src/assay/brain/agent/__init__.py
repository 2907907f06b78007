"""The agent: research, then creative and improvement phases in turn, until it converges."""

from assay.brain.agent._agent import Agent, Critic, Interrupted, Observer
from assay.brain.agent._calls import RecordedCalls, recorded_calls
from assay.brain.agent._criteria import best_of, level_of, unmet
from assay.brain.agent._held import Held
from assay.brain.agent._inputs import usual_settings
from assay.brain.agent._knowledge import TAGS, KnowledgeBase, SessionKnowledge, knowledge_id
from assay.brain.agent._policy_rounds import PolicyRounds
from assay.brain.agent._reasons import REASONS
from assay.brain.agent._replay import ReplayPolicy, first_difference
from assay.brain.agent._report import report_json, session_report, session_settings
from assay.brain.agent._types import (
    Briefing,
    Creative,
    Direction,
    Funnel,
    HeldFigures,
    Improvement,
    KnowledgeEntry,
    Level,
    Luck,
    NewDirection,
    Phase,
    Policy,
    Research,
    RoundLine,
    SessionReport,
    SlotView,
    Status,
    StopReason,
    Task,
)

__all__ = [
    "REASONS",
    "TAGS",
    "Agent",
    "Briefing",
    "Creative",
    "Critic",
    "Direction",
    "Funnel",
    "Held",
    "HeldFigures",
    "Improvement",
    "Interrupted",
    "KnowledgeBase",
    "KnowledgeEntry",
    "Level",
    "Luck",
    "NewDirection",
    "Observer",
    "Phase",
    "Policy",
    "PolicyRounds",
    "RecordedCalls",
    "ReplayPolicy",
    "Research",
    "RoundLine",
    "SessionKnowledge",
    "SessionReport",
    "SlotView",
    "Status",
    "StopReason",
    "Task",
    "best_of",
    "first_difference",
    "knowledge_id",
    "level_of",
    "recorded_calls",
    "report_json",
    "session_report",
    "session_settings",
    "unmet",
    "usual_settings",
]
