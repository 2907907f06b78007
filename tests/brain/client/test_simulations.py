from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assay.brain import (
    Place,
    Running,
    Simulation,
    SimulationOverdue,
    SimulationRequest,
    SimulationSettings,
    SlotsFull,
)
from assay.brain.client import BrainClient
from assay.errors import ProviderBadReply, ProviderTransient, Refusal

from .conftest import Desk
from .server import Answer, alpha, page, refused, session, simulation, wait

PATH = "/simulations"
MULTI = session(14400, "x", "MULTI_SIMULATION")


def request(code: str = "rank(close)", **settings: Any) -> SimulationRequest:
    return SimulationRequest(regular=code, settings=SimulationSettings(**settings))


def created(location: str | None = "/simulations/S1", **headers: str) -> Answer:
    named = {} if location is None else {"Location": location}
    return Answer(b"", 201, {**named, "Retry-After": "5.0", **headers})


def started(desk: Desk) -> int:
    return len(desk.platform.asked("POST", PATH))


def test_a_simulation_is_started_followed_and_ends(desk: Desk) -> None:
    desk.platform.on("POST", PATH, created(f"{desk.platform.url}/simulations/S1"))
    done = Answer(simulation("S1", "rank(close)", alpha="A1"))
    going = Answer({"progress": 0.35}, headers={"Retry-After": "5.0"})
    desk.platform.on("GET", f"{PATH}/S1", wait("2.5"), going, done)
    progress: list[Running] = []

    async def work(client: BrainClient) -> tuple[str, Simulation]:
        location = await client.start(request())
        return location, await client.result(location, progress.append)

    location, found = desk.act(work)
    assert location == f"{desk.platform.url}/simulations/S1"
    assert (found.id, found.status, found.alpha) == ("S1", "COMPLETE", "A1")
    assert progress == [Running(retry_after=2.5), Running(progress=0.35, retry_after=5.0)]
    assert desk.time.slept == [2.5, 5.0]
    posted = desk.platform.asked("POST", PATH)[0].body
    assert posted == request().wire()
    assert posted["settings"]["unitHandling"] == "VERIFY"


@pytest.mark.parametrize(
    "given", ["S1", "/simulations/S1", "{url}/simulations/S1", "http://localhost/simulations/S1"]
)
def test_a_simulation_is_found_again_by_its_location(desk: Desk, given: str) -> None:
    desk.platform.on("GET", f"{PATH}/S1", Answer(simulation("S1", "x", alpha={"id": "A1", "status": "x"})))
    location = given.format(url=desk.platform.url)
    found = desk.act(lambda client: client.poll(location))
    assert isinstance(found, Simulation)
    assert found.alpha == "A1"


def test_a_location_of_another_host_is_not_polled(desk: Desk) -> None:
    error = desk.raises(Refusal, lambda client: client.poll("https://elsewhere.example/simulations/S1"))
    assert error.reason.code == "host_not_allowed"
    desk.platform.on("POST", PATH, created("https://elsewhere.example/simulations/S1"))
    error = desk.raises(Refusal, lambda client: client.start(request()))
    assert error.reason.code == "host_not_allowed"


def test_a_missing_location_is_named(desk: Desk) -> None:
    desk.platform.on("POST", PATH, created(None))
    error = desk.raises(ProviderBadReply, lambda client: client.start(request()))
    assert "Location" in error.message
    assert started(desk) == 1


def test_an_empty_reply_while_it_begins_is_no_end(desk: Desk) -> None:
    desk.platform.on("GET", f"{PATH}/S1", Answer(b""), Answer({"progress": 0.95}))

    async def work(client: BrainClient) -> list[Any]:
        return [await client.poll("S1"), await client.poll("S1")]

    assert desk.act(work) == [Running(retry_after=5.0), Running(progress=0.95, retry_after=5.0)]


