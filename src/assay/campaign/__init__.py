"""The campaign: the research loop, from one config to accepted and rejected candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names
from assay.campaign._settings import (
    MECHANISMS,
    CampaignConfig,
    ContextSettings,
    FileSettings,
    GateSettings,
    PoolSettings,
    QuotaSettings,
    RoleBackends,
    RoundSettings,
    StopSettings,
)
from assay.campaign._types import (
    Backends,
    Brief,
    Candidate,
    Candidates,
    Direction,
    DirectionKind,
    Directions,
    Distiller,
    Family,
    Feedback,
    FixRequest,
    History,
    MemoryContext,
    Note,
    Outcome,
    PlanContext,
    Planner,
    PoolFactor,
    ProposeContext,
    Proposer,
    Review,
    ReviewContext,
    Reviewer,
    Reviews,
    RoundRecord,
    SlotPlan,
    Team,
    TrialRecord,
    TriedTrials,
    trial_id,
)

# setting up a campaign imports much that its types do not need
_HOMES = {
    "._campaign": ("Campaign", "CampaignResult", "CampaignSetup"),
    "._check": ("CheckReport", "check", "check_file"),
    "._prepare": ("Problems", "prepare"),
    "._reference": ("campaign_reference_markdown", "campaign_template"),
    "._replay": ("Difference", "Replayed", "replay"),
    "._report": ("campaign_report",),
    "._report_types": (
        "CampaignReport",
        "Funnel",
        "NoiseRow",
        "OutOfSample",
        "RoleCost",
        "TrialPoint",
        "ZooFactor",
    ),
    "._resume": ("Recorded",),
    "._scripted": ("ScriptedBackends",),
    "._snapshot": ("RunSnapshot",),
    "._start": ("config_path", "next_run_id", "prepare_campaign", "resume_campaign", "start_campaign"),
    "._stop": ("Stop", "StopCause"),
    "._tools": ("campaign_tools",),
    "._verify": ("VerifiedRun", "verify"),
    "._vocabulary": ("Vocabulary", "build_vocabulary"),
    "._accept": ("accept",),
    "._accept_plan": ("plan_acceptance", "recorded_acceptance"),
    "._accept_types": (
        "AcceptChoice",
        "AcceptPlan",
        "Acceptance",
        "AcceptedFactor",
        "AcceptedPortfolio",
        "HoldOut",
        "OrderSpread",
    ),
    "._daily": ("Monitored", "ZooValues", "monitor", "zoo_values"),
    "._noise": ("NoiseTwin", "Rate", "Twin", "noise_twin"),
}

__all__ = [
    "AcceptChoice",
    "AcceptPlan",
    "Acceptance",
    "AcceptedFactor",
    "AcceptedPortfolio",
    "Backends",
    "Brief",
    "Campaign",
    "CampaignConfig",
    "CampaignReport",
    "CampaignResult",
    "CampaignSetup",
    "Candidate",
    "Candidates",
    "CheckReport",
    "ContextSettings",
    "Difference",
    "Direction",
    "DirectionKind",
    "Directions",
    "Distiller",
    "Family",
    "Feedback",
    "FileSettings",
    "FixRequest",
    "Funnel",
    "GateSettings",
    "History",
    "HoldOut",
    "MECHANISMS",
    "MemoryContext",
    "Monitored",
    "NoiseRow",
    "NoiseTwin",
    "Note",
    "OrderSpread",
    "OutOfSample",
    "Outcome",
    "PlanContext",
    "Planner",
    "PoolFactor",
    "PoolSettings",
    "Problems",
    "ProposeContext",
    "Proposer",
    "QuotaSettings",
    "Rate",
    "Recorded",
    "Replayed",
    "Review",
    "ReviewContext",
    "Reviewer",
    "Reviews",
    "RoleBackends",
    "RoleCost",
    "RoundRecord",
    "RoundSettings",
    "RunSnapshot",
    "ScriptedBackends",
    "SlotPlan",
    "Stop",
    "StopCause",
    "StopSettings",
    "Team",
    "TrialPoint",
    "TrialRecord",
    "TriedTrials",
    "Twin",
    "VerifiedRun",
    "Vocabulary",
    "ZooFactor",
    "ZooValues",
    "accept",
    "build_vocabulary",
    "campaign_reference_markdown",
    "campaign_report",
    "campaign_template",
    "campaign_tools",
    "check",
    "check_file",
    "config_path",
    "monitor",
    "next_run_id",
    "noise_twin",
    "plan_acceptance",
    "prepare",
    "prepare_campaign",
    "recorded_acceptance",
    "replay",
    "resume_campaign",
    "start_campaign",
    "trial_id",
    "verify",
    "zoo_values",
]

__getattr__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from assay.campaign._accept import accept
    from assay.campaign._accept_plan import plan_acceptance, recorded_acceptance
    from assay.campaign._accept_types import (
        Acceptance,
        AcceptChoice,
        AcceptedFactor,
        AcceptedPortfolio,
        AcceptPlan,
        HoldOut,
        OrderSpread,
    )
    from assay.campaign._campaign import Campaign, CampaignResult, CampaignSetup
    from assay.campaign._check import CheckReport, check, check_file
    from assay.campaign._daily import Monitored, ZooValues, monitor, zoo_values
    from assay.campaign._noise import NoiseTwin, Rate, Twin, noise_twin
    from assay.campaign._prepare import Problems, prepare
    from assay.campaign._reference import campaign_reference_markdown, campaign_template
    from assay.campaign._replay import Difference, Replayed, replay
    from assay.campaign._report import campaign_report
    from assay.campaign._report_types import (
        CampaignReport,
        Funnel,
        NoiseRow,
        OutOfSample,
        RoleCost,
        TrialPoint,
        ZooFactor,
    )
    from assay.campaign._resume import Recorded
    from assay.campaign._scripted import ScriptedBackends
    from assay.campaign._snapshot import RunSnapshot
    from assay.campaign._start import (
        config_path,
        next_run_id,
        prepare_campaign,
        resume_campaign,
        start_campaign,
    )
    from assay.campaign._stop import Stop, StopCause
    from assay.campaign._tools import campaign_tools
    from assay.campaign._verify import VerifiedRun, verify
    from assay.campaign._vocabulary import Vocabulary, build_vocabulary
