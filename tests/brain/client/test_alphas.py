from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import parse_qsl

import pytest

from assay.brain import Check, SimulationOverdue
from assay.brain.client import AlphaFilter, BrainClient
from assay.errors import ProviderBadReply, Refusal

from .conftest import Desk
from .server import Answer, alpha, page, refused, wait

LISTED = "/users/self/alphas"
ALPHA = "/alphas/A1"
SUBMIT = f"{ALPHA}/submit"


def checks(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"is": {"checks": list(rows)}}


LOW = {"name": "LOW_SHARPE", "result": "FAIL", "limit": 1.25, "value": 0.4}
PASSED = {"name": "LOW_FITNESS", "result": "PASS", "limit": 1.0, "value": 1.1}


def test_an_alpha_keeps_its_figures_and_checks(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
    found = desk.act(lambda client: client.alpha("A1"))
    assert found.in_sample is not None
    assert (found.in_sample.sharpe, found.in_sample.drawdown) == (1.4, None)
    assert [check.result for check in found.in_sample.checks] == ["PASS", "PENDING"]
    assert found.request_settings.universe == "TOP3000"


@pytest.mark.parametrize("name", ["", "../users/self", "A1/submit", "A 1", "Ä1"])
def test_what_is_no_id_is_not_asked_for(desk: Desk, name: str) -> None:
    assert desk.raises(Refusal, lambda client: client.alpha(name)).reason.code == "unknown_alpha"
    assert desk.platform.seen == []


def test_properties_are_changed_and_read_again(desk: Desk) -> None:
    desk.platform.on("PATCH", ALPHA, Answer(end="reset"), Answer(alpha("A1")))
    desk.platform.on("GET", ALPHA, Answer(alpha("A1", name="mine", tags=["a", "b"])))
    found = desk.act(
        lambda client: client.set_properties("A1", name="mine", tags=["a", "b"], description="why")
    )
    assert (found.name, found.tags) == ("mine", ("a", "b"))
    asked = desk.platform.asked("PATCH", ALPHA)
    assert asked[-1].body == {"name": "mine", "tags": ["a", "b"], "regular": {"description": "why"}}
    assert len(asked) == 2


def test_checks_are_waited_for(desk: Desk) -> None:
    desk.platform.on("GET", f"{ALPHA}/check", wait(1.0), wait(1.0), Answer(checks(LOW, PASSED)))
    found = desk.act(lambda client: client.check("A1"))
    assert [(check.name, check.result) for check in found] == [
        ("LOW_SHARPE", "FAIL"),
        ("LOW_FITNESS", "PASS"),
    ]
    assert desk.time.slept == [1.0, 1.0]


def test_checks_keep_what_else_they_say(desk: Desk) -> None:
    ladder = {"name": "IS_LADDER_SHARPE", "result": "WARNING", "year": 2, "startDate": "2021-01-01"}
    desk.platform.on("GET", f"{ALPHA}/check", Answer(checks(ladder)))
    (found,) = desk.act(lambda client: client.check("A1"))
    assert found.wire()["year"] == 2


def test_checks_that_never_come_are_given_up(desk: Desk) -> None:
    desk.platform.on("GET", f"{ALPHA}/check", wait(1.0))
    error = desk.raises(SimulationOverdue, lambda client: client.check("A1"), simulation_timeout=30.0)
    assert "/alphas/A1/check" in error.message


def test_an_alpha_that_the_platform_has_not_is_refused(desk: Desk) -> None:
    error = desk.raises(Refusal, lambda client: client.check("A1"))
    assert error.reason.code == "unknown_alpha"
    assert len(desk.platform.asked("GET", f"{ALPHA}/check")) == 1


def test_record_sets_have_columns_and_rows(desk: Desk) -> None:
    properties = [{"name": "date", "title": "Date", "type": "date"}, {"name": "pnl", "type": "amount"}]
    body = {"schema": {"name": "daily-pnl", "properties": properties}, "records": [["2014-01-01", 0.0]]}
    desk.platform.on("GET", f"{ALPHA}/recordsets/daily-pnl", wait(1.0), Answer(body))
    desk.platform.on(
        "GET", f"{ALPHA}/recordsets", page([{"name": "pnl", "title": "PnL"}, {"name": "sharpe"}])
    )

    async def work(client: BrainClient) -> tuple[Any, Any]:
        return await client.recordsets("A1"), await client.recordset("A1", "daily-pnl")

    names, found = desk.act(work)
    assert names == ("pnl", "sharpe")
    assert [column.name for column in found.columns] == ["date", "pnl"]
    assert found.records == (("2014-01-01", 0.0),)


@pytest.mark.parametrize(
    "body",
    [{}, {"schema": {}}, {"schema": {"properties": [{"name": "a"}]}, "records": [[1, 2]]}, {"schema": 3}],
)
def test_a_record_set_of_another_shape_is_a_bad_reply(desk: Desk, body: Any) -> None:
    desk.platform.on("GET", f"{ALPHA}/recordsets/pnl", Answer(body))
    desk.raises(ProviderBadReply, lambda client: client.recordset("A1", "pnl"), attempts=1)


def correlations(records: list[Any], **extremes: Any) -> Answer:
    properties = [{"name": "id"}, {"name": "correlation"}]
    return Answer({"schema": {"properties": properties}, "records": records, **extremes})


def test_correlations_are_waited_for_and_have_extremes(desk: Desk) -> None:
    rows = [["A7", 0.61], ["A8", -0.2]]
    desk.platform.on("GET", f"{ALPHA}/correlations/self", wait(1.0), correlations(rows, max=0.61, min=-0.2))
    found = desk.act(lambda client: client.correlations("A1"))
    assert (found.max, found.min) == (0.61, -0.2)
    assert found.rows == ({"id": "A7", "correlation": 0.61}, {"id": "A8", "correlation": -0.2})


@pytest.mark.parametrize("extremes", [{"max": None, "min": None}, {}])
def test_nothing_to_correlate_with_is_none_and_no_error(desk: Desk, extremes: dict[str, Any]) -> None:
    desk.platform.on("GET", f"{ALPHA}/correlations/prod", correlations([], **extremes))
    found = desk.act(lambda client: client.correlations("A1", "prod"))
    assert (found.kind, found.max, found.min, found.rows) == ("prod", None, None, ())


# ---- the account's alphas


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"status": "INDUSTRY"}, "UNSUBMITTED, ACTIVE, DECOMMISSIONED"),
        ({"status": "active"}, "did you mean ACTIVE?"),
        ({"stage": "PROD"}, "IS, OS"),
        ({"order": "sharpe"}, "is.sharpe"),
        ({"type": "regular"}, "REGULAR"),
        ({"created_from": datetime(2026, 1, 1)}, "offset"),
    ],
)
def test_a_word_that_no_alpha_has_is_an_error_and_no_empty_list(given: dict[str, Any], hint: str) -> None:
    with pytest.raises(Refusal) as caught:
        AlphaFilter(**given)
    assert caught.value.reason.code == "bad_settings"
    assert hint in f"{caught.value.message} {caught.value.fix}"


