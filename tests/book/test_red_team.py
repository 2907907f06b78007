"""Nothing that the book's tools say names a hidden date or a place on the disk, whatever is in the book."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.book import BookDesk, CandidateEntry, Decision, Registered, book_tools
from assay.config import propose_plan
from assay.market import simulate
from assay.tools import Caller, Ok, Registry
from assay.tools.builtin import SearchView

from ..tools.test_red_team import Needles, calls, hidden_days, hostile_values, spellings
from .book_cases import BOOK_CALLS, HUMAN, OTHER, damaged, elsewhere, rootless, whole_desk, without_notes
from .conftest import AGENT


@pytest.fixture(scope="module")
def market():
    return simulate(instruments=40, days=420)


@pytest.fixture(scope="module")
def view(market) -> SearchView:
    return SearchView.of(market, propose_plan(market.dates, (5, 20)))


def talkative(view: SearchView, market) -> BookDesk:
    """A book in which people did things on hidden days, and named them before."""
    desk = whole_desk(view.plan.clock)
    book = desk.book()
    late = hidden_days(market, view.plan)[-1]
    then = desk.now(book)
    for slug in (f"hid-{late.year}", f"x{late.isoformat()}"):
        book.record(Registered(**book.stamp(then, then), strategy_slug=slug, text=f"until {late}"), HUMAN)
    book.record(Decision(**book.stamp(), strategy_slug="xs", text=f"since {late}"), HUMAN)
    named = CandidateEntry(f"fit-{late.isoformat()}", f"Best to {late}", "f1", "rank_ic", 0.1)
    book.record_candidate(OTHER, named, ["note:alpha"], as_of=then)
    return desk


def test_no_answer_names_a_hidden_date_or_a_place(view: SearchView, market) -> None:
    whole = talkative(view, market)
    assert whole.root is not None
    needles = Needles(market, view.plan, whole.root.parent)
    values = hostile_values(market, view.plan)
    seen = 0
    for number, desk in enumerate(
        (whole, replace(whole, workspace=None), without_notes(whole), rootless(whole), elsewhere(whole),
         damaged(whole_desk(view.plan.clock)))
    ):  # fmt: skip
        registry = Registry(book_tools(desk, allow_record=True), guard=view.guard)
        for tool in registry.tools("agent"):
            needles.check([tool.input_schema, tool.output_schema, [str(reason) for reason in tool.reasons]])
            tried = values if number == 0 else values[number::4]
            for sent in calls(tool, tried):
                sent = {**BOOK_CALLS[tool.id], **sent} if isinstance(sent, dict) else sent
                needles.check(registry.call(tool.id, sent, Caller(AGENT)).as_dict())
                seen += 1
    assert seen > 1000


def test_later_days_are_no_windows(view: SearchView, market) -> None:
    """Each hidden day, as since and as until, in each spelling: refused, and with the same words."""
    registry = Registry(book_tools(whole_desk(view.plan.clock)), guard=view.guard)
    for name in ("since", "until"):
        answers = set()
        for day in hidden_days(market, view.plan):
            for text in (day.isoformat(), f"{day.isoformat()}T00:00:00Z"):
                face = registry.call("book.attribution_by_thesis", {name: text}, Caller(AGENT)).face()
                assert not isinstance(face, Ok)
                answers.add((face.reason, face.message))  # type: ignore[union-attr]
            for text in spellings(day)[1:]:
                outcome = registry.call("book.attribution_by_thesis", {name: text}, Caller(AGENT))
                assert outcome.face().reason == f"bad_{name}"  # type: ignore[union-attr]
        assert len(answers) == 1
        assert answers.pop()[0] == f"{name}_in_future"


def test_an_agents_own_act_is_on_its_last_day(view: SearchView) -> None:
    registry = Registry(book_tools(whole_desk(view.plan.clock), allow_record=True), guard=view.guard)
    sent = BOOK_CALLS["provenance.record_candidate"]
    made = registry.call("provenance.record_candidate", sent, Caller(AGENT))
    assert isinstance(made, Ok)
    assert made.result["exchange_ts"] == f"{view.plan.clock.isoformat()}T23:59:59Z"
