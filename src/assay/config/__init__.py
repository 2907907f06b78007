"""Configuration: ``assay.toml``, the workspace, the named periods, and secrets."""

from __future__ import annotations

from typing import Any

from assay.config._brain import (
    DEFAULT_ORDER,
    OFFICIAL_URL,
    BrainAgentSettings,
    BrainClientSettings,
    BrainMultiSettings,
    BrainPipelineSettings,
    BrainSettings,
    BrainSimulatorSettings,
)
from assay.config._brain import Level as BrainLevel
from assay.config._brain import SlotMode as BrainSlotMode
from assay.config._brain import Stage as BrainStage
from assay.config._init import init_workspace, plan_toml
from assay.config._llm import (
    LLM_ROLES,
    BackendSettings,
    LlmLimits,
    LlmSettings,
    Price,
    RoleName,
    RoleSettings,
)
from assay.config._load import (
    DataPlace,
    find_data_place,
    find_data_settings,
    find_workspace,
    load_workspace,
    parse_config,
)
from assay.config._plan import (
    ALL_DATES,
    PERIOD_NAMES,
    UNKNOWN_PERIOD,
    DateLike,
    DateRange,
    EmbargoGap,
    HiddenPeriod,
    PeriodPlan,
    as_date,
    longest_label,
    propose_plan,
)
from assay.config._secrets import Secret, load_secrets, read_dotenv, redact
from assay.config._workspace import DEFAULT_HORIZONS, Costs, DataSettings, LookBudgets, Workspace

__all__ = [
    "ALL_DATES",
    "BrainAgentSettings",
    "BrainClientSettings",
    "BrainMultiSettings",
    "BrainPipelineSettings",
    "BrainLevel",
    "BrainSettings",
    "BrainSimulatorSettings",
    "BrainSlotMode",
    "BrainStage",
    "DEFAULT_ORDER",
    "OFFICIAL_URL",
    "DEFAULT_HORIZONS",
    "LLM_ROLES",
    "PERIOD_NAMES",
    "UNKNOWN_PERIOD",
    "BackendSettings",
    "Costs",
    "DataPlace",
    "DataSettings",
    "DateLike",
    "DateRange",
    "EmbargoGap",
    "HiddenPeriod",
    "LlmLimits",
    "LlmSettings",
    "LookBudgets",
    "PeriodPlan",
    "Price",
    "RoleName",
    "RoleSettings",
    "Secret",
    "Workspace",
    "as_date",
    "find_data_place",
    "find_data_settings",
    "find_workspace",
    "init_workspace",
    "json_schema",
    "load_secrets",
    "load_workspace",
    "longest_label",
    "parse_config",
    "plan_toml",
    "propose_plan",
    "read_dotenv",
    "redact",
    "reference_markdown",
]


def json_schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of ``assay.toml`` as data, for editors that complete TOML."""
    from assay.config._brain_models import json_schema as made  # pydantic is slow to import

    return made()


def reference_markdown() -> str:
    """The page ``docs/reference/config.md``, generated from the declaration of the keys."""
    from assay.config._reference import reference_markdown as made

    return made()
