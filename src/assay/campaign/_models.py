"""The keys of ``campaign.toml``: the one place where they are declared.

Validation, the reference page and the template are all derived from these models.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from assay.base import ID_PATTERN
from assay.campaign._settings import (
    BackendName,
    CampaignConfig,
    ContextSettings,
    GateSettings,
    Language,
    PoolSettings,
    QuotaSettings,
    RoleBackends,
    RoundSettings,
    StopSettings,
)

_ROLES, _POOLS, _QUOTA, _ROUND = RoleBackends(), PoolSettings(), QuotaSettings(), RoundSettings()
_CONTEXT, _STOP, _GATE = ContextSettings(), StopSettings(), GateSettings()
_CAMPAIGN = CampaignConfig()
_ADMISSION = _CAMPAIGN.admission

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=10**6)]
Positive = Annotated[float, Field(gt=0, le=10**6)]
Text = Annotated[str, Field(min_length=1, max_length=4000)]
FileName = Annotated[str, Field(min_length=1, max_length=1000)]
MechanismName = Annotated[str, Field(pattern=f"^{ID_PATTERN.pattern}$")]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class CampaignTable(Table):
    """What is searched, and on what."""

    data: Text | None = Field(None, description="Data set; without it, the workspace's default.")
    universe: Text | None = Field(
        None, description="Members by date; without it, the workspace's for the data set."
    )
    horizon: Annotated[int, Field(ge=1, le=252)] = Field(
        _CAMPAIGN.horizon, description="Bars of the label that factors are scored on."
    )
    validate_share: Annotated[float, Field(ge=0, le=0.5)] = Field(
        _CAMPAIGN.validate_share,
        description="Part of `search`, at its end, that the loop never reads; what is before it is the "
        "training segment.",
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        _CAMPAIGN.seed, description="Of all that is drawn; one seed, one course."
    )
    language: Language = Field(_CAMPAIGN.language, description="Of the prompts.")


class RolesTable(Table):
    """What each role runs on: `llm`, the role of that name in `assay.toml`; `sampler`, no model at all."""

    planner: BackendName = Field(_ROLES.planner, description="Plans one direction for each slot.")
    proposer: BackendName = Field(_ROLES.proposer, description="Writes and mends candidates.")
    reviewer: BackendName = Field(
        _ROLES.reviewer, description="Judges whether hypothesis, description and formula agree."
    )
    distiller: BackendName = Field(_ROLES.distiller, description="Folds trials into the memory.")


class FilesTable(Table):
    """Files that the run copies when it first starts. Paths begin at the folder of `campaign.toml`."""

    fields: FileName | None = Field(
        None,
        description="TOML with a table for each field that may be used, with a `description`; without it, "
        "all fields of the data.",
        examples=["fields.toml"],
    )
    ops: FileName | None = Field(
        None,
        description="TOML with a table for each op that may be used, with a `note` if you like; without it, "
        "all ops.",
        examples=["ops.toml"],
    )
    templates: FileName | None = Field(
        None, description="Folder of prompt templates that replace those of Assay.", examples=["prompts"]
    )


class PoolsTable(Table):
    """Factors that candidates are compared with. They are read at every start; a change stops a resume."""

    reference: list[Text] = Field(
        list(_POOLS.reference), description="Sets of the library.", examples=['["classics"]']
    )
    reference_file: FileName | None = Field(
        None,
        description="TOML with a table for each further reference factor: `expression`, and if you like "
        "`dialect` and `family`.",
        examples=["reference.toml"],
    )
    known_file: FileName | None = Field(
        None, description="The same, for factors that you know already.", examples=["known.toml"]
    )


class QuotaTable(Table):
    """How the slots of a round go to the mechanism types."""

    slots: Annotated[int, Field(ge=1, le=1000)] = Field(_QUOTA.slots, description="Slots of a round.")
    min_per_type: Annotated[int, Field(ge=0, le=1000)] = Field(
        _QUOTA.min_per_type,
        description="Slots that each type gets; the rest goes by Thompson sampling on admission rates.",
    )
    prior_admitted: Positive = Field(
        _QUOTA.prior_admitted, description="Of the Beta prior: admissions thought of."
    )
    prior_rest: Positive = Field(_QUOTA.prior_rest, description="Of the Beta prior: the other trials.")


class RoundTable(Table):
    """How one round runs."""

    groups: Annotated[int, Field(ge=1, le=64)] = Field(
        _ROUND.groups, description="Proposal groups, whose calls of each stage are made side by side."
    )
    gate_fixes: Annotated[int, Field(ge=0, le=10)] = Field(
        _ROUND.gate_fixes, description="How often candidates that the gate refused go back to be mended."
    )
    max_children: Count | None = Field(
        None, description="A trial built on that often is built on no more.", examples=[3]
    )
    picked_parents: bool = Field(
        _ROUND.picked_parents,
        description="Parents picked from the trial graph claim slots; needs `context.theme_correlation`.",
    )


class ContextTable(Table):
    """What planner and proposer read of the past."""

    seed_directions: list[Text] = Field([], description="Ideas to begin with.", examples=['["..."]'])
    feedback: bool = Field(
        _CONTEXT.feedback,
        description="Off: only seed directions and factor families are read, every direction is new, and no "
        "memory is kept.",
    )
    recent_rounds: Annotated[int, Field(ge=0, le=1000)] = Field(
        _CONTEXT.recent_rounds,
        description="Rounds whose trials are listed one by one; older ones are counted.",
    )
    memory_every: Annotated[int, Field(ge=0, le=1000)] = Field(
        _CONTEXT.memory_every, description="Rounds between two memories; 0: none is kept."
    )
    theme_correlation: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None,
        description="Trials whose values correlate at least that much are one theme.",
        examples=[0.7],
    )
    lineage: bool = Field(_CONTEXT.lineage, description="Show what a trial was built on, and what on it.")
    send_back_repeats: bool = Field(
        _CONTEXT.send_back_repeats,
        description="A new direction's candidate as near to an earlier trial as a theme is rewritten once; "
        "needs `theme_correlation`.",
    )


class StopTable(Table):
    """When the campaign ends. All limits may be changed for a resume."""

    max_rounds: Count | None = Field(_STOP.max_rounds, description="Rounds.")
    max_trials: Count | None = Field(None, description="Evaluated trials.", examples=[2000])
    patience: Count | None = Field(None, description="Rounds in a row without an admission.", examples=[5])
    deadline: AwareDatetime | None = Field(
        None,
        description="Date and time with zone; the round in progress is dropped.",
        examples=["2030-01-01T06:00:00Z"],
    )


class GateTable(Table):
    """Size limits of a candidate's formula."""

    characters: Annotated[int, Field(ge=1, le=4096)] = Field(_GATE.characters, description="Of its text.")
    nodes: Annotated[int, Field(ge=1, le=200)] = Field(_GATE.nodes, description="Of its tree.")
    depth: Annotated[int, Field(ge=1, le=32)] = Field(_GATE.depth, description="Levels of its tree.")
    lookback: Annotated[int, Field(ge=1, le=504)] = Field(_GATE.lookback, description="Bars it needs.")