def test_filters_are_written_as_the_platform_reads_them(desk: Desk) -> None:
    desk.platform.on("GET", LISTED, page([]))
    east = timezone(timedelta(hours=8))
    wanted = AlphaFilter(
        status="UNSUBMITTED",
        stage="IS",
        region="USA",
        min_sharpe=1.25,
        max_turnover=0.7,
        hidden=False,
        created_from=datetime(2026, 1, 1, tzinfo=east),
        created_to=datetime(2026, 2, 1, tzinfo=UTC),
        limit=20,
    )
    assert desk.act(lambda client: client.user_alphas(wanted)) == ()
    query = desk.platform.asked("GET", LISTED)[0].query
    assert "+" not in query
    assert dict(parse_qsl(query)) == {
        "limit": "20",
        "offset": "0",
        "status": "UNSUBMITTED",
        "stage": "IS",
        "settings.region": "USA",
        "is.sharpe>": "1.25",
        "is.turnover<": "0.7",
        "hidden": "false",
        "dateCreated>": "2026-01-01T00:00:00+08:00",
        "dateCreated<": "2026-02-01T00:00:00+00:00",
        "order": "-dateCreated",
    }


def numbered(first: int, last: int) -> list[Any]:
    return [alpha(f"A{number}") for number in range(first, last)]


def test_pages_are_read_to_their_count_each_alpha_once(desk: Desk) -> None:
    pages = [page(numbered(0, 100), 230), page(numbered(99, 199), 231), page(numbered(199, 230), 231)]
    # what the platform calls next has another scheme and port, and is not used
    pages[0].body["next"] = "http://elsewhere.example:443/users/self/alphas?offset=100"
    desk.platform.on("GET", LISTED, *pages)
    found = desk.act(lambda client: client.user_alphas())
    assert [one.id for one in found] == [f"A{number}" for number in range(230)]
    assert [dict(parse_qsl(one.query))["offset"] for one in desk.platform.asked("GET", LISTED)] == [
        "0",
        "100",
        "200",
    ]


def test_no_more_are_asked_for_than_wanted(desk: Desk) -> None:
    desk.platform.on("GET", LISTED, page(numbered(0, 100), 500), page(numbered(100, 120), 500))
    assert len(desk.act(lambda client: client.user_alphas(AlphaFilter(limit=120)))) == 120
    limits = [dict(parse_qsl(one.query))["limit"] for one in desk.platform.asked("GET", LISTED)]
    assert limits == ["100", "20"]


