from __future__ import annotations

import socket
from typing import Any

import pytest

from assay.brain import SlotsFull, Throttled
from assay.brain.client import BrainClient
from assay.errors import AssayError, ProviderBadReply, ProviderQuotaExhausted, ProviderTransient, Refusal

from .conftest import Desk
from .server import Answer, alpha, refused

ALPHA = "/alphas/A1"
GOOD = Answer(alpha("A1"))


def read(client: BrainClient) -> Any:
    return client.alpha("A1")


def asked(desk: Desk) -> int:
    return len(desk.platform.asked("GET", ALPHA))


@pytest.mark.parametrize(
    "fault",
    [
        refused(500, "x"),
        refused(502, "x"),
        Answer("<html>gateway</html>", 503, content_type="text/html"),
        refused(504, "x"),
        refused(408, "x"),
        Answer(end="reset"),
        Answer({"id": "A1"}, end="cut"),
    ],
)
def test_what_may_pass_is_tried_again_with_growing_pauses(desk: Desk, fault: Answer) -> None:
    desk.platform.on("GET", ALPHA, fault, fault, fault, GOOD)
    assert desk.act(read).id == "A1"
    assert desk.time.slept == [1.0, 2.0, 4.0]


def test_own_pauses_are_jittered_and_those_of_the_platform_are_not(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, refused(500, "x"), refused(503, "x", Retry_After="7"), GOOD)
    desk.act(read, draw=lambda: 0.5)
    assert desk.time.slept == [0.75, 7.0]


def test_attempts_are_used_up_and_then_the_error_is_the_platforms(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, refused(500, "the database is away"))
    error = desk.raises(ProviderTransient, read, attempts=3)
    assert "the database is away" in error.message
    assert error.status == 500
    assert asked(desk) == 3


def test_no_connection_is_named(desk: Desk) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = desk.raises(ProviderTransient, read, base_url=f"http://127.0.0.1:{port}", attempts=2)
    assert "no connection" in error.message
    assert desk.time.slept == [1.0]


def test_a_platform_that_does_not_answer_is_given_up(desk: Desk) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        error = desk.raises(ProviderTransient, read, base_url=url, attempts=2, timeout=0.05)
    assert "no reply within 0.05 s" in error.message


def test_a_429_uses_up_no_attempt(desk: Desk) -> None:
    storm = [refused(429, "API rate limit exceeded", Retry_After="3") for _ in range(25)]
    desk.platform.on("GET", ALPHA, *storm, refused(500, "x"), GOOD)
    assert desk.act(read, attempts=2).id == "A1"
    assert desk.time.slept == [3.0] * 25 + [1.0]