Threshold = Annotated[float, Field(ge=0, le=1000)] | Literal["off"]
ShareThreshold = Share | Literal["off"]
MoneyThreshold = Annotated[float, Field(ge=-1e6, le=1e6)] | Literal["off"]


class AdmissionTable(Table):
    """Thresholds of admission, on the training segment. `"off"` leaves a check out."""

    min_days: ShareThreshold = Field(
        _ADMISSION.min_days or "off", description="Share of the segment's days with a RankIC."
    )
    min_coverage: ShareThreshold = Field(
        _ADMISSION.min_coverage or "off", description="Mean share of the members with a value."
    )
    min_t: Threshold = Field(
        _ADMISSION.min_t or "off", description="Newey-West t of the mean RankIC, by size."
    )
    min_payoff_t: Threshold = Field(
        _ADMISSION.min_payoff_t or "off",
        description="Newey-West t of the mean payoff, the return of the portfolio that weighs names by their "
        "ranks, in the RankIC's direction.",
    )
    max_value_corr: ShareThreshold = Field(
        _ADMISSION.max_value_corr or "off",
        description="Rank correlation of values with a factor of the pool, by size.",
    )
    max_ic_corr: ShareThreshold = Field(
        _ADMISSION.max_ic_corr or "off",
        description="Correlation of daily RankICs with a factor of the pool, by size.",
    )
    min_residual_ic: ShareThreshold = Field(
        _ADMISSION.min_residual_ic or "off", description="Mean RankIC that the pool leaves over."
    )
    max_turnover: MoneyThreshold = Field(
        _ADMISSION.max_turnover or "off", description="One-way turnover of the book, a year."
    )
    min_break_even_bp: MoneyThreshold = Field(
        _ADMISSION.min_break_even_bp or "off",
        description="Cost of a unit traded, in bp, that uses up the book's gross excess return.",
    )
    max_adjusted_p: ShareThreshold = Field(
        _ADMISSION.max_adjusted_p or "off", description="p after all N trials of the ledger; see `deflation`."
    )
    min_rank_ic: ShareThreshold = Field("off", description="Mean RankIC, by size.")
    min_neutral_ic: ShareThreshold = Field("off", description="Mean neutral RankIC, by size.")
    residual_members: Annotated[int, Field(ge=1, le=100)] = Field(
        _ADMISSION.residual_members, description="Factors of the pool that the residual is taken against."
    )
    deflation: Literal["haircut", "dsr"] = Field(
        _ADMISSION.deflation,
        description="`haircut`: p of RankIC and payoff, the larger, as the best of N; `dsr`: 1 - deflated "
        "Sharpe ratio of the book.",
    )
    least_n: Count = Field(
        _ADMISSION.least_n, description="N that the deflation counts at least: about what one search tries."
    )


class MechanismTable(Table):
    """A mechanism type, by a name of your own. Without any, those of Assay."""

    description: Text = Field(description="What it looks for, in the language of the prompts.")


class CampaignFile(Table):
    """A campaign."""

    campaign: CampaignTable = Field(CampaignTable(), description="What is searched.")
    mechanisms: dict[MechanismName, MechanismTable] = Field({}, description="Mechanism types by name.")
    roles: RolesTable = Field(RolesTable(), description="Backends.")
    files: FilesTable = Field(FilesTable(), description="Files.")
    pools: PoolsTable = Field(PoolsTable(), description="Pools.")
    quota: QuotaTable = Field(QuotaTable(), description="Quota.")
    round: RoundTable = Field(RoundTable(), description="Rounds.")
    context: ContextTable = Field(ContextTable(), description="Context.")
    stop: StopTable = Field(StopTable(), description="Stop.")
    gate: GateTable = Field(GateTable(), description="Gate.")
    admission: AdmissionTable = Field(AdmissionTable(), description="Admission.")
