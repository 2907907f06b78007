from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.brain import Proposal, SimulationRequest
from assay.brain.multi import FairQueues, Side, Waiting
from assay.brain.multi._queues import MAX_WEIGHT, SIDES
from assay.config import BrainSlotMode

MODES: tuple[BrainSlotMode, ...] = ("1:2", "2:1", "dynamic")
WEIGHTS = {"1:2": (1, 2), "2:1": (2, 1)}


def items(agent: str, count: int) -> list[Waiting]:
    proposal = Proposal(SimulationRequest(regular="close"))
    return [Waiting(agent, place, proposal) for place in range(count)]


def filled(mode: BrainSlotMode, explorers: list[int], optimizers: list[int]) -> FairQueues:
    queues = FairQueues(mode)
    for side, prefix, sizes in (("explorer", "e", explorers), ("optimizer", "o", optimizers)):
        for number, size in enumerate(sizes):
            queues.put(side, items(f"{prefix}{number}", size))  # type: ignore[arg-type]
    return queues


def taken(queues: FairQueues) -> list[str]:
    found = []
    while (item := queues.take()) is not None:
        found.append(item.agent)
    return found


LINES = st.lists(st.integers(0, 12), min_size=1, max_size=3)


@given(st.sampled_from(MODES), LINES, LINES)
def test_everything_that_waits_is_taken_once_and_in_the_order_of_its_line(
    mode: BrainSlotMode, explorers: list[int], optimizers: list[int]
) -> None:
    queues = filled(mode, explorers, optimizers)
    found: list[Waiting] = []
    while (item := queues.take()) is not None:
        assert queues.waiting() == sum(explorers) + sum(optimizers) - len(found) - 1
        found.append(item)
    for prefix, sizes in (("e", explorers), ("o", optimizers)):
        for number, size in enumerate(sizes):
            assert [i.place for i in found if i.agent == f"{prefix}{number}"] == list(range(size))


@given(st.sampled_from(MODES), LINES, LINES)
def test_nobody_starves(mode: BrainSlotMode, explorers: list[int], optimizers: list[int]) -> None:
    order = taken(filled(mode, explorers, optimizers))
    lines = {f"e{i}": n for i, n in enumerate(explorers)} | {f"o{i}": n for i, n in enumerate(optimizers)}
    waited = dict.fromkeys(lines, 0)
    # a side gets one of at most 1 + MAX_WEIGHT turns, and within it the lines go round
    longest = (1 + MAX_WEIGHT) * max(len(explorers), len(optimizers))
    for agent in order:
        for name in waited:
            if lines[name] and name != agent:
                waited[name] += 1
                assert waited[name] <= longest
        waited[agent] = 0
        lines[agent] -= 1


@pytest.mark.parametrize("mode", ["1:2", "2:1"])
@pytest.mark.parametrize("count", range(1, 31))
def test_the_sides_share_as_the_mode_says(mode: BrainSlotMode, count: int) -> None:
    first = taken(filled(mode, [15, 15], [30]))[:count]
    explorers = sum(agent.startswith("e") for agent in first)
    weight = WEIGHTS[mode][0]
    assert abs(explorers - count * weight / 3) < 1


def test_a_side_that_waits_alone_has_all_slots() -> None:
    assert taken(filled("1:2", [5], [0])) == ["e0"] * 5
    assert taken(filled("2:1", [0], [3])) == ["o0"] * 3


def test_a_side_that_was_idle_has_saved_nothing_up() -> None:
    queues = filled("1:2", [20], [])
    for _ in range(10):
        queues.take()
    queues.put("optimizer", items("o0", 9))
    assert taken(queues)[:6] == ["o0", "e0", "o0", "o0", "e0", "o0"]


def test_the_dynamic_mode_goes_by_what_waits() -> None:
    counted = Counter(agent[0] for agent in taken(filled("dynamic", [30], [2]))[:4])
    assert counted["e"] >= counted["o"] >= 1
    even = taken(filled("dynamic", [10], [10]))
    assert abs(even[:10].count("e0") - 5) <= 1


def test_the_lines_of_a_side_take_turns() -> None:
    assert taken(filled("2:1", [2, 2, 2], [])) == ["e0", "e1", "e2", "e0", "e1", "e2"]


def test_the_sides_are_a_closed_list() -> None:
    known: tuple[Side, ...] = SIDES
    assert known == ("explorer", "optimizer")
