from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import RFC_4122

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.base import Operator, is_agent_identifier, uuid7
from assay.errors import AssayError


class Still:
    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


NOON = Still(datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC))
GIVEN = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


def bytes_of(rand_a: int, rand_b: int):
    drawn = (rand_a << 68 | rand_b).to_bytes(10, "big")
    return lambda count: drawn[:count]


def test_the_example_of_the_standard() -> None:
    # RFC 9562, appendix A.6: 2022-02-22 14:22:22 -0500, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F
    assert str(uuid7(NOON, bytes_of(0xCC3, 0x18C4DC0C0C07398F))) == GIVEN


@given(st.binary(min_size=10, max_size=10), st.integers(0, 10**9))
def test_version_variant_and_time(drawn: bytes, seconds: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    made = uuid7(Still(moment), lambda count: drawn)
    assert made.version == 7
    assert made.variant == RFC_4122
    assert made.int >> 80 == seconds * 1000


def test_later_sorts_after_earlier() -> None:
    later = Still(NOON.moment + timedelta(milliseconds=1))
    assert str(uuid7(NOON, lambda n: b"\xff" * n)) < str(uuid7(later, lambda n: b"\x00" * n))


def test_two_draws_differ() -> None:
    assert uuid7() != uuid7()


def test_a_clock_before_1970_is_refused() -> None:
    with pytest.raises(AssayError, match="clock"):
        uuid7(Still(datetime(1960, 1, 1, tzinfo=UTC)))


def test_a_person_and_the_system_are_operators() -> None:
    assert Operator.human() == Operator("human", "user")
    assert Operator.human("li") != Operator.human()
    assert Operator.system("nightly").as_dict() == {
        "kind": "system",
        "identifier": "nightly",
        "model_artifact": None,
    }


def test_an_agent_has_model_artifact_and_identifier() -> None:
    made = Operator.agent(
        "Qwen/Qwen3-4B", "sha256:ab", clock=NOON, random=bytes_of(0xCC3, 0x18C4DC0C0C07398F)
    )
    assert made == Operator("agent", f"Qwen/Qwen3-4B/{GIVEN}", "sha256:ab")
    assert made.model == "Qwen/Qwen3-4B"
    assert Operator.human().model is None


@pytest.mark.parametrize("artifact", [None, "", " ", "a\nb", 7])
def test_no_way_leads_to_an_agent_without_a_model_artifact(artifact) -> None:
    good = Operator("agent", f"m/{GIVEN}", "m-1")
    with pytest.raises(AssayError, match="model artifact"):
        Operator("agent", f"m/{GIVEN}", artifact)
    with pytest.raises(AssayError, match="model artifact"):
        Operator.agent("m", artifact)
    with pytest.raises(AssayError, match="model artifact"):
        replace(good, model_artifact=artifact)
    with pytest.raises(AssayError, match="model artifact"):
        Operator.from_dict({**good.as_dict(), "model_artifact": artifact})


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        "m",
        GIVEN,
        f"/{GIVEN}",
        f"m/{GIVEN.upper()}",
        f"m/{GIVEN.replace('-', '')}",
        "m/017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
        f"../m/{GIVEN}",
        f"a//b/{GIVEN}",
        f"a b/{GIVEN}",
        f"m/{GIVEN}\n",
        None,
    ],
)
def test_what_is_not_an_agents_identifier_is_refused(identifier) -> None:
    with pytest.raises(AssayError, match="identifier of an agent"):
        Operator("agent", identifier, "m-1")
    assert not is_agent_identifier(str(identifier))


def test_a_person_has_no_model_and_kinds_are_closed() -> None:
    with pytest.raises(AssayError, match="no model artifact"):
        Operator("human", "li", "m-1")
    with pytest.raises(AssayError, match="no kind"):
        Operator("robot", "li")  # type: ignore[arg-type]
    with pytest.raises(AssayError, match="name of an operator"):
        Operator.human("a\x00b")
    with pytest.raises(AssayError, match="name of an operator"):
        Operator.human("\ud800")


@pytest.mark.parametrize(
    "made", [Operator.human("李"), Operator.system(), Operator("agent", f"m/{GIVEN}", "m-1")]
)
def test_what_the_record_holds_gives_the_operator_back(made: Operator) -> None:
    assert Operator.from_dict(made.as_dict()) == made


def test_a_record_with_other_keys_is_refused() -> None:
    with pytest.raises(AssayError, match="an operator has"):
        Operator.from_dict({"kind": "human", "identifier": "li"})
    with pytest.raises(AssayError, match="an operator has"):
        Operator.from_dict({**Operator.human().as_dict(), "more": 1})
