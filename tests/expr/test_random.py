from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.base import generator
from assay.errors import Refusal
from assay.expr import FieldInfo, Space, crossover, exponent, mutate, sample, to_text, validate

SEEDS = st.integers(0, 2**32)
FREE = Space(adjustment=False, nodes=20, depth=5, lookback=200)


@settings(max_examples=60)
@given(seed=SEEDS)
def test_equal_seeds_draw_equal_trees(seed) -> None:
    assert sample(generator(seed)) == sample(generator(seed))
    one, other = generator(seed), generator(seed)
    assert mutate(one, sample(one)) == mutate(other, sample(other))


@pytest.mark.parametrize("space", [Space(), FREE], ids=["adjusted", "free"])
@settings(max_examples=60)
@given(seed=SEEDS)
def test_all_steps_stay_inside_the_space(space, seed) -> None:
    rng = generator(seed)
    one, other = sample(rng, space), sample(rng, space)
    for node in (one, other, mutate(rng, one, space), crossover(rng, one, other, space)):
        validate(node, space.fields)
        assert space.allows(node)
        assert node.size <= space.nodes
        if space.adjustment:
            assert exponent(node, space.fields).invariant


@settings(max_examples=40)
@given(seed=SEEDS)
def test_a_mutation_changes_the_tree(seed) -> None:
    rng = generator(seed)
    node = sample(rng)
    assert mutate(rng, node) != node


def test_samples_vary_and_use_many_ops() -> None:
    rng = generator(1)
    drawn = [sample(rng) for _ in range(300)]
    assert len(set(drawn)) > 250
    text = " ".join(map(to_text, drawn))
    assert all(
        f"{name}(" in text
        for name in ("rank", "ts_corr", "group_neutralize", "ts_regression", "where", "delay")
    )


def test_vectors_and_unknown_fields_are_used_when_there_are_some() -> None:
    fields = {
        "news": FieldInfo("news", "vector", 0.0),
        "eps": FieldInfo("eps"),
        "close": FieldInfo("close", exponent=1.0),
    }
    space = Space(fields=fields)
    rng = generator(2)
    text = " ".join(to_text(sample(rng, space)) for _ in range(200))
    assert "vec_" in text
    assert "eps" in text
    assert "group_" not in text


def test_a_space_without_a_valid_tree_is_refused() -> None:
    space = Space(fields={"close": FieldInfo("close", exponent=1.0)}, ops=("add", "ts_mean"), nodes=1)
    with pytest.raises(Refusal) as caught:
        sample(generator(3), space)
    assert caught.value.reason.code == "no_valid_change"
