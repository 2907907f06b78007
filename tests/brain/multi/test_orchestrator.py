from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.brain import SettingsChoices, SimulationRequest
from assay.brain.multi import Board, MultiReport, MultiRound, Optimizer, Orchestrator, by_layers
from assay.brain.multi._orchestrator import ROUND
from assay.config import BrainMultiSettings

from ..fakes import CHOICES
from .agents import Figures, Listed, Scripted, proposal

SLOTS = 3


def run(
    agents: Sequence[Any], runner: Scripted | None = None, board: Board | None = None, **changes: Any
) -> tuple[MultiReport, Scripted]:
    runner = runner or Scripted()
    config = BrainMultiSettings(**changes)
    return Orchestrator(agents, board or Board(), runner, config, SLOTS).run(), runner


def texts(prefix: str, *sizes: int) -> list[list[Any]]:
    number = iter(range(10**6))
    return [[proposal(f"ts_mean({prefix}, {next(number) + 2})") for _ in range(size)] for size in sizes]


def test_every_batch_is_told_whole_and_in_order() -> None:
    one, other = Listed("e1", texts("close", 2, 5, 1)), Listed("e2", texts("open", 30, 3))
    report, runner = run([one, other])
    assert [len(told) for told in one.told] == [2, 5, 1]
    assert [len(told) for told in other.told] == [30, 3]
    assert report.stop == "finished"
    assert report.simulations == len(runner.ran) == 41
    assert [line.simulated for line in report.agents] == [8, 33]


def test_a_round_fills_the_slots_and_an_agent_with_much_does_not_block_one_with_little() -> None:
    many, few = Listed("e1", texts("close", 60)), Listed("e2", texts("open", 3, 3))
    report, runner = run([many, few])
    assert all(len(batch) == SLOTS * ROUND for batch in runner.batches[:-1])
    # its first three are in the first round, the next three in the second
    assert [line.simulated.get("e2", 0) for line in report.rounds[:2]] == [3, 3]


def test_one_agent_that_is_done_leaves_its_slots_to_the_others() -> None:
    done, busy = Listed("o1", texts("close", 1), side="optimizer"), Listed("e1", texts("open", 50))
    report, runner = run([done, busy])
    assert [len(batch) for batch in runner.batches] == [12, 12, 12, 12, 3]
    assert report.stop == "finished"


def test_the_sides_get_their_shares_in_every_round() -> None:
    sides = [Listed("e1", texts("close", 40)), Listed("o1", texts("open", 40), side="optimizer")]
    report, _ = run(sides)
    assert [line.simulated for line in report.rounds[:4]] == [{"o1": 8, "e1": 4}] * 4
    report, _ = run([Listed(a.name, a.batches, side=a.side) for a in sides], slots="2:1")
    assert [line.simulated for line in report.rounds[:4]] == [{"e1": 8, "o1": 4}] * 4


def test_the_same_simulation_is_made_once_whoever_asks() -> None:
    shared = [proposal("close"), proposal("open - close")]
    one = Listed("e1", [shared, [proposal("volume")]])
    other = Listed("e2", [[proposal("(close)"), proposal("open")], [proposal("volume"), *shared]])
    report, runner = run([one, other])
    assert sorted(request.regular for request in runner.ran) == ["close", "open", "open - close", "volume"]
    assert [line.shared for line in report.agents] == [0, 4]
    assert [result.sharpe for told in other.told for result in told if result] == [0.5] * 5


def test_other_settings_are_another_simulation() -> None:
    report, _ = run([Listed("e1", [[proposal("close", decay=1), proposal("close", decay=2)]])])
    assert report.simulations == 2


def test_an_agent_whose_batch_is_known_is_asked_on_at_once() -> None:
    first = Listed("e1", [[proposal("close")]])
    later = Listed("e2", [[proposal("open")], [proposal("close")], [proposal("close")], [proposal("volume")]])
    report, _ = run([first, later])
    assert [line.number for line in report.rounds] == [1, 2]
    assert len(later.told) == 4


def test_what_gets_no_answer_is_told_as_none_and_blocks_nobody() -> None:
    def figures(request: SimulationRequest) -> float | None:
        return None if "open" in request.regular else 0.5

    agent = Listed("e1", [[proposal("close"), proposal("open")], [proposal("volume")]])
    report, _ = run([agent], Scripted(figures))
    assert agent.told[0][1] is None
    assert len(agent.told) == 2
    assert report.stop == "finished"


def test_the_budget_is_kept_to_the_last_simulation() -> None:
    for budget in (1, 7, 12, 13):
        agents = [Listed("e1", texts("close", 20)), Listed("o1", texts("open", 20), side="optimizer")]
        report, runner = run(agents, simulations=budget)
        assert (report.stop, len(runner.ran), report.simulations) == ("budget", budget, budget)


