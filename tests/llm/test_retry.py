from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import (
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
)
from assay.llm import RetryPolicy, with_retries
from assay.llm._retry import retry_after

NOW = datetime(2031, 1, 1, tzinfo=UTC)


def failing(*errors: ProviderError) -> Callable[[], str]:
    left = list(errors)

    def call() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return call


def run(
    call: Callable[[], str], policy: RetryPolicy | None = None, draw: float = 0.0
) -> tuple[str | ProviderError, list[float]]:
    waits: list[float] = []
    try:
        return with_retries(call, policy or RetryPolicy(), sleep=waits.append, draw=lambda: draw), waits
    except ProviderError as error:
        return error, waits


def test_waits_double() -> None:
    errors = [ProviderTransient("x") for _ in range(4)]
    assert run(failing(*errors)) == ("done", [1.0, 2.0, 4.0, 8.0])


def test_attempts_are_bounded_and_the_last_error_comes_out() -> None:
    errors = [ProviderTransient(str(i)) for i in range(9)]
    result, waits = run(failing(*errors), RetryPolicy(attempts=3))
    assert result is errors[2]
    assert len(waits) == 2


def test_one_attempt_waits_for_nothing() -> None:
    result, waits = run(failing(ProviderTransient("x")), RetryPolicy(attempts=1))
    assert isinstance(result, ProviderTransient)
    assert waits == []


@pytest.mark.parametrize("kind", [ProviderQuotaExhausted, ProviderAuth, ProviderBadReply])
def test_other_errors_are_not_tried_again(kind: type[ProviderError]) -> None:
    result, waits = run(failing(kind("x")))
    assert isinstance(result, kind)
    assert waits == []


def test_the_service_says_how_long_and_the_cap_holds() -> None:
    assert run(failing(ProviderTransient("x", retry_after=7.0)))[1] == [7.0]
    assert run(failing(ProviderTransient("x", retry_after=86_400.0)))[1] == [60.0]
    assert run(failing(ProviderTransient("x", retry_after=0.0)))[1] == [0.0]


@given(st.integers(1, 10_000), st.none() | st.floats(0, 1e6), st.floats(0, 1, exclude_max=True))
def test_a_wait_is_within_its_bounds(failures: int, asked: float | None, draw: float) -> None:
    policy = RetryPolicy()
    wait = policy.wait(failures, asked, draw)
    assert 0 <= wait <= policy.longest
    if asked is not None:
        assert wait >= min(asked, policy.longest)  # never earlier than the service asks
    else:
        assert wait >= 0.5


def test_jitter_spreads_the_waits() -> None:
    assert RetryPolicy().wait(3, None, 0.0) == 4.0
    assert RetryPolicy().wait(3, None, 0.5) == 3.0


def test_each_failed_attempt_is_told_and_may_end_the_tries() -> None:
    told: list[int] = []
    with pytest.raises(ProviderTransient):
        with_retries(
            failing(*[ProviderTransient("x")] * 9),
            RetryPolicy(attempts=3),
            sleep=lambda _: None,
            draw=lambda: 0.0,
            on_failure=lambda _, attempt: told.append(attempt),
        )
    assert told == [1, 2, 3]

    def stop(error: ProviderTransient, attempt: int) -> None:
        raise ProviderBadReply("enough")

    with pytest.raises(ProviderBadReply, match="enough"):
        with_retries(
            failing(ProviderTransient("x")),
            RetryPolicy(),
            sleep=lambda _: None,
            draw=lambda: 0.0,
            on_failure=stop,
        )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 01 Jan 2031 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 01 Jan 2031 01:00:30 +0100"}, 30.0),
        ({"retry-after": "Wed, 01 Jan 2031 00:00:30 -0000"}, 30.0),
        ({"retry-after": "Tue, 31 Dec 2030 23:59:30 GMT"}, 0.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
