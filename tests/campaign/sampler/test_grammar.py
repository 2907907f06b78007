from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.campaign.sampler import FORMS, Grammar, SamplerSpace, behaviours
from assay.expr import Limits, check, exponent, fields_of, parse
from assay.market import STANDARD_FIELDS, simulate

SIM = dict(simulate(1, 20, 60).fields)
GRAMMAR = Grammar(SamplerSpace(SIM))
ALL = sorted(GRAMMAR.usable)


def test_every_form_can_be_filled_from_the_fields_of_the_simulated_market() -> None:
    assert GRAMMAR.usable == {form for forms in FORMS.values() for form in forms}


@given(seed=st.integers(0, 2**32), form=st.sampled_from(ALL), plain=st.booleans())
@settings(max_examples=200, deadline=None)
def test_whatever_is_drawn_is_a_valid_invariant_formula(seed: int, form: str, plain: bool) -> None:
    found = GRAMMAR.draw(np.random.default_rng(seed), form, ALL, plain=plain)
    verdict = check(found.text, fields=SIM, limits=GRAMMAR.space.limits, adjustment="refuse")
    assert verdict.error is None
    assert verdict.expression is not None
    assert verdict.expression.fingerprint == found.fingerprint
    assert found.kind == "number"
    assert exponent(found.node, SIM).invariant
    unfit = {"factor", "shares", "suspended", "is_st"}
    assert not {name for name in fields_of(found.node) if name in unfit or name.startswith("raw_")}


def test_equal_generators_draw_equal_formulas() -> None:
    one, two = (
        [GRAMMAR.draw(np.random.default_rng(n), form, ALL).text for n, form in enumerate(ALL)]
        for _ in range(2)
    )
    assert one == two
    assert len(set(one)) > 0.9 * len(one)


def test_forms_that_lack_fields_are_left_out() -> None:
    few = Grammar(SamplerSpace({name: STANDARD_FIELDS[name] for name in ("close", "volume")}))
    assert "ts_return(P, k)" in few.usable
    assert "ts_corr(P, V, w)" in few.usable
    assert "P / P2" not in few.usable
    assert "L / L2" not in few.usable
    assert not any("E" in form for form in few.usable)


def test_ops_and_limits_of_the_vocabulary_hold() -> None:
    space = SamplerSpace(SIM, ("ts_mean", "div", "delay", "sub"), Limits(nodes=9, lookback=30))
    few = Grammar(space)
    assert few.usable
    forms = sorted(few.usable)
    for number in range(30):
        found = few.draw(np.random.default_rng(number), forms[number % len(forms)], forms)
        assert found.lookback <= 30
        assert found.size <= 9
        assert set(found.text.replace("(", " ").split()) & {"ts_std", "ts_rank", "rank"} == set()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("close / close", "a value with itself"),
        ("ts_mean(vec_avg(event_score), 5)", "missing on days without events"),
        ("close", "scales with the adjustment factor"),
        ("returns > 0", "no number"),
    ],
)
def test_what_says_nothing_is_not_proposed(text: str, why: str) -> None:
    assert GRAMMAR.checked(parse(text, fields=SIM).node) is None, why


def test_mechanism_types_map_to_behaviours_by_their_words() -> None:
    assert behaviours("momentum") == ("momentum",)
    assert behaviours("量价") == ("volume_price",)
    assert behaviours("structure") == ("structure", "level", "event")
    assert behaviours("m1", "returns after news") == ("event",)
    assert behaviours("m1") == tuple(FORMS)
    assert set(GRAMMAR.forms("liquidity")) == set(FORMS["liquidity"])
