"""What a session runs on: held fast at its start, and compared when it is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from assay.base import json_hash
from assay.brain._codec import as_json
from assay.brain._platform import Platform
from assay.brain._run_inputs import data_input
from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain.agent._types import Task
from assay.config import BrainAgentSettings


def session_inputs(
    platform: Platform, task: Task, policy: str, settings: BrainAgentSettings, given: Mapping[str, str]
) -> dict[str, str]:
    """Inputs by name, each with a hash."""
    return {
        **data_input(platform),
        "task": json_hash(as_json(Task, task)),
        "settings": json_hash(asdict(settings)),
        "policy": policy,
        **given,
    }


def usual_settings(choices: SettingsChoices, **given: Any) -> SimulationSettings:
    """The usual settings, moved to what the platform has where it lacks them; what is given stays."""
    usual = SimulationSettings()
    region = given.get("region") or _nearest(usual.region, choices.regions)
    found = {
        "instrument_type": _nearest(usual.instrument_type, choices.instrument_types),
        "region": region,
        "universe": _nearest(usual.universe, choices.universes.get(region, ())),
        "delay": _nearest(usual.delay, choices.delays.get(region, ())),
        "neutralization": _nearest(usual.neutralization, choices.neutralizations.get(region, ())),
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return SimulationSettings(**{**found, **chosen})


def _nearest(usual: Any, known: tuple[Any, ...]) -> Any:
    return usual if usual in known or not known else known[0]
