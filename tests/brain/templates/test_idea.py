from __future__ import annotations

import pytest

from assay.brain.agent.policies.sampler import FAMILIES, Family
from assay.brain.templates import Expansion, Inventory, template_problems, templates_from_idea
from assay.errors import AssayError

from ..fakes import Catalogue, field_info

INVENTORY = Inventory.of(Catalogue())


@pytest.mark.parametrize("idea", ["Momentum combined with low volatility", "动量与低波动结合"])
def test_two_families_are_put_together_first(idea: str) -> None:
    found = templates_from_idea(idea, INVENTORY)
    assert found[0].name == "TPL_IDEA_MOMENTUM_LOW_VOLATILITY_V1"
    assert {item.name.rsplit("_", 1)[0] for item in found} == {
        "TPL_IDEA_MOMENTUM_LOW_VOLATILITY", "TPL_IDEA_MOMENTUM", "TPL_IDEA_LOW_VOLATILITY",
    }  # fmt: skip
    probe = next(iter(Expansion(found[0], INVENTORY)))
    assert probe.expression == (
        "rank(ts_delay(close, 21) / ts_delay(close, 126)) + rank(-ts_std_dev(returns, 21))"
    )


def test_a_hypothesis_is_in_the_language_of_the_idea() -> None:
    assert "动量" not in templates_from_idea("momentum", INVENTORY)[0].idea
    assert "赢家" in templates_from_idea("动量", INVENTORY)[0].idea


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_every_family_gives_templates_that_can_be_simulated(family: Family) -> None:
    for template in templates_from_idea(family.words["en"][0], INVENTORY):
        assert list(template_problems(template)) == []
        expansion = Expansion(template, INVENTORY)
        assert list(expansion)
        assert "invalid" not in expansion.skipped


def test_equal_ideas_give_equal_templates() -> None:
    assert templates_from_idea("reversal", INVENTORY) == templates_from_idea("reversal", INVENTORY)


def test_an_idea_that_names_nothing_says_what_could_be_named() -> None:
    with pytest.raises(AssayError) as caught:
        templates_from_idea("xyzzy", INVENTORY)
    assert "momentum (动量)" in (caught.value.fix or "")


def test_a_platform_without_the_fields_says_so() -> None:
    bare = Inventory.of(Catalogue((field_info("nothing_known"),)))
    with pytest.raises(AssayError, match="no field for the idea"):
        templates_from_idea("momentum", bare)


def test_at_most_so_many_are_made() -> None:
    assert len(templates_from_idea("momentum reversal volatility volume", INVENTORY, most=3)) == 3
