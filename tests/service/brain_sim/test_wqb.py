"""A client that others wrote and published, against our server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .conftest import PASSWORD, USER, Server, start

wqb_session = pytest.importorskip("wqb.wqb_session", reason="wqb comes with the extra dev")

CODE = "rank(-ts_delta(close, 5))"
GOOD = "-rank(ts_corr(close, volume, 20))"
HOSTS = ("http://api.worldquantbrain.com:443", "https://api.worldquantbrain.com")
"""The address of a submission has a host of its own."""
PLACE = ("USA", 1, "TOP3000")


def simulation(code: str, **settings: Any) -> dict[str, Any]:
    return {
        "type": "REGULAR",
        "settings": {
            "instrumentType": "EQUITY", "region": "USA", "universe": "TOP3000", "delay": 1, "decay": 4,
            "neutralization": "MARKET", "truncation": 0.08, "pasteurization": "ON", "unitHandling": "VERIFY",
            "nanHandling": "OFF", "language": "FASTEXPR", "visualization": False, **settings,
        },
        "regular": code,
    }  # fmt: skip


@pytest.fixture(scope="module")
def server(desk: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start(desk, tmp_path_factory.mktemp("log") / "log", "--memory", "--level", "consultant")
    yield running
    assert running.end() in (0, 130)
    assert "Traceback" not in running.log.read_text()


def signed_out(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A session of theirs that speaks to our server."""
    for name in [name for name in vars(wqb_session) if name.startswith("URL_")]:
        address = getattr(wqb_session, name)
        for host in HOSTS:
            address = address.replace(host, server.url)
        monkeypatch.setattr(wqb_session, name, address)
    return wqb_session.WQBSession((USER, PASSWORD), logger=logging.getLogger("wqb"))