def test_an_error_of_the_expression_is_a_result_with_message_and_place(desk: Desk) -> None:
    place = {"line": 1, "start": 5, "end": 37, "property": "regular"}
    text = 'Attempted to use unknown variable "foo"'
    reply = simulation("S1", "rank(foo)", "ERROR", message=text, location=place)
    desk.platform.on("GET", f"{PATH}/S1", Answer(reply))
    found = desk.act(lambda client: client.result("S1"))
    assert (found.status, found.message) == ("ERROR", text)
    assert found.location == Place(line=1, start=5, end=37)


@pytest.mark.parametrize(
    "body",
    [
        simulation("S1", "x"),
        {**simulation("S1", "x", alpha="A1"), "id": None},
        {**simulation("S1", "x", alpha="A1"), "location": "here"},
        {"progress": "half"},
    ],
)
def test_a_simulation_of_another_shape_is_a_bad_reply(desk: Desk, body: Any) -> None:
    desk.platform.on("GET", f"{PATH}/S1", Answer(body))
    assert "/simulations/S1" in desk.raises(ProviderBadReply, lambda client: client.poll("S1")).message


def test_a_simulation_that_never_ends_is_given_up_and_says_how_far_it_was(desk: Desk) -> None:
    desk.platform.on("GET", f"{PATH}/S1", Answer({"progress": 0.95}, headers={"Retry-After": "10"}))
    error = desk.raises(SimulationOverdue, lambda client: client.result("S1"), simulation_timeout=100.0)
    assert "S1" in error.message
    assert "at 95%" in error.message
    assert "simulation_timeout" in error.fix
    assert sum(desk.time.slept) == 100.0


def test_a_simulation_survives_faults_and_an_expired_session(desk: Desk) -> None:
    desk.platform.on("POST", "/authentication", session(14400, "one"), session(14400, "two"))
    desk.platform.on("POST", PATH, created())
    done = Answer(simulation("S1", "rank(close)", alpha="A1"))
    faults = [refused(500, "x"), refused(429, "THROTTLED"), Answer("{"), Answer(end="reset")]
    desk.platform.on("GET", f"{PATH}/S1", wait(), *faults, wait(), *faults, done)

    async def work(client: BrainClient) -> Simulation:
        location = await client.start(request())
        desk.platform.expire()
        return await client.result(location)

    assert desk.act(work, attempts=4).alpha == "A1"
    assert started(desk) == 1


# ---- settings


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"region": "XXX"}, "region"),
        ({"universe": "TOP2000"}, "universe"),
        ({"neutralization": "COUNTRY"}, "neutralization"),
        ({"region": "GLB", "delay": 0}, "delay"),
        ({"instrument_type": "CRYPTO"}, "instrumentType"),
    ],
)
def test_settings_are_held_against_the_choices_before_a_call(desk: Desk, settings: Any, key: str) -> None:
    error = desk.raises(Refusal, lambda client: client.start(request(**settings)))
    assert error.reason.code == "bad_settings"
    assert key in error.details
    assert started(desk) == 0


def test_settings_that_the_platform_refuses_are_named_by_key(desk: Desk) -> None:
    body = {
        "settings": {"decay": ["Ensure this value is less than 512.", "No."], "errors": ["Invalid data."]}
    }
    desk.platform.on("POST", PATH, Answer(body, 400))
    error = desk.raises(Refusal, lambda client: client.start(request()))
    assert error.reason.code == "bad_settings"
    assert error.details == {"decay": "Ensure this value is less than 512. No.", "request": "Invalid data."}


def test_an_expression_that_the_platform_refuses_is_one_of_the_expression(desk: Desk) -> None:
    desk.platform.on("POST", PATH, Answer({"regular": ["This field is required."]}, 400))
    error = desk.raises(Refusal, lambda client: client.start(request("")))
    assert error.reason.code == "bad_expression"


def test_a_refused_list_names_the_place(desk: Desk) -> None:
    desk.platform.on("POST", "/authentication", MULTI)
    body = [{}, {"settings": {"universe": ['"TOP1" is not a valid choice.']}}]
    desk.platform.on("POST", PATH, Answer(body, 400))
    error = desk.raises(Refusal, lambda client: client.start([request("a"), request("b")]))
    assert error.details == {"2: universe": '"TOP1" is not a valid choice.'}


# ---- several at once


