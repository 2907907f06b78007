from __future__ import annotations

from typing import Any

import pytest

from assay.brain import DataFieldInfo, JobResult, Proposal, SimulationRequest, Stats
from assay.brain.scout import rank_data_sets, rank_fields, scout, tried_fields
from assay.brain.search import StoredResult, fingerprint
from assay.brain.templates import Inventory

from ..fakes import Catalogue, field_info


def stored(text: str, sharpe: float | None = 0.5, **settings: Any) -> StoredResult:
    request = SimulationRequest.model_validate({"regular": text, "settings": settings})
    result = JobResult(
        "j1", Proposal(request), "completed", stats=Stats(sharpe=sharpe), fingerprint=fingerprint(text)
    )
    return StoredResult(result, "catalogue")


def field(name: str, **told: Any) -> DataFieldInfo:
    return field_info(name).model_copy(update=told)


def order(*fields: DataFieldInfo, tried: tuple[StoredResult, ...] = ()) -> list[str]:
    return [row.id for row in rank_fields(fields, tried_fields(tried))]


def test_what_few_use_goes_first() -> None:
    assert order(field("a", alpha_count=5000), field("b", alpha_count=3), field("c", alpha_count=100)) == [
        "b", "c", "a",
    ]  # fmt: skip


def test_users_count_where_alphas_are_not_told() -> None:
    assert order(field("a", user_count=900), field("b", user_count=9)) == ["b", "a"]


def test_what_covers_more_goes_first_and_what_hardly_covers_is_left_out() -> None:
    assert order(field("a", coverage=0.5), field("b", coverage=0.95), field("c", coverage=0.2)) == ["b", "a"]


def test_what_was_tried_goes_last() -> None:
    tried = (stored("rank(a)"), stored("ts_mean(a, 5)"), stored("b"))
    assert order(field("a"), field("b"), field("c"), tried=tried) == ["c", "b", "a"]


def test_an_expression_counts_once_whatever_its_settings() -> None:
    found = tried_fields(
        [stored("rank(a)", 0.2, decay=1), stored("rank(a)", -1.4, decay=2), stored("b", None)]
    )
    assert (found["a"].count, found["a"].best) == (1, -1.4)
    assert (found["b"].count, found["b"].best) == (1, None)


def test_data_sets_count_what_was_tried_of_their_fields() -> None:
    platform = Catalogue()
    tried = tried_fields([stored("rank(equity)", 0.7), stored("ts_rank(equity, 20)", 0.3)])
    rows = rank_data_sets(platform.data_sets(), platform.data_fields(), tried)
    assert {row.id: (row.tried, row.best) for row in rows}["fundamental6"] == (2, 0.7)
    assert rows[-1].id == "fundamental6"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_ideas_can_be_simulated_and_say_why(language: Any) -> None:
    platform = Catalogue()
    report = scout(platform, language=language)
    inventory = Inventory.of(platform)
    assert len(report.ideas) == 10
    assert all(inventory.problem(idea.expression) is None for idea in report.ideas)
    assert all(idea.field in idea.expression for idea in report.ideas)
    assert len({idea.expression for idea in report.ideas}) == 10
    assert all(idea.hypothesis for idea in report.ideas)


def test_ideas_speak_of_the_least_explored_fields_first() -> None:
    fields = (
        *(item for item in Catalogue().fields if item.type == "GROUP"),
        field("close", alpha_count=10**6),
        field_info("insider_score", "rare1").model_copy(update={"alpha_count": 2, "user_count": 1}),
    )
    report = scout(Catalogue(fields))
    assert report.data_sets[0].id in ("pv1", "rare1")
    assert report.ideas[0].field == "insider_score"
    assert report.ideas[0].data_set == "rare1"


def test_a_structure_that_was_tried_is_not_proposed_again() -> None:
    first = scout(Catalogue()).ideas
    again = scout(Catalogue(), [stored(idea.expression) for idea in first]).ideas
    assert not {idea.expression for idea in first} & {idea.expression for idea in again}


def test_a_data_set_of_groups_alone_is_nothing_to_search() -> None:
    platform = Catalogue((field_info("close"), field_info("sector", "group1", "GROUP")))
    rows = rank_data_sets(platform.data_sets(), platform.data_fields(), {})
    assert [row.id for row in rows] == ["pv1"]


def test_events_may_be_rare() -> None:
    event = field_info("news", "news1", "VECTOR").model_copy(update={"coverage": 0.05})
    assert order(event, field("b", coverage=0.05)) == ["news"]


def test_an_expression_of_two_fields_counts_once_for_their_data_set() -> None:
    platform = Catalogue()
    rows = rank_data_sets(
        platform.data_sets(), platform.data_fields(), tried_fields([stored("rank(close - open)")])
    )
    assert {row.id: row.tried for row in rows}["pv1"] == 1


def test_of_many_data_sets_the_most_promising_are_read() -> None:
    many = tuple(field_info(f"f{number}", f"set{number}") for number in range(40))
    platform = Catalogue((*many, *Catalogue().fields))
    report = scout(platform)
    assert len(report.data_sets) == 43
    assert len({name for name, _ in platform.asked}) <= 12
    assert (None, "") not in platform.asked
    assert report.ideas


def test_one_data_set_alone() -> None:
    report = scout(Catalogue(), data_set="fundamental6")
    assert [row.id for row in report.data_sets] == ["fundamental6"]
    assert [row.id for row in report.fields] == ["equity"]
    assert all("equity" in idea.expression for idea in report.ideas)


def test_equal_platforms_give_equal_reports() -> None:
    assert scout(Catalogue()) == scout(Catalogue())
