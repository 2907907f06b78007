from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from assay.brain.simulator import Market
from assay.brain.simulator._universes import members_of, most_traded_part, review_rows, universes_of
from assay.market import Panel, universe_from_mask

from .markets import SETTINGS, by_hand, market, simulated, weekdays


def _traded(names: int = 60, days: int = 90) -> Panel:
    """Name k trades k + 1 a day, until the order turns round after 40 days."""
    amount = np.tile(np.arange(1.0, names + 1), (days, 1))
    amount[40:] = amount[40:, ::-1] * 1000
    return Panel(by_hand(np.full((days, names), 5.0), amount=amount))


def test_reviews_are_on_the_first_trading_day_of_a_month() -> None:
    dates = weekdays(60)
    rows = review_rows(dates)
    assert rows[0] == 1
    assert [str(dates[row]) for row in rows[1:]] == ["2020-02-03", "2020-03-02"]


def test_topn_of_a_small_market_are_shares_of_it() -> None:
    panel = _traded(names=300)
    infos = {info.name: info for info in universes_of(panel)}
    assert list(infos) == ["TOP3000", "TOP1000", "TOP500", "TOP200"]
    counts = {name: int(members_of(panel, info)[5].sum()) for name, info in infos.items()}
    assert counts == {"TOP3000": 300, "TOP1000": 100, "TOP500": 50, "TOP200": 20}
    assert "100 most traded of about 300 listed names" in infos["TOP1000"].description


def test_universes_of_fewer_than_ten_names_are_not_offered() -> None:
    assert [info.name for info in universes_of(_traded())] == ["TOP3000", "TOP1000", "TOP500"]
    assert [info.name for info in universes_of(_traded(names=20))] == ["TOP3000"]


def test_members_are_the_most_traded_of_the_days_before_the_review() -> None:
    panel = _traded()
    top = next(info for info in universes_of(panel) if info.name == "TOP1000")
    members = members_of(panel, top)
    rows = review_rows(panel.dates)
    assert not members[0].any()
    assert set(np.flatnonzero(members[30])) == set(range(40, 60))
    # the order turned at row 40: the review before it cannot know, the one after it does
    turned = next(row for row in rows if row > 40)
    assert set(np.flatnonzero(members[turned - 1])) == set(range(40, 60))
    assert set(np.flatnonzero(members[turned])) == set(range(20))


def test_topn_are_nested() -> None:
    history = market().sample
    top = [history.members(name) for name in history.universes if name.startswith("TOP")]
    for larger, smaller in pairwise(top):
        assert not np.any(smaller & ~larger)


def test_later_amounts_change_no_earlier_member() -> None:
    panel = _traded()
    top = next(info for info in universes_of(panel) if info.name == "TOP1000")
    data = by_hand(np.full((90, 60), 5.0), amount=np.random.default_rng(0).uniform(1, 9, (90, 60)))
    changed = data.fields["amount"].copy()
    changed[50:] = changed[50:, ::-1]
    one, other = (
        members_of(Panel(one), top)
        for one in (data, replace(data, fields={**data.fields, "amount": changed}))
    )
    np.testing.assert_array_equal(one[:51], other[:51])
    assert not np.array_equal(one, other)


def test_without_traded_amounts_there_is_one_universe_of_all_listed() -> None:
    panel = Panel(by_hand(np.full((90, 60), 5.0)))
    (only,) = universes_of(panel)
    assert only.name == "TOP3000"
    assert members_of(panel, only).all()
    np.testing.assert_array_equal(most_traded_part(panel, members_of(panel, only)), members_of(panel, only))


def test_universes_of_the_data_set_keep_their_names_in_capitals() -> None:
    tested = market()
    assert {"INDEX_A", "INDEX_B"} <= set(tested.sample.universes)
    np.testing.assert_array_equal(tested.sample.members("INDEX_A"), tested.sample.panel.universe("index_a"))


def test_a_universe_that_is_not_known_to_the_end_is_not_offered() -> None:
    data = simulated().data
    ended = universe_from_mask(
        np.ones(data.shape, dtype=np.bool_), known_until=data.dates[300], description="ended"
    )
    panel = Panel(replace(data, universes={"ended": ended, "index_a": data.universes["index_a"]}))
    offered = Market.of(panel, None, SETTINGS).choices().universes["USA"]
    assert "INDEX_A" in offered
    assert "ENDED" not in offered


def test_the_next_smaller_universe_is_nested_or_the_most_traded_third() -> None:
    history = market().sample
    nested = history.next_smaller("TOP3000")
    assert nested.ratio == 1000 / 3000
    np.testing.assert_array_equal(nested.members, history.members("TOP1000"))
    for name in ("TOP500", "INDEX_A"):
        third, own = history.next_smaller(name), history.members(name)
        assert third.ratio == 1 / 3
        assert not np.any(third.members & ~own)
        share = third.members[200:].sum() / own[200:].sum()
        assert 0.25 < share < 0.4
