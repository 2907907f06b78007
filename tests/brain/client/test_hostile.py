"""Replies that nobody would send by accident: the client ends, says what came, and holds no secret."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from assay.brain import Running, Simulation, SimulationOverdue, SimulationRequest, Throttled
from assay.brain.client import BlockingClient, BrainClient, DataQuery
from assay.errors import AssayError, ProviderBadReply, ProviderTransient, Refusal

from .conftest import Desk
from .server import Answer, alpha, page, refused, session, simulation

ALPHA = "/alphas/A1"
AUTH = "/authentication"
SIMULATIONS = "/simulations"
MULTI = session(14400, "x", "MULTI_SIMULATION")
TWO = [SimulationRequest(regular="close"), SimulationRequest(regular="open")]


async def read(client: BrainClient) -> Any:
    return await client.alpha("A1")


def created(location: str) -> Answer:
    return Answer(b"", 201, {"Location": location, "Retry-After": "1"})


class TestWaiting:
    @pytest.mark.parametrize("pause", ["0", "-1", "0.0001"])
    def test_a_429_that_names_no_time_ends_after_an_hour_of_waiting(self, desk: Desk, pause: str) -> None:
        desk.platform.on("GET", ALPHA, refused(429, "THROTTLED", Retry_After=pause))
        settings: dict[str, Any] = {}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("assay.brain.client._patience.THROTTLED_FOR", 5.0)
            desk.raises(Throttled, read, **settings)
        assert min(desk.time.slept) >= 0.05

    def test_a_simulation_that_never_ends_and_names_no_time_is_not_asked_for_without_a_pause(
        self, desk: Desk
    ) -> None:
        desk.platform.on("GET", f"{SIMULATIONS}/S1", Answer({"progress": 0.5}, headers={"Retry-After": "0"}))
        desk.raises(
            SimulationOverdue, lambda client: client.result(f"{SIMULATIONS}/S1"), simulation_timeout=5.0
        )
        assert min(desk.time.slept) >= 0.05

    def test_progress_may_go_backwards(self, desk: Desk) -> None:
        steps = [Answer({"progress": step}, headers={"Retry-After": "1"}) for step in (0.9, 0.1, -7, 1e300)]
        end = Answer(simulation("S1", "close", alpha="A1"))
        desk.platform.on("GET", f"{SIMULATIONS}/S1", *steps, end)
        heard: list[Running] = []
        found = desk.act(lambda client: client.result(f"{SIMULATIONS}/S1", heard.append))
        assert (found.alpha, len(heard)) == ("A1", 4)


class TestAddresses:
    @pytest.mark.parametrize("words", ["a" * 100_000, "half \ud800 of a character"])
    def test_words_that_fit_into_no_address_are_refused(self, desk: Desk, words: str) -> None:
        error = desk.raises(Refusal, lambda client: client.data_fields(DataQuery(search=words)))
        assert "does not fit into an address" in error.message
        assert desk.platform.asked("GET", "/data-fields") == []

    @pytest.mark.parametrize(
        "location", ["http://127.0.0.1", "?x=1", "/alphas/A1", "/simulations/", "/simulations/a b\x7f"]
    )
    def test_a_location_that_leads_to_no_simulation_is_a_bad_reply(self, desk: Desk, location: str) -> None:
        desk.platform.on("POST", SIMULATIONS, created(location))
        error = desk.raises(ProviderBadReply, lambda client: client.start(TWO[0]))
        assert "leads to no simulation" in error.message

    def test_a_child_on_another_host_is_not_asked_for(self, desk: Desk) -> None:
        parent = Simulation(id="P", status="COMPLETE", children=("http://elsewhere.example/simulations/C",))
        assert desk.raises(Refusal, lambda client: client.children(parent)).reason.code == "host_not_allowed"

    def test_a_child_is_a_name_of_this_host_whatever_is_in_it(self, desk: Desk) -> None:
        parent = Simulation(id="P", status="COMPLETE", children=("../../x", "a?b#c", "n\new"))
        desk.raises(Refusal, lambda client: client.children(parent))
        asked = {one.target for one in desk.platform.seen if one.method == "GET"}
        assert asked <= {"/x", f"{SIMULATIONS}/a?b", f"{SIMULATIONS}/new"}


class TestChildren:
    def start(self, desk: Desk, parent: Any) -> None:
        desk.platform.on("POST", AUTH, MULTI)
        desk.platform.on("POST", SIMULATIONS, created(f"{SIMULATIONS}/P"))
        desk.platform.on("GET", f"{SIMULATIONS}/P", Answer(parent))

    @pytest.mark.parametrize("children", [["C"], [f"C{n}" for n in range(3000)]])
    def test_another_number_of_children_is_a_bad_reply(self, desk: Desk, children: list[str]) -> None:
        self.start(desk, {"id": "P", "status": "COMPLETE", "children": children})
        error = desk.raises(ProviderBadReply, lambda client: client.simulate(TWO))
        assert f"{len(children)} children, and 2 were asked for" in error.message

    def test_a_parent_that_fails_before_it_has_children_is_the_end_of_each(self, desk: Desk) -> None:
        self.start(desk, {"id": "P", "status": "ERROR", "message": "no", "children": []})
        found = desk.act(lambda client: client.simulate(TWO))
        assert [one.message for one in found] == ["no", "no"]

    def test_through_the_blocking_client_each_request_hears_of_it(self, desk: Desk) -> None:
        self.start(desk, {"id": "P", "status": "COMPLETE", "children": ["C"]})
        heard: list[Any] = []
        with BlockingClient(desk.client(), "BRAIN", simulated=False) as blocking:
            blocking.simulate_all([TWO], lambda place, came: heard.append((place, came)))
        [(place, came)] = heard
        assert place == 0
        assert isinstance(came, ProviderBadReply)

    def test_one_that_cannot_be_read_leaves_no_sibling_polled(self, desk: Desk) -> None:
        self.start(desk, {"id": "P", "status": "COMPLETE", "children": ["C1", "C2"]})
        desk.platform.on("GET", f"{SIMULATIONS}/C1", Answer({"progress": 0.5}, headers={"Retry-After": "1"}))

        async def work(client: BrainClient) -> int:
            with pytest.raises(Refusal):
                await client.simulate(TWO)
            await asyncio.sleep(0)
            seen = len(desk.platform.seen)
            await asyncio.sleep(0.05)
            return len(desk.platform.seen) - seen

        assert desk.act(work) == 0


class TestBodies:
    def test_a_list_that_says_it_never_ends_ends_when_it_says_nothing_new(self, desk: Desk) -> None:
        desk.platform.on("GET", "/data-fields", page([{"id": "close", "type": "MATRIX"}], 10**9))
        found = desk.act(lambda client: client.data_fields(DataQuery()))
        assert [one.id for one in found] == ["close"]
        assert "same items again" in desk.notes[0]
        assert len(desk.platform.asked("GET", "/data-fields")) == 2

    @pytest.mark.parametrize(
        "body",
        [
            b'{"a":' * 900 + b"1" + b"}" * 900,
            json.dumps({str(n): ["x" * 1000] for n in range(5000)}).encode(),
            json.dumps([{"regular": ["x" * 1000]}] * 5000).encode(),
        ],
        ids=["deep", "wide", "long"],
    )
    def test_a_refusal_of_any_size_is_told_in_a_few_words(self, desk: Desk, body: bytes) -> None:
        desk.platform.on("GET", ALPHA, Answer(body, 400))
        error = desk.raises(Refusal, read)
        assert len(error.message) < 10_000
        assert len(error.details) <= 20

    def test_halves_of_characters_are_question_marks(self, desk: Desk) -> None:
        body = b'{"id": "A1", "name": "a\\ud800b", "category": "\\ud83d\\ude00"}'
        desk.platform.on("GET", ALPHA, Answer(body))
        found = desk.act(read)
        assert (found.name, found.category) == ("a\N{REPLACEMENT CHARACTER}b", "\N{GRINNING FACE}")

    @pytest.mark.parametrize("expiry", ["1e999", "1e300", "NaN", "-1"])
    def test_a_session_without_a_sane_end_is_a_bad_reply(self, desk: Desk, expiry: str) -> None:
        body = f'{{"user": {{"id": "a"}}, "token": {{"expiry": {expiry}}}}}'.encode()
        desk.platform.on("POST", AUTH, Answer(body, 201, {"Set-Cookie": "t=1"}))
        desk.raises(ProviderBadReply, lambda client: client.login())

    def test_choices_that_come_as_a_page_are_asked_for_again(self, desk: Desk) -> None:
        from .server import choices

        desk.platform.on("OPTIONS", SIMULATIONS, Answer("<html>"), Answer(choices()))
        assert "USA" in desk.act(lambda client: client.choices()).regions


class TestSecrets:
    @pytest.mark.parametrize("cookie", ['"a\\012b: c"', "h\xe9", '"two words"'])
    def test_a_cookie_that_would_break_the_header_is_not_kept(self, desk: Desk, cookie: str) -> None:
        desk.platform.on("POST", AUTH, session(14400, cookie))
        error = desk.raises(ProviderBadReply, read, attempts=1)
        assert "without a cookie" in error.message

    def test_a_cookie_of_another_domain_goes_to_this_host_alone(self, desk: Desk) -> None:
        hostile = Answer(alpha("A1"), headers={"Set-Cookie": "x=1; Domain=elsewhere.example"})
        desk.platform.on("GET", ALPHA, hostile)
        assert desk.act(read).id == "A1"

    def test_a_log_of_everything_holds_no_cookie_and_no_password(
        self, desk: Desk, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        desk.platform.on("POST", AUTH, session(14400, "secret-cookie-value"))
        desk.platform.on("GET", ALPHA, Answer(alpha("A1")), refused(500, "x"), Answer(end="reset"))
        desk.act(read)
        desk.raises(ProviderTransient, read)
        assert "receive_response_headers.complete" in caplog.text
        for secret in ("secret-cookie-value", "correct horse", "Basic "):
            assert secret not in caplog.text
        # whoever looks at other connections sees what httpcore says of them
        assert logging.getLogger("httpcore.http11").filters == []

    @pytest.mark.parametrize("answer", [Answer("<html>wait</html>"), refused(500, "x"), refused(429, "x")])
    def test_a_biometric_sign_in_is_waited_for_through_whatever_comes(
        self, desk: Desk, answer: Answer
    ) -> None:
        where = "/authentication/persona"
        persona = refused(401, "x", WWW_Authenticate="persona", Location=f"{where}?inquiry=1")
        desk.platform.on("POST", AUTH, persona)
        desk.platform.on("POST", where, answer, session())
        shown: list[str] = []
        found = desk.act(lambda client: client.login(), on_biometric=shown.append)
        assert (found.user, len(shown)) == ("AB12345", 1)

    def test_a_biometric_sign_in_in_mid_session_goes_on_where_it_was(self, desk: Desk) -> None:
        where = "/authentication/persona"
        persona = refused(401, "x", WWW_Authenticate="persona", Location=f"{where}?inquiry=1")
        desk.platform.on("POST", AUTH, session(14400, "one"), persona)
        desk.platform.on("POST", where, refused(401, "x", WWW_Authenticate="persona"), session(14400, "two"))
        desk.platform.on("GET", ALPHA, Answer(alpha("A1")))
        shown: list[str] = []

        async def work(client: BrainClient) -> list[str]:
            first = await client.alpha("A1")
            desk.platform.expire()
            return [first.id, (await client.alpha("A1")).id]

        assert desk.act(work, on_biometric=shown.append) == ["A1", "A1"]
        assert len(shown) == 1


def test_an_error_of_any_of_them_is_one_that_a_caller_can_catch(desk: Desk) -> None:
    answers = [Answer(b"[" * 10**6), Answer(b" " * 100), Answer(b"\xef\xbb\xbf{}"), Answer(b"9" * 10_000)]
    for answer in answers:
        desk.platform.on("GET", ALPHA, answer)
        desk.raises(AssayError, read, attempts=2)