def test_children_are_resolved_in_the_order_in_which_they_were_asked_for(desk: Desk) -> None:
    desk.platform.on("POST", "/authentication", MULTI)
    desk.platform.on("POST", PATH, created("/simulations/P1"))
    parent = {"children": ["C3", "C1", "C2"], "type": "REGULAR", "settings": {}, "status": "COMPLETE"}
    desk.platform.on("GET", f"{PATH}/P1", Answer({"id": "P1", **parent}))
    for place, code in enumerate(("open", "high", "low"), 1):
        going = [wait()] if place == 2 else []
        child = Answer(simulation(f"C{place}", code, alpha=f"A{place}", parent="P1"))
        desk.platform.on("GET", f"{PATH}/C{place}", *going, child)
    found = desk.act(lambda client: client.simulate([request("open"), request("high"), request("low")]))
    assert [one.alpha for one in found] == ["A1", "A2", "A3"]
    posted = desk.platform.asked("POST", PATH)[0].body
    assert [one["regular"] for one in posted] == ["open", "high", "low"]


def test_a_parent_may_lack_an_id(desk: Desk) -> None:
    desk.platform.on("GET", f"{PATH}/P1", Answer({"children": ["C1"], "settings": {}, "status": "COMPLETE"}))
    desk.platform.on("GET", f"{PATH}/C1", Answer(simulation("C1", "open", alpha="A1")))

    async def work(client: BrainClient) -> tuple[Simulation, ...]:
        return await client.children(await client.result("P1"))

    assert [one.alpha for one in desk.act(work)] == ["A1"]


def test_a_child_that_failed_is_told_from_siblings_that_were_stopped(desk: Desk) -> None:
    parent = {"id": "P1", "children": ["C1", "C2"], "settings": {}, "status": "ERROR"}
    desk.platform.on("GET", f"{PATH}/P1", Answer(parent))
    desk.platform.on("GET", f"{PATH}/C1", Answer(simulation("C1", "open", "CANCELLED")))
    failed = simulation(
        "C2", "foo", "ERROR", message="Unexpected end of input", location={"line": 1, "end": 3}
    )
    desk.platform.on("GET", f"{PATH}/C2", Answer(failed))

    async def work(client: BrainClient) -> tuple[Simulation, ...]:
        return await client.children(await client.result("P1"))

    first, second = desk.act(work)
    assert (first.status, first.message) == ("CANCELLED", None)
    assert (second.status, second.message) == ("ERROR", "Unexpected end of input")


def test_several_want_a_permission(desk: Desk) -> None:
    error = desk.raises(Refusal, lambda client: client.start([request("a"), request("b")]))
    assert error.reason.code == "not_permitted"
    assert "MULTI_SIMULATION" in error.message
    assert started(desk) == 0


@pytest.mark.parametrize(
    ("requests", "key"),
    [
        ([], None),
        ([request()] * 11, None),
        ([request(), request(delay=0)], "delay"),
        ([request(), request(region="GLB")], "region"),
    ],
)
def test_several_have_to_agree_and_be_few(desk: Desk, requests: Any, key: str | None) -> None:
    error = desk.raises(Refusal, lambda client: client.start(requests))
    assert error.reason.code == "bad_settings"
    assert key is None or key in error.details
    assert started(desk) == 0


# ---- slots


def test_full_slots_are_the_callers_to_wait_for(desk: Desk) -> None:
    desk.platform.on("POST", PATH, refused(429, "CONCURRENT_SIMULATION_LIMIT_EXCEEDED", Retry_After="4"))
    error = desk.raises(SlotsFull, lambda client: client.start(request()))
    assert error.retry_after == 4.0
    assert started(desk) == 1


def test_simulate_waits_for_a_slot_that_somebody_else_holds(desk: Desk) -> None:
    full = refused(429, "CONCURRENT_SIMULATION_LIMIT_EXCEEDED")
    desk.platform.on("POST", PATH, *[full] * 7, created())
    desk.platform.on("GET", f"{PATH}/S1", Answer(simulation("S1", "x", alpha="A1")))
    assert desk.act(lambda client: client.simulate(request()), attempts=2)[0].alpha == "A1"
    assert desk.time.slept == [5.0] * 7


