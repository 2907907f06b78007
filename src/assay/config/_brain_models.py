"""The keys of the ``[brain]`` tables of ``assay.toml``, and the file as a whole."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from assay.config._brain import (
    DEFAULT_ORDER,
    BrainAgentSettings,
    BrainClientSettings,
    BrainMultiSettings,
    BrainPipelineSettings,
    BrainSimulatorSettings,
    Level,
    OptimizerMode,
    SlotMode,
    Stage,
)
from assay.config._llm_models import BaseUrl, ConfigFileWithLlm
from assay.config._models import Table

_CLIENT: Final = BrainClientSettings()
_SIMULATOR: Final = BrainSimulatorSettings()
_AGENT: Final = BrainAgentSettings()
_PIPELINE: Final = BrainPipelineSettings()
_MULTI: Final = BrainMultiSettings()


def each_stage_once(value: list[Stage]) -> list[Stage]:
    """Hold an order to all stages: one that is left out would change what a position is."""
    if sorted(value) != sorted(DEFAULT_ORDER):
        raise PydanticCustomError(
            "stages", "is not each stage once", {"fix": f"order these: {', '.join(DEFAULT_ORDER)}"}
        )
    return value


Seconds = Annotated[float, Field(gt=0, le=86400)]
Pause = Annotated[float, Field(ge=0, le=3600)]
Rounds = Annotated[int, Field(ge=1, le=100_000)]
Places = Annotated[int, Field(ge=1, le=100)]
Share = Annotated[float, Field(ge=0, le=1)]
Ratio = Annotated[float, Field(ge=0, le=100)]
Order = Annotated[list[Stage], Field(min_length=5, max_length=5), AfterValidator(each_stage_once)]


class BrainClientTable(Table):
    """How WorldQuant BRAIN is asked. User name and password come from `BRAIN_USERNAME` and `BRAIN_PASSWORD`
    alone, in the environment or in `.env`."""

    base_url: BaseUrl = Field(_CLIENT.base_url, description="Address of the platform.")
    any_host: bool = Field(
        _CLIENT.any_host,
        description="Let credentials go to a host that is neither the official one nor this machine.",
    )
    concurrent: Places = Field(
        _CLIENT.concurrent, description="Simulations that the account may run at once: 3, of consultants 8."
    )
    timeout: Seconds = Field(_CLIENT.timeout, description="Seconds that one request may take.")
    relogin_before: Annotated[float, Field(ge=0, le=14000)] = Field(
        _CLIENT.relogin_before, description="Seconds before its expiry that a session is renewed."
    )
    poll_interval: Pause = Field(
        _CLIENT.poll_interval, description="Seconds between two looks, where a reply names no time."
    )
    simulation_timeout: Seconds = Field(
        _CLIENT.simulation_timeout, description="Seconds after which a simulation is given up."
    )
    attempts: Annotated[int, Field(ge=1, le=20)] = Field(
        _CLIENT.attempts,
        description="Attempts at a request that meets passing errors (5xx, time-outs); 429 uses none.",
    )


class BrainSimulatorTable(Table):
    """What the local simulator is."""

    level: Level = Field(_SIMULATOR.level, description="Whose limits and operators hold.")
    order: Order = Field(
        list(_SIMULATOR.order),
        description="Stages from the value of an expression to the position; what is published disagrees.",
    )
    book: Annotated[float, Field(ge=1000, le=1e12)] = Field(
        _SIMULATOR.book, description="Size of the constant book."
    )
    years: Annotated[int, Field(ge=1, le=50)] = Field(
        _SIMULATOR.years, description="Longest in-sample window, in years."
    )
    held_days: Annotated[int, Field(ge=0, le=5000)] = Field(
        _SIMULATOR.held_days,
        description="Last trading days of `search` that are kept from everybody until a session has ended.",
    )
    concurrent: Places = Field(_SIMULATOR.concurrent, description="Simulations that may run at once.")
    session_seconds: Annotated[float, Field(ge=1, le=86400)] = Field(
        _SIMULATOR.session_seconds, description="How long a session lasts."
    )
    daily_simulations: Annotated[int, Field(ge=1, le=10**9)] = Field(
        _SIMULATOR.daily_simulations, description="Simulations a day."
    )
    retry_after: Pause = Field(
        _SIMULATOR.retry_after, description="Seconds that the server asks clients to wait; in process none."
    )


class BrainAgentTable(Table):
    """Constants of the agent that searches on BRAIN or on its simulator."""

    simulations: Annotated[int, Field(ge=1, le=10**6)] = Field(
        _AGENT.simulations, description="Simulations that one session may take."
    )
    rounds: Rounds = Field(_AGENT.rounds, description="Rounds that one session may take.")
    slots: Places = Field(_AGENT.slots, description="Simulations at once, at most those of the account.")
    queue: Annotated[int, Field(ge=1, le=10_000)] = Field(
        _AGENT.queue, description="Proposals that may wait for a slot."
    )
    improvement_rounds: Rounds = Field(
        _AGENT.improvement_rounds, description="Rounds of improvement, then new directions are asked for."
    )
    stagnation_rounds: Rounds = Field(
        _AGENT.stagnation_rounds, description="Rounds without a better Sharpe ratio, with the same effect."
    )
    stall_rounds: Rounds = Field(
        _AGENT.stall_rounds, description="Rounds without a better Sharpe ratio after which the session ends."
    )
    stall_rounds_given: Rounds = Field(
        _AGENT.stall_rounds_given, description="The same for a session that begins with an expression."
    )
    empty_rounds: Rounds = Field(
        _AGENT.empty_rounds,
        description="Rounds on end that open nothing which can be run, after which the session ends.",
    )
    abandon_after: Rounds = Field(
        _AGENT.abandon_after, description="Rounds of its own after which a direction may be abandoned."
    )
    share_warning: Share = Field(
        _AGENT.share_warning, description="Share of all results from which on a direction is pointed out."
    )
    plateau_submissions: Rounds = Field(
        _AGENT.plateau_submissions, description="Last submissions that are looked at for a plateau."
    )
    plateau_unique: Rounds = Field(
        _AGENT.plateau_unique, description="Structures among them up to which it is one."
    )
    silent_retries: Annotated[int, Field(ge=0, le=100)] = Field(
        _AGENT.silent_retries, description="Tries at a passing fault before it is put into the background."
    )
    background_polls: Rounds = Field(
        _AGENT.background_polls, description="Tries in the background; then the session pauses."
    )
    converge_overrides: Annotated[int, Field(ge=0, le=1000)] = Field(
        _AGENT.converge_overrides, description="How often 'I am done' is overruled while criteria are unmet."
    )
    min_sharpe: Ratio = Field(_AGENT.min_sharpe, description="Criterion: least Sharpe ratio.")
    min_fitness: Ratio = Field(_AGENT.min_fitness, description="Criterion: least fitness.")
    min_turnover: Share = Field(_AGENT.min_turnover, description="Criterion: least turnover.")
    max_turnover: Share = Field(_AGENT.max_turnover, description="Criterion: highest turnover.")
    target_sharpe: Ratio = Field(
        _AGENT.target_sharpe, description="Sharpe ratio from which on nothing better is looked for."
    )
    knowledge_per_round: Annotated[int, Field(ge=0, le=1000)] = Field(
        _AGENT.knowledge_per_round, description="Entries of knowledge kept of a round."
    )
    knowledge_per_session: Annotated[int, Field(ge=0, le=1000)] = Field(
        _AGENT.knowledge_per_session, description="Entries of knowledge kept of a session."
    )
    research_turns: Rounds = Field(_AGENT.research_turns, description="Turns of a model in research.")
    research_stalls: Rounds = Field(
        _AGENT.research_stalls, description="Turns without anything new after which research ends."
    )
    invalid_replies: Annotated[int, Field(ge=1, le=20)] = Field(
        _AGENT.invalid_replies, description="Calls that an answer in the asked form may take."
    )
    temperature: Annotated[float, Field(ge=0, le=2)] = Field(
        _AGENT.temperature, description="Temperature of a model, where its role sets none."
    )
    submit_cap: Annotated[int, Field(ge=0, le=1000)] = Field(
        _AGENT.submit_cap, description="Alphas that one command may submit."
    )


class BrainPipelineTable(Table):
    """Thresholds of the template pipeline: which cores are expanded, watched, abandoned."""

    expand_sharpe: Ratio = Field(
        _PIPELINE.expand_sharpe,
        description="Mean Sharpe ratio of its probes from which a core is expanded.",
    )
    expand_fitness: Ratio = Field(
        _PIPELINE.expand_fitness, description="Mean fitness that it must reach too, where one is known."
    )
    watch_sharpe: Ratio = Field(
        _PIPELINE.watch_sharpe, description="Mean Sharpe ratio from which on a core is watched."
    )
    max_turnover: Share = Field(
        _PIPELINE.max_turnover, description="Mean turnover up to which a core is expanded."
    )
    min_probe_count: Annotated[int, Field(ge=1, le=1000)] = Field(
        _PIPELINE.min_probe_count, description="Completed probes that a core needs to be expanded."
    )
    simulations: Annotated[int, Field(ge=1, le=10**6)] = Field(
        _PIPELINE.simulations, description="Simulations that one run may take, probes included."
    )


class BrainMultiTable(Table):
    """Several agents that share the slots of one platform."""

    explorers: Annotated[int, Field(ge=1, le=20)] = Field(
        _MULTI.explorers, description="Agents that look for new directions."
    )
    optimizers: Annotated[int, Field(ge=0, le=20)] = Field(
        _MULTI.optimizers, description="Agents that vary the settings of what was found."
    )
    slots: SlotMode = Field(
        _MULTI.slots, description="How explorers and optimisers share the slots; dynamic: by what waits."
    )
    optimizer_mode: OptimizerMode = Field(
        _MULTI.optimizer_mode, description="Who proposes settings: layers of a script, or a model."
    )
    max_optimizer_rounds: Rounds = Field(
        _MULTI.max_optimizer_rounds, description="Rounds that one expression is optimised for."
    )
    max_explorer_rounds: Rounds = Field(_MULTI.max_explorer_rounds, description="Rounds of one explorer.")
    explorer_retry: Annotated[int, Field(ge=1, le=20)] = Field(
        _MULTI.explorer_retry, description="How often an explorer that could not answer is asked."
    )
    explorer_temperature: Annotated[float, Field(ge=0, le=2)] = Field(
        _MULTI.explorer_temperature, description="Temperature of explorers that are models."
    )
    target_sharpe: Ratio = Field(
        _MULTI.target_sharpe, description="Sharpe ratio, with all checks passed, that ends the search."
    )
    min_sharpe_for_optimization: Ratio = Field(
        _MULTI.min_sharpe_for_optimization, description="Sharpe ratio from which on settings are varied."
    )
    simulations: Annotated[int, Field(ge=1, le=10**6)] = Field(
        _MULTI.simulations, description="Simulations that one run may take."
    )


class BrainTable(Table):
    """WorldQuant BRAIN. All of it may be left out."""

    web_hosts: list[str] = Field(
        [],
        description="Hosts that the agent's web tools may read (https); empty: there are no such tools.",
        examples=['["arxiv.org"]'],
    )
    client: BrainClientTable = Field(BrainClientTable(), description="The platform.")
    simulator: BrainSimulatorTable = Field(BrainSimulatorTable(), description="The local simulator.")
    agent: BrainAgentTable = Field(BrainAgentTable(), description="The agent.")
    pipeline: BrainPipelineTable = Field(BrainPipelineTable(), description="The template pipeline.")
    multi: BrainMultiTable = Field(BrainMultiTable(), description="Several agents.")


class WholeConfigFile(ConfigFileWithLlm):
    """Settings of an Assay workspace."""

    brain: BrainTable = Field(BrainTable(), description="WorldQuant BRAIN.")


def json_schema() -> dict[str, Any]:
    """JSON schema of ``assay.toml``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **WholeConfigFile.model_json_schema()}