@pytest.fixture
def session(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with signed_out(server, monkeypatch) as made:
        yield made


def simulated(session: Any, code: str = CODE, **settings: Any) -> str:
    """The id of the alpha of a simulation."""
    reply = asyncio.run(session.simulate(simulation(code, **settings)))
    assert reply.status_code == 200
    assert reply.json()["status"] == "COMPLETE"
    return str(reply.json()["alpha"])


def test_it_signs_in(session: Any) -> None:
    assert session.get_authentication(max_tries=1, delay_unexpected=0).status_code == 204
    reply = session.auth_request()
    assert reply.status_code == 201
    assert session.cookies["t"]
    state = session.get_authentication(max_tries=1)
    assert state.status_code == 200
    assert state.json()["user"] == reply.json()["user"]
    assert session.head_authentication().ok
    # 204 makes it sign in again and repeat the request
    assert session.delete_authentication(max_tries=1, delay_unexpected=0).ok


def test_it_signs_in_by_itself_where_a_session_is_missing(session: Any) -> None:
    reply = session.search_operators(delay_unexpected=0)
    assert reply.status_code == 200
    assert {"rank", "ts_delta"} <= {one["name"] for one in reply.json()}


def test_it_simulates(session: Any) -> None:
    session.auth_request()
    name = simulated(session)
    alpha = session.locate_alpha(name).json()
    assert alpha["regular"]["code"] == CODE
    assert isinstance(alpha["is"]["sharpe"], float)


def test_it_hears_of_a_bad_expression(session: Any) -> None:
    session.auth_request()
    reply = asyncio.run(session.simulate(simulation("rank(clse)")))
    assert reply.json()["status"] == "ERROR"
    assert reply.json()["message"] == 'Attempted to use unknown variable "clse"'


def test_it_simulates_several_at_once(session: Any) -> None:
    session.auth_request()
    targets = [
        [simulation(f"rank(ts_delta(close, {days}))") for days in (3, 4)],
        [simulation(f"rank(ts_mean(returns, {days}))") for days in (5, 6, 7)],
        simulation(CODE, decay=9),
    ]
    replies = asyncio.run(session.concurrent_simulate(targets, 3))
    assert [reply.json()["status"] for reply in replies] == ["COMPLETE"] * 3
    assert [len(reply.json().get("children", ())) for reply in replies] == [2, 3, 0]
    child = session.get(f"{wqb_session.URL_SIMULATIONS}/{replies[0].json()['children'][1]}").json()
    assert child["regular"] == "rank(ts_delta(close, 4))"
    assert session.locate_alpha(child["alpha"]).ok


def test_it_searches_data_sets_and_fields(session: Any) -> None:
    session.auth_request()
    sets = [one for page in session.search_datasets(*PLACE) for one in page.json()["results"]]
    assert session.locate_dataset(sets[0]["id"]).json() == sets[0]
    pages = list(session.search_fields(*PLACE, limit=5))
    fields = [one["id"] for page in pages for one in page.json()["results"]]
    assert len(fields) == len(set(fields)) == pages[0].json()["count"] > 5
    assert session.locate_field("close").json()["id"] == "close"
    few = session.search_fields_limited(*PLACE, dataset_id="pv1", search="volume", type="MATRIX", theme=False)
    assert "volume" in {one["id"] for one in few.json()["results"]}


def test_it_filters_alphas(session: Any) -> None:
    from wqb import FilterRange

    session.auth_request()
    name = simulated(session, GOOD)
    bound = FilterRange.from_str("[1.25, inf)")
    found = [
        one
        for page in session.filter_alphas(
            status="UNSUBMITTED", region="USA", delay=1, universe="TOP3000", sharpe=bound, hidden=False,
            date_created=FilterRange.from_str("[2020-01-01T00:00:00-05:00, 2100-01-01T00:00:00-05:00]"),
            order="-dateCreated", limit=2,
        )
        for one in page.json()["results"]
    ]  # fmt: skip
    assert name in {one["id"] for one in found}
    assert all(one["is"]["sharpe"] >= 1.25 for one in found)


def test_it_changes_properties(session: Any) -> None:
    import wqb

    session.auth_request()
    name = simulated(session)
    reply = session.patch_properties(name, name="mine", tags=["a"], color="RED", regular_description="why")
    assert reply.status_code == 200
    assert session.locate_alpha(name).json()["tags"] == ["a"]
    assert session.patch_properties(name, name=wqb.NULL, tags=wqb.NULL).json()["name"] is None


def test_it_checks(session: Any) -> None:
    session.auth_request()
    reply = asyncio.run(session.check(simulated(session)))
    checks = reply.json()["is"]["checks"]
    assert {check["result"] for check in checks} <= {"PASS", "FAIL", "WARNING"}
    assert "SELF_CORRELATION" in {check["name"] for check in checks}


def test_it_submits_and_stops_asking(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    # a user's limits, which are the lower ones
    session = signed_out(serve(), monkeypatch)
    session.auth_request()
    name = simulated(session, GOOD)
    asked: list[str] = []
    session.hooks["response"].append(lambda reply, **_: asked.append(reply.request.method))
    reply = asyncio.run(session.submit(name))
    assert reply.status_code == 201
    assert "Retry-After" not in reply.headers
    assert 2 <= len(asked) < 20
    assert session.locate_alpha(name).json()["status"] == "ACTIVE"
    again = asyncio.run(session.submit(name))
    assert again.status_code == 201
    refused = asyncio.run(session.submit(simulated(session, "rank(ts_delta(close, 5))")))
    assert refused.status_code == 403
    assert "FAIL" in {check["result"] for check in refused.json()["is"]["checks"]}
    session.close()


def test_it_goes_on_where_its_session_expires_and_reviews_take_their_time(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = ("--expire-after", "5", "--poll-reviews", "2", "--fault-429", "0.05")
    server = serve("--level", "consultant", *faults)
    with signed_out(server, monkeypatch) as session:
        names = [simulated(session, f"rank(ts_delta(close, {days}))") for days in (2, 3, 5)]
        assert len(set(names)) == 3
        assert asyncio.run(session.check(names[-1])).json()["is"]["checks"]