def test_the_target_ends_the_run() -> None:
    def figures(request: SimulationRequest) -> float:
        return 1.6 if request.regular == "ts_mean(close, 20)" else 0.1

    report, runner = run([Listed("e1", texts("close", 60))], Scripted(figures))
    assert report.stop == "converged"
    assert report.best is not None
    assert report.best.sharpe == 1.6
    assert len(runner.batches) == 2


def test_nobody_to_ask_is_an_end() -> None:
    report, runner = run([])
    assert (report.stop, report.simulations, runner.batches) == ("finished", 0, [])


def test_a_watcher_is_told_of_every_round() -> None:
    told: list[MultiRound] = []
    agents = [Listed("e1", texts("close", 15))]
    Orchestrator(agents, Board(), Scripted(), BrainMultiSettings(), SLOTS, told.append).run()
    assert [(line.number, line.simulated, line.waiting) for line in told] == [
        (1, {"e1": 12}, 3), (2, {"e1": 3}, 0),
    ]  # fmt: skip


BATCHES = st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=8), max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), BATCHES), max_size=4), st.sampled_from(["1:2", "2:1", "dynamic"]))
def test_any_agents_come_to_an_end_without_a_repeat(
    given_agents: list[tuple[bool, list[list[int]]]], mode: str
) -> None:
    agents = [
        Listed(
            f"a{number}",
            [[proposal(f"ts_mean(close, {value + 1})") for value in batch] for batch in batches],
            side="optimizer" if optimizer else "explorer",
        )
        for number, (optimizer, batches) in enumerate(given_agents)
    ]
    report, runner = run(agents, slots=mode)
    assert report.stop == "finished"
    assert len(runner.ran) == len(set(runner.ran))
    assert all(len(agent.told) == len(agent.batches) for agent in agents)


# -- optimisers


def with_optimizers(figures: Figures, explorer: Listed, count: int = 1, **changes: Any) -> tuple[Any, ...]:
    board = Board()
    config = BrainMultiSettings(**{"target_sharpe": 9.0, "simulations": 150, **changes})
    choices: SettingsChoices = CHOICES
    optimizers = [
        Optimizer(f"o{number + 1}", board, by_layers(choices, config, number), SLOTS, config)
        for number in range(count)
    ]
    runner = Scripted(figures)
    report = Orchestrator([explorer, *optimizers], board, runner, config, SLOTS).run()
    return report, runner, optimizers


def by_settings(request: SimulationRequest) -> float:
    """Best with SECTOR and a decay of 22; the sign of the expression counts."""
    settings, text = request.settings, request.regular
    size = 0.9 if "close" in text else 0.3
    size += 0.2 * (settings.neutralization == "SECTOR") + 0.1 * (settings.decay == 22)
    return -size if text.startswith("-") else size


def test_an_optimiser_takes_up_what_is_good_enough_and_makes_it_better() -> None:
    report, runner, (optimizer,) = with_optimizers(
        by_settings, Listed("e1", [[proposal("close"), proposal("volume")]])
    )
    assert report.best is not None
    assert report.best.proposal.request.settings.neutralization == "SECTOR"
    assert report.best.proposal.request.settings.decay == 22
    assert report.best.sharpe == pytest.approx(1.2)
    varied = {request.regular for request in runner.ran if request.settings.decay == 22}
    assert varied == {"close"}
    assert len(runner.ran) == len(set(runner.ran))
    assert optimizer.rounds <= 15


def test_a_strong_negative_expression_is_turned_round() -> None:
    report, _, _ = with_optimizers(by_settings, Listed("e1", [[proposal("-close")]]))
    assert report.best is not None
    assert report.best.proposal.request.regular == "close"
    assert (report.best.sharpe or 0) > 0.9


def test_two_optimisers_do_not_take_the_same_expression() -> None:
    explorer = Listed("e1", [[proposal("close"), proposal("-close"), proposal("2 * close")]])
    _, _, (one, other) = with_optimizers(by_settings, explorer, count=2)
    assert one.rounds > 0
    assert other.rounds == 0


def test_an_optimiser_gives_an_expression_up_after_its_rounds() -> None:
    explorer = Listed("e1", [[proposal("close"), proposal("close + open")]])
    _, _, (optimizer,) = with_optimizers(by_settings, explorer, max_optimizer_rounds=2)
    assert optimizer.rounds == 4


def test_nothing_is_optimised_below_the_least_sharpe_ratio() -> None:
    explorer = Listed("e1", [[proposal("volume")]])
    report, runner, (optimizer,) = with_optimizers(by_settings, explorer)
    assert (optimizer.rounds, len(runner.ran), report.stop) == (0, 1, "finished")