def test_a_429_without_a_time_is_waited_for_with_growing_pauses(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, *[refused(429, "THROTTLED")] * 8, GOOD)
    desk.act(read)
    assert desk.time.slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_a_429_that_never_ends_is_handed_on_after_an_hour(desk: Desk) -> None:
    desk.platform.on("GET", ALPHA, refused(429, "THROTTLED", Retry_After="500"))
    error = desk.raises(Throttled, read)
    assert error.retry_after == 500.0
    assert sum(desk.time.slept) <= 3600


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"Retry-After": "2.5"}, 2.5),
        # asked again at once for ever would be no waiting
        ({"Retry-After": "0"}, 1.0),
        ({"Retry-After": "0.001"}, 0.05),
        ({"Retry-After": "-3"}, 1.0),
        ({"Retry-After": "86400"}, 600.0),
        # both dates are the platform's, so this machine's clock has no say
        ({"Retry-After": "Wed, 01 Jan 2031 00:00:30 GMT", "Date": "Wed, 01 Jan 2031 00:00:12 GMT"}, 18.0),
        ({"Retry-After": "Wed, 01 Jan 2031 00:00:30 GMT", "Date": "Wed, 01 Jan 2031 00:01:12 GMT"}, 1.0),
        ({"Retry-After": "Wed, 01 Jan 2031 00:00:30 GMT", "Date": "nonsense"}, 600.0),
        ({"Retry-After": "soon"}, 1.0),
        ({"Retry-After": "nan"}, 1.0),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(desk: Desk, headers: dict[str, str], pause: float) -> None:
    desk.platform.on("GET", ALPHA, Answer({"detail": "THROTTLED"}, 429, headers), GOOD)
    desk.act(read)
    assert desk.time.slept == [pause]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refused(429, "CONCURRENT_SIMULATION_LIMIT_EXCEEDED"), SlotsFull),
        (refused(429, "SIMULATION_LIMIT_EXCEEDED"), ProviderQuotaExhausted),
        (Answer({"message": "x"}, 429, {"X-Ratelimit-Remaining": "0"}), ProviderQuotaExhausted),
        # words decide nothing, whatever they say
        (refused(429, "the CONCURRENT_SIMULATION_LIMIT_EXCEEDED is near"), Throttled),
        (refused(429, "Daily simulation limit reached. Please try tomorrow (EST time zone)."), Throttled),
        (Answer({"message": "SIMULATION_LIMIT_EXCEEDED"}, 429), Throttled),
        (Answer("<html>CONCURRENT_SIMULATION_LIMIT_EXCEEDED</html>", 429), Throttled),
    ],
)
def test_the_kinds_of_429_are_told_apart_by_codes_and_headers(
    desk: Desk, answer: Answer, kind: type[AssayError]
) -> None:
    from assay.brain import SimulationRequest

    desk.platform.on("POST", "/simulations", answer)
    error = desk.raises(AssayError, lambda client: client.start(SimulationRequest(regular="rank(close)")))
    assert type(error) is kind
    assert error.status == 429
    if kind is not Throttled:
        assert desk.time.slept == []


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (Answer('{"id": "A1", "regu'), "garbage"),
        (Answer(b"\xff\xfe\x00"), "garbage"),
        (Answer("[" * 100_000), "garbage"),
        (Answer("<html>Welcome</html>", content_type="text/html"), "a page"),
        (Answer("<html>Welcome</html>"), "a page"),
        (Answer(""), "an empty body"),
        (Answer("[]"), "a list came"),
        (Answer("null"), "nothing came"),
        (Answer("3"), "a number came"),
        (Answer({"regular": {"code": "x"}}), "an alpha was expected, and id does not fit"),
        (Answer({"id": "A1", "is": {"sharpe": "high"}}), "is.sharpe does not fit"),
        (Answer(b'{"id": "A1", "is": {"sharpe": NaN}}'), "garbage"),
        (Answer(b'{"id": "A1", "is": {"sharpe": 1e999}}'), "garbage"),
    ],
)
def test_garbage_is_asked_for_again_and_then_named(desk: Desk, answer: Answer, what: str) -> None:
    desk.platform.on("GET", ALPHA, answer)
    error = desk.raises(ProviderBadReply, read, attempts=3)
    assert what in error.message
    assert "GET /alphas/A1" in error.message
    assert asked(desk) == 3
    desk.platform.on("GET", ALPHA, answer, GOOD)
    assert desk.act(read).id == "A1"


def test_a_reply_of_any_length_is_not_read_to_its_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.brain.client._http.MAX_BYTES", 1000)
    desk.platform.on("GET", ALPHA, Answer(b"x" * 100_000))
    assert "over 1000 bytes" in desk.raises(ProviderBadReply, read, attempts=1).message


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(desk: Desk, status: int) -> None:
    desk.platform.on("GET", ALPHA, Answer("", status, {"Location": "https://elsewhere.example/"}))
    assert "redirect" in desk.raises(ProviderBadReply, read, attempts=1).message


@pytest.mark.parametrize(
    ("status", "reason"), [(400, "bad_settings"), (403, "not_permitted"), (404, "unknown_alpha")]
)
def test_refusals_are_not_tried_again(desk: Desk, status: int, reason: str) -> None:
    desk.platform.on("GET", ALPHA, refused(status, "Not found."))
    error = desk.raises(Refusal, read)
    assert error.reason.code == reason
    assert "Not found." in error.message
    assert asked(desk) == 1


def test_what_the_platform_says_of_limits_is_kept(desk: Desk) -> None:
    day = {"X-Ratelimit-Limit": "5000", "X-Ratelimit-Remaining": "4999", "X-Ratelimit-Reset": "3600"}
    minute = {"X-Ratelimit-Limit-Minute": "60", "X-Ratelimit-Remaining-Minute": "59"}
    desk.platform.on("GET", ALPHA, Answer(alpha("A1"), headers=day), Answer(alpha("A1"), headers=minute))

    async def work(client: BrainClient) -> tuple[Any, Any]:
        await client.alpha("A1")
        await client.alpha("A1")
        return client.quota, client.rates

    quota, rates = desk.act(work)
    assert (quota.limit, quota.remaining, quota.reset_seconds) == (5000, 4999, 3600.0)
    assert rates == {"limit_minute": 60, "remaining_minute": 59}
