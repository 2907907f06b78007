from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.brain.search._independent import greedy, heaviest, weight_of

Graph = tuple[list[int], list[int]]


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> Graph:
    n = draw(st.integers(0, most))
    weights = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    joined = [0] * n
    for a, b in combinations(range(n), 2):
        if draw(st.booleans()):
            joined[a] |= 1 << b
            joined[b] |= 1 << a
    return weights, joined


def allowed(members: int, joined: list[int]) -> bool:
    return all(not joined[v] & members for v in range(len(joined)) if members >> v & 1)


def brute(weights: list[int], joined: list[int], most: int) -> int:
    sets = (m for m in range(1 << len(weights)) if m.bit_count() <= most and allowed(m, joined))
    return max(weight_of(weights, m) for m in sets)


@settings(max_examples=150, deadline=None)
@given(graphs(), st.integers(0, 9))
def test_the_exact_search_is_as_good_as_trying_all(graph: Graph, most: int) -> None:
    weights, joined = graph
    found = heaviest(weights, joined, most, exact_up_to=60)
    assert found.exact
    assert allowed(found.members, joined)
    assert found.members.bit_count() <= most
    assert found.weight == weight_of(weights, found.members) == brute(weights, joined, most)


@settings(max_examples=80, deadline=None)
@given(graphs(), st.integers(0, 9))
def test_the_local_search_is_between_greedy_and_its_bound(graph: Graph, most: int) -> None:
    weights, joined = graph
    found = heaviest(weights, joined, most, exact_up_to=-1)
    best = brute(weights, joined, most)
    assert allowed(found.members, joined)
    assert found.members.bit_count() <= most
    assert weight_of(weights, greedy(weights, joined, most)) <= found.weight <= best <= found.bound


def test_a_star_is_where_greedy_is_worst() -> None:
    weights, joined = [3, 2, 2, 2], [0b1110, 0b1, 0b1, 0b1]
    assert greedy(weights, joined, 4) == 0b1
    assert heaviest(weights, joined, 4, exact_up_to=60).weight == 6
    assert heaviest(weights, joined, 4, exact_up_to=-1).weight == 6
    assert heaviest(weights, joined, 1, exact_up_to=60).weight == 3


def test_many_that_are_not_joined_are_no_effort() -> None:
    found = heaviest(list(range(400)), [0] * 400, 10, exact_up_to=60)
    assert found.exact
    assert found.weight == sum(range(390, 400))


def test_too_large_a_part_is_searched_locally_with_a_bound() -> None:
    n = 80
    ring = [1 << (v - 1) % n | 1 << (v + 1) % n for v in range(n)]
    found = heaviest([1] * n, ring, n, exact_up_to=60)
    assert found.weight == 40
    assert found.bound >= 40
