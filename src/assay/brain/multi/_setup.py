"""The agents of a run, from a platform, an idea and the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.base import generator
from assay.brain._platform import Platform
from assay.brain.agent import Policy, Task
from assay.brain.agent.policies import language_of
from assay.brain.agent.policies.sampler import FAMILIES, families_in
from assay.brain.multi._agents import Board, SearchAgent
from assay.brain.multi._explorer import Explorer
from assay.brain.multi._optimizer import NewSearch, Optimizer, by_layers
from assay.config import BrainSettings


def explorer_tasks(task: Task, count: int, seed: int = 0) -> tuple[Task, ...]:
    """The task for each explorer: the first keeps to the idea, each other adds a family of its own to it."""
    language = language_of(task.idea)
    named = {family.id for family in families_in(task.idea)}
    others = [family.name[language] for family in FAMILIES if family.id not in named]
    order = generator(seed, "brain", "multi").permutation(len(others))
    added = [others[place] for place in order]
    return (
        task,
        *(
            replace(task, idea=", ".join(filter(None, (task.idea, added[number % len(added)]))))
            for number in range(count - 1)
        ),
    )


def make_agents(
    platform: Platform,
    policies: Sequence[Policy],
    task: Task,
    board: Board,
    settings: BrainSettings,
    *,
    seed: int = 0,
    new_search: NewSearch | None = None,
) -> tuple[SearchAgent, ...]:
    """One explorer for each policy, and the optimisers of the settings.

    Parameters
    ----------
    new_search : makes the search of an optimiser for an expression; by default without a model.
    """
    config = settings.multi
    tasks = explorer_tasks(task, len(policies), seed)
    explorers = [
        Explorer(f"explorer-{number}", policy, platform, own, settings.agent, config)
        for number, (policy, own) in enumerate(zip(policies, tasks, strict=True), 1)
    ]
    choices = platform.choices()
    optimizers = [
        Optimizer(
            f"optimizer-{number}",
            board,
            new_search or by_layers(choices, config, seed + number),
            platform.slots,
            config,
        )
        for number in range(1, config.optimizers + 1)
    ]
    return (*explorers, *optimizers)
