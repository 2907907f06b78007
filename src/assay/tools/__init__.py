"""Typed tools, the audit of calls, and the one agent loop that all desks share."""

from assay.tools._arguments import SchemaInvalid, Unparsable, read_object
from assay.tools._audit import Audit, audit, illegal_kind, outcome_name
from assay.tools._budget import Budget, Spent, Stop
from assay.tools._catalogue import tools_markdown
from assay.tools._dates import WITHHELD, DateGuard
from assay.tools._json_calls import json_protocol, last_answer
from assay.tools._loop import Task, run_episode
from assay.tools._outcome import ILLEGAL_KINDS, Failed, Illegal, IllegalKind, Ok, Outcome, Refused
from assay.tools._policy import Action, EpisodeState, LlmPolicy, Policy, RulePolicy
from assay.tools._reasons import COMMON
from assay.tools._record import LedgerToolSink, ToolSink, calls_of_run, ledger_sink
from assay.tools._registry import FrozenFieldMutation, Prepared, Registry, ToolReason
from assay.tools._store import RolloutId, Score, Stored, TrajectoryStore
from assay.tools._time import last_whole_day, read_instant
from assay.tools._tool import Annotations, Arguments, Caller, Context, Result, Tool, is_tool_id
from assay.tools._toolbox import Toolbox, ToolSession
from assay.tools._trajectory import (
    CallVerdict,
    MadeCall,
    Observation,
    Trajectory,
    content_hash,
    prompt_hash,
    tool_schema_hash,
)

__all__ = [
    "COMMON",
    "ILLEGAL_KINDS",
    "WITHHELD",
    "Action",
    "Annotations",
    "Arguments",
    "Audit",
    "Budget",
    "CallVerdict",
    "Caller",
    "Context",
    "DateGuard",
    "EpisodeState",
    "Failed",
    "FrozenFieldMutation",
    "Illegal",
    "IllegalKind",
    "LedgerToolSink",
    "LlmPolicy",
    "MadeCall",
    "Observation",
    "Ok",
    "Outcome",
    "Policy",
    "Prepared",
    "Refused",
    "Registry",
    "Result",
    "RolloutId",
    "RulePolicy",
    "SchemaInvalid",
    "Score",
    "Spent",
    "Stop",
    "Stored",
    "Task",
    "Tool",
    "ToolReason",
    "ToolSession",
    "ToolSink",
    "Toolbox",
    "Trajectory",
    "TrajectoryStore",
    "Unparsable",
    "audit",
    "calls_of_run",
    "content_hash",
    "illegal_kind",
    "is_tool_id",
    "json_protocol",
    "last_answer",
    "ledger_sink",
    "last_whole_day",
    "outcome_name",
    "prompt_hash",
    "read_instant",
    "read_object",
    "run_episode",
    "tool_schema_hash",
    "tools_markdown",
]
