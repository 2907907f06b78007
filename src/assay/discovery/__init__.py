"""Searches for signals: formulas, sets of features, settings, event windows. Every candidate is a trial."""

from assay.discovery._desk import DESK, TOP, DiscoveryDesk, Leaderboard, LeaderboardRow
from assay.discovery._duration import seconds_of
from assay.discovery._events import search_events
from assay.discovery._mine import mine
from assay.discovery._reasons import DISCOVERY_REASONS
from assay.discovery._select import select
from assay.discovery._specs import (
    Dim,
    EventWindowSpec,
    FactorMiningSpec,
    FeatureSearchSpec,
    SpecProblems,
    SweepSpec,
)
from assay.discovery._sweep import dim_names, sweep
from assay.discovery._tools import LeaderboardResult, discovery_tools

__all__ = [
    "DESK",
    "DISCOVERY_REASONS",
    "TOP",
    "Dim",
    "DiscoveryDesk",
    "EventWindowSpec",
    "FactorMiningSpec",
    "FeatureSearchSpec",
    "Leaderboard",
    "LeaderboardResult",
    "LeaderboardRow",
    "SpecProblems",
    "SweepSpec",
    "dim_names",
    "discovery_tools",
    "mine",
    "search_events",
    "seconds_of",
    "select",
    "sweep",
]