def test_the_platform_pages_no_further_than_ten_thousand_and_this_is_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.brain.client._alphas.FURTHEST", 150)
    desk.platform.on("GET", LISTED, page(numbered(0, 100), 900), page(numbered(100, 150), 900))
    assert len(desk.act(lambda client: client.user_alphas())) == 150
    assert "first 150" in desk.notes[0]
    assert dict(parse_qsl(desk.platform.asked("GET", LISTED)[1].query))["limit"] == "50"


def test_a_list_that_ends_early_is_said(desk: Desk) -> None:
    desk.platform.on("GET", LISTED, page(numbered(0, 3), 10), page([], 10))
    assert len(desk.act(lambda client: client.user_alphas())) == 3
    assert desk.notes == ["the platform speaks of 10 items, and gives 3 of them"]


@pytest.mark.parametrize("body", [{"results": 3, "count": 1}, {"count": "many", "results": []}, {"count": 1}])
def test_a_list_of_another_shape_is_a_bad_reply(desk: Desk, body: Any) -> None:
    desk.platform.on("GET", LISTED, Answer(body))
    desk.raises(ProviderBadReply, lambda client: client.user_alphas(), attempts=1)


# ---- submission


ACTIVE = Answer(alpha("A1", status="ACTIVE", stage="OS", dateSubmitted="2026-05-16T00:00:00-04:00"))
FRESH = Answer(alpha("A1"))
TAKEN = Answer(b"", 201, {"Location": "http://127.0.0.1:443/alphas/A1/submit", "Retry-After": "1.0"})


@pytest.mark.parametrize("last", [refused(404, ""), Answer(b"", 404), Answer(b""), Answer(checks(PASSED))])
def test_a_submission_is_proved_by_the_status_whatever_the_last_reply_is(desk: Desk, last: Answer) -> None:
    desk.platform.on("GET", ALPHA, FRESH, ACTIVE)
    desk.platform.on("POST", SUBMIT, TAKEN)
    desk.platform.on("GET", SUBMIT, wait(1.0), wait(1.0), last)
    found = desk.act(lambda client: client.submit("A1"))
    assert (found.status, found.stage) == ("ACTIVE", "OS")
    assert len(desk.platform.asked("POST", SUBMIT)) == 1
    assert desk.time.slept == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("late", [False, True])
def test_a_submission_that_fails_names_the_checks(desk: Desk, late: bool) -> None:
    desk.platform.on("GET", ALPHA, FRESH)
    denied = Answer(checks(LOW, PASSED), 403)
    desk.platform.on("POST", SUBMIT, TAKEN if late else denied)
    desk.platform.on("GET", SUBMIT, wait(1.0), denied)
    error = desk.raises(Refusal, lambda client: client.submit("A1"))
    assert error.reason.code == "not_submitted"
    assert error.message.endswith("LOW_SHARPE FAIL (0.4, limit 1.25)")
    assert error.details == {"checks": [LOW]}


def test_an_alpha_that_is_submitted_is_not_submitted_again(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, ACTIVE)
    assert desk.act(lambda client: client.submit("A1")).status == "ACTIVE"
    assert desk.platform.asked("POST", SUBMIT) == []


def test_a_submission_whose_reply_was_lost_is_no_failure(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, FRESH, ACTIVE)
    already = {"name": "ALREADY_SUBMITTED", "result": "FAIL"}
    desk.platform.on("POST", SUBMIT, Answer(end="reset"), Answer(checks(already), 403))
    assert desk.act(lambda client: client.submit("A1")).status == "ACTIVE"


def test_a_submission_that_changed_nothing_is_no_success(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, FRESH)
    desk.platform.on("POST", SUBMIT, TAKEN)
    desk.platform.on("GET", SUBMIT, Answer(b""))
    error = desk.raises(Refusal, lambda client: client.submit("A1"))
    assert error.reason.code == "not_submitted"
    assert "did not change" in error.message


def test_an_account_that_may_not_submit_is_told_so(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, FRESH)
    desk.platform.on("POST", SUBMIT, refused(403, "You do not have permission to perform this action."))
    error = desk.raises(Refusal, lambda client: client.submit("A1"))
    assert error.reason.code == "not_permitted"
    assert "permission" in error.message


def test_a_submission_that_never_ends_is_given_up(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, FRESH)
    desk.platform.on("POST", SUBMIT, TAKEN)
    desk.platform.on("GET", SUBMIT, wait(5.0))
    error = desk.raises(SimulationOverdue, lambda client: client.submit("A1"), simulation_timeout=60.0)
    assert "A1" in error.message


def test_a_check_without_limit_and_value_is_read() -> None:
    assert Check.model_validate({"name": "X", "result": "PASS"}).limit is None
