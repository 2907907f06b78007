from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Stage = Literal["pasteurize", "decay", "truncate", "neutralize", "scale"]
Level = Literal["user", "consultant"]
SlotMode = Literal["1:2", "2:1", "dynamic"]
OptimizerMode = Literal["script", "llm"]

OFFICIAL_URL = "https://api.worldquantbrain.com"
DEFAULT_ORDER: tuple[Stage, ...] = ("pasteurize", "decay", "truncate", "neutralize", "scale")


@dataclass(frozen=True, slots=True)
class BrainClientSettings:
    """How the platform is asked; times in seconds.

    ``any_host`` lets credentials go to a host that is neither the official one nor the loopback.
    ``relogin_before`` is how long before its expiry a session is renewed; ``poll_interval`` is waited where a
    reply names no time; a simulation that has not ended after ``simulation_timeout`` is given up.
    ``attempts`` counts those at one request that a passing error may take.
    """

    base_url: str = OFFICIAL_URL
    any_host: bool = False
    concurrent: int = 3
    timeout: float = 30.0
    relogin_before: float = 600.0
    poll_interval: float = 5.0
    simulation_timeout: float = 3600.0
    attempts: int = 4


@dataclass(frozen=True, slots=True)
class BrainSimulatorSettings:
    """What the local simulator is: the account's level, its book, and how positions are made.

    ``order`` are the stages between the value of the expression and the position. ``years`` bounds the
    in-sample window, which ends ``held_days`` trading days before the end of the ``search`` period.
    """

    level: Level = "user"
    order: tuple[Stage, ...] = DEFAULT_ORDER
    book: float = 20e6
    years: int = 5
    held_days: int = 252
    concurrent: int = 3
    session_seconds: float = 14400.0
    daily_simulations: int = 5000
    retry_after: float = 1.0


@dataclass(frozen=True, slots=True)
class BrainAgentSettings:
    """Constants of the agent's state machine.

    ``simulations`` is the budget of one session. A direction may be abandoned after ``abandon_after`` rounds
    of its own; one that holds more than ``share_warning`` of at least three tracked ones is pointed out. The
    search has reached a plateau when the last ``plateau_submissions`` hold at most ``plateau_unique``
    structures. A result whose network failed is tried ``silent_retries`` times and then waits in the
    background, up to ``background_polls`` times. A policy that opens nothing which can be run in
    ``empty_rounds`` rounds on end cannot go on: the stop is forced. The model's word that it is done is
    overruled ``converge_overrides`` times while the criteria are unmet; then the stop is forced, and says so.
    """

    simulations: int = 200
    rounds: int = 1000
    slots: int = 3
    queue: int = 60
    improvement_rounds: int = 8
    stagnation_rounds: int = 5
    stall_rounds: int = 20
    stall_rounds_given: int = 40
    empty_rounds: int = 3
    abandon_after: int = 3
    share_warning: float = 0.6
    plateau_submissions: int = 9
    plateau_unique: int = 3
    silent_retries: int = 3
    background_polls: int = 60
    converge_overrides: int = 5
    min_sharpe: float = 1.25
    min_fitness: float = 1.0
    min_turnover: float = 0.01
    max_turnover: float = 0.7
    target_sharpe: float = 2.0
    knowledge_per_round: int = 2
    knowledge_per_session: int = 10
    research_turns: int = 30
    research_stalls: int = 5
    invalid_replies: int = 3
    temperature: float = 0.4
    submit_cap: int = 4


@dataclass(frozen=True, slots=True)
class BrainPipelineSettings:
    """The one set of thresholds of the template pipeline, and its budget.

    A core whose probes agree in sign is expanded where the mean Sharpe ratio, turned round if all are
    negative, and the mean fitness (or none is known) reach the ``expand_`` figures and the mean turnover
    keeps within ``max_turnover``. It is watched from ``watch_sharpe`` on, also where its probes disagree or
    are fewer than ``min_probe_count``; else abandoned. ``simulations`` is the budget of one run, probes
    included.
    """

    expand_sharpe: float = 1.0
    expand_fitness: float = 1.0
    watch_sharpe: float = 0.5
    max_turnover: float = 0.7
    min_probe_count: int = 1
    simulations: int = 200


@dataclass(frozen=True, slots=True)
class BrainMultiSettings:
    """Several agents on one platform.

    ``slots`` is how explorers and optimisers share: one to two, two to one, or by how many proposals each
    side has waiting. An optimiser takes up what reaches ``min_sharpe_for_optimization``; nobody goes on
    beyond ``target_sharpe``. A policy that could not answer is asked ``explorer_retry`` times in all.
    """

    explorers: int = 2
    optimizers: int = 1
    slots: SlotMode = "1:2"
    optimizer_mode: OptimizerMode = "script"
    max_optimizer_rounds: int = 15
    max_explorer_rounds: int = 10
    explorer_retry: int = 3
    explorer_temperature: float = 0.7
    target_sharpe: float = 1.5
    min_sharpe_for_optimization: float = 0.8
    simulations: int = 200


@dataclass(frozen=True, slots=True)
class BrainSettings:
    """The ``[brain]`` tables of a workspace."""

    client: BrainClientSettings = field(default_factory=BrainClientSettings)
    simulator: BrainSimulatorSettings = field(default_factory=BrainSimulatorSettings)
    agent: BrainAgentSettings = field(default_factory=BrainAgentSettings)
    pipeline: BrainPipelineSettings = field(default_factory=BrainPipelineSettings)
    multi: BrainMultiSettings = field(default_factory=BrainMultiSettings)
    web_hosts: tuple[str, ...] = ()
    """Hosts that the agent's web tools may read; empty: the tools do not exist."""