def test_as_many_run_at_once_as_may_and_a_slot_that_is_free_is_used(desk: Desk) -> None:
    """Two that take long do not hold up the rest, which take turns in the third slot."""
    polls = [40, 40, 1, 1, 1, 1, 1]
    desk.platform.on("POST", PATH, *[created(f"/simulations/S{place}") for place in range(len(polls))])
    for place, going in enumerate(polls):
        done = Answer(simulation(f"S{place}", "x", alpha=f"A{place}"))
        desk.platform.on("GET", f"{PATH}/S{place}", *[wait()] * going, done)

    async def work(client: BrainClient) -> list[Any]:
        return await asyncio.gather(*(client.simulate(request()) for _ in polls))

    assert len(desk.act(work, concurrent=3)) == len(polls)
    left = {f"{PATH}/S{place}": going + 1 for place, going in enumerate(polls)}
    running, most = 0, 0
    for one in desk.platform.seen:
        if (one.method, one.path) == ("POST", PATH):
            running += 1
            most = max(most, running)
            assert left[f"{PATH}/S0"] > 0
            assert left[f"{PATH}/S1"] > 0
        elif one.path in left:
            left[one.path] -= 1
            running -= left[one.path] == 0
    assert most == 3


# ---- a reply that was lost


LOST = [Answer(end="reset"), Answer(b"", 201, end="cut"), refused(502, "x"), refused(504, "x")]


@pytest.mark.parametrize("lost", LOST)
def test_a_simulation_whose_reply_was_lost_is_found_among_the_newest_alphas(desk: Desk, lost: Answer) -> None:
    desk.platform.on("POST", PATH, lost)
    desk.platform.on(
        "GET", "/users/self/alphas", page([alpha("A8", "rank(open)"), alpha("A9", "rank(close)")])
    )
    desk.platform.on("GET", "/alphas/A9", Answer(alpha("A9", "rank(close)")))
    found = desk.act(lambda client: client.simulate(request()))
    assert (found[0].status, found[0].alpha, found[0].regular) == ("COMPLETE", "A9", "rank(close)")
    assert started(desk) == 1


def test_one_with_other_settings_is_not_taken_for_it(desk: Desk) -> None:
    desk.platform.on("POST", PATH, Answer(end="reset"), created())
    desk.platform.on("GET", "/users/self/alphas", page([alpha("A9", "rank(close)")]))
    desk.platform.on("GET", f"{PATH}/S1", Answer(simulation("S1", "rank(close)", alpha="A1")))
    assert desk.act(lambda client: client.simulate(request(decay=7)))[0].alpha == "A1"
    assert started(desk) == 2


def test_several_whose_reply_was_lost_are_found_together(desk: Desk) -> None:
    desk.platform.on("POST", "/authentication", MULTI)
    desk.platform.on("POST", PATH, Answer(end="reset"))
    desk.platform.on("GET", "/users/self/alphas", page([alpha("A1", "low"), alpha("A2", "open")]))
    desk.platform.on("GET", "/alphas/A1", Answer(alpha("A1", "low")))
    desk.platform.on("GET", "/alphas/A2", Answer(alpha("A2", "open")))
    found = desk.act(lambda client: client.simulate([request("open"), request("low")]))
    assert [one.alpha for one in found] == ["A2", "A1"]


def test_what_surely_did_not_arrive_is_sent_again_without_a_look(desk: Desk) -> None:
    storm = [refused(429, "THROTTLED")] * 3
    desk.platform.on("POST", PATH, *storm, created())
    desk.act(lambda client: client.start(request()))
    assert desk.platform.asked("GET", "/users/self/alphas") == []


def test_a_start_that_stays_lost_is_an_error_of_the_network(desk: Desk) -> None:
    desk.platform.on("POST", PATH, Answer(end="reset"))
    desk.platform.on("GET", "/users/self/alphas", page([]))
    desk.raises(ProviderTransient, lambda client: client.start(request()), attempts=3)
    assert started(desk) == 3
