from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from assay.brain.simulator import ROUTES
from assay.cli import main

from .conftest import MAIN, PASSWORD, USER, Server, start
from .test_wqb import CODE, simulation

Serve = Callable[..., Server]


@pytest.fixture(scope="module")
def server(desk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that is shared by tests that leave no mark on it."""
    running = start(desk, tmp_path_factory.mktemp("log") / "log", "--memory", "--level", "consultant")
    yield running
    running.end()
    assert "Traceback" not in running.log.read_text()


def run(client: httpx.Client, code: str = CODE) -> dict[str, object]:
    """What came of a simulation."""
    location = client.post("/simulations", json=simulation(code)).headers["location"]
    while "retry-after" in (reply := client.get(location)).headers:
        pass
    return reply.json()


class TestServing:
    def test_it_says_where_it_is_and_who_may_sign_in(self, serve: Serve) -> None:
        server = serve(drawn=True)
        assert server.told["url"] == server.url
        assert server.told["data"] == "toy"
        with server.client() as client:
            pair = (server.told["username"], server.told["password"])
            assert client.post("/authentication", auth=pair).status_code == 201
            assert client.post("/authentication", auth=(pair[0], "x")).status_code == 401

    def test_a_password_of_the_environment_is_not_shown(self, server: Server) -> None:
        assert server.told["password"] is None
        with server.signed_in() as client:
            assert client.get("/users/self").status_code == 200
        assert "correct horse" not in server.log.read_text()

    def test_one_line_a_request(self, serve: Serve) -> None:
        server = serve()
        with server.signed_in() as client:
            client.get("/operators?search=secret")
            client.get("/nothing")
        lines = [line.split()[:3] for line in server.log.read_text().splitlines()]
        assert lines[-3:] == [
            ["POST", "/authentication", "201"], ["GET", "/operators", "200"], ["GET", "/nothing", "404"],
        ]  # fmt: skip

    def test_the_location_is_where_the_client_found_the_server(self, server: Server) -> None:
        with server.signed_in() as client:
            body = simulation(CODE)
            first = client.post("/simulations", json=body)
            assert first.headers["location"].startswith(f"{server.url}/simulations/")
            named = client.post("/simulations", json=body, headers={"host": "localhost:9"})
            assert named.headers["location"].startswith("http://localhost:9/simulations/")

    def test_choices(self, server: Server) -> None:
        with server.signed_in() as client:
            assert "POST" in client.options("/simulations").json()["actions"]

    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
    def test_a_page_of_another_site_reaches_nothing(self, server: Server, host: str) -> None:
        with server.client() as client:
            assert client.get("/operators", headers={"host": host}).status_code in (400, 403)
            assert client.get("/operators", headers={"origin": "http://evil.example"}).status_code == 403

    def test_a_body_that_is_too_large(self, server: Server) -> None:
        with server.signed_in() as client:
            assert client.post("/simulations", content=b" " * (2**20 + 1)).status_code == 413
            assert client.post("/simulations", content=b" " * 2**20).status_code == 400

    @pytest.mark.parametrize(
        "options",
        [
            ("--host", "0.0.0.0"), ("--data", "x"), ("--fault-5xx", "2"),
            ("--fault-drop", "0.6", "--fault-stale", "0.6"), ("--host", "no host"), ("--host", "\udcff"),
            ("--poll-delay", "inf"), ("--session-seconds", "1e300"), ("--workers", "100000"),
            ("--fault-slow", "nan"), ("--poll-reviews", "-1"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_served(
        self,
        desk: Path,
        options: tuple[str, ...],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(desk)
        assert main(["brain", "serve", "--data", "toy", "--memory", *options]) == 2
        told = capsys.readouterr()
        assert told.err
        assert told.out == ""  # no password of a server that there is none of

    def test_a_port_that_is_taken(self, desk: Path, server: Server) -> None:
        command = [sys.executable, "-c", MAIN, "brain", "serve", "--data", "toy", "--memory"]
        port = server.url.rpartition(":")[2]
        ended = subprocess.run(
            [*command, "--port", port], cwd=desk, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode != 0
        assert "Traceback" not in ended.stderr


class TestPersona:
    def test_a_person_completes_it_in_a_browser(self, serve: Serve) -> None:
        server = serve("--persona")
        with server.client() as client, server.client() as browser:
            reply = client.post("/authentication", auth=("me@example.com", "correct horse"))
            assert reply.status_code == 401
            assert reply.headers["www-authenticate"] == "persona"
            address = reply.headers["location"]
            assert client.post(address).status_code == 401
            page = browser.get(address)
            form = page.text.partition('action="')[2].partition('"')[0]
            done = browser.post(form, headers={"origin": server.url, "content-type": "text/plain"})
            assert done.status_code == 200
            assert client.post(address).status_code == 201
            assert client.get("/users/self").status_code == 200
        assert reply.json()["inquiry"] not in server.log.read_text()


class TestFaults:
    def test_each_comes_as_often_as_the_flags_say(self, serve: Serve) -> None:
        server = serve(
            "--fault-5xx", "0.2", "--fault-drop", "0.2", "--fault-stale", "0.2", "--fault-429", "0.05",
            "--fault-slow", "0.001", "--expire-after", "1000",
        )  # fmt: skip
        seen: list[object] = []
        with server.client() as client:
            for _ in range(100):
                try:
                    reply = client.get("/operators")
                except httpx.RemoteProtocolError:
                    seen.append("dropped")
                else:
                    stale = reply.headers.get("content-type") == "text/html" and not reply.content
                    seen.append("stale" if stale else reply.status_code)
        assert set(seen) == {401, 429, 500, 502, 503, 504, "dropped", "stale"}

    def test_a_session_that_expires_after_some_requests(self, serve: Serve) -> None:
        with serve("--expire-after", "2").signed_in() as client:
            assert [client.get("/users/self").status_code for _ in range(3)] == [200, 200, 401]


class TestKeeping:
    def test_the_account_outlives_its_server(self, desk: Path, serve: Serve) -> None:
        first = serve(memory=False)
        with first.signed_in() as client:
            alpha = client.get(f"/alphas/{run(client)['alpha']}").json()
        # a second process is refused while the first one works
        command = [sys.executable, "-c", MAIN, "brain", "serve"]  # the one data set needs no name
        second = subprocess.run(command, cwd=desk, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2
        assert "another process works on this account" in second.stderr
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        third = serve(memory=False)
        with third.signed_in() as client:
            assert client.get(f"/alphas/{alpha['id']}").json() == alpha
            assert client.get("/users/self/alphas").json()["count"] == 1

    def test_what_was_posted_when_it_was_killed_is_computed_by_the_next(self, serve: Serve) -> None:
        first = serve("--poll-delay", "5", memory=False)
        with first.signed_in() as client:
            reply = client.post("/simulations", json=simulation("rank(ts_delta(close, 9))"))
            path = httpx.URL(reply.headers["location"]).path
        first.end(signal.SIGKILL)
        second = serve(memory=False)
        with second.signed_in() as client:
            while "retry-after" in (found := client.get(path)).headers:
                pass
        assert found.json()["status"] == "COMPLETE"


@pytest.fixture(scope="module")
def api(server: Server) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


@pytest.fixture(scope="module")
def session(server: Server) -> Iterator[requests.Session]:
    with requests.Session() as made:
        assert made.post(f"{server.url}/authentication", auth=(USER, PASSWORD)).status_code == 201
        yield made


class TestGeneratedRequests:
    @pytest.mark.parametrize("mode", list(GenerationMode))
    @pytest.mark.parametrize("path", sorted({route.path for route in ROUTES}))
    def test_none_makes_it_fail(
        self, api: Any, session: requests.Session, path: str, mode: GenerationMode
    ) -> None:
        operations = [found.ok() for found in api.get_all_operations() if found.ok().path == path]
        assert operations
        for operation in operations:

            @settings(
                max_examples=8, suppress_health_check=list(HealthCheck), derandomize=True, database=None
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def probe(case: schemathesis.Case) -> None:
                case.call_and_validate(session=session, checks=[not_a_server_error])

            try:
                probe()
            except Unsatisfiable:
                assert mode == GenerationMode.NEGATIVE  # it takes nothing that could be wrong

    @pytest.mark.parametrize(
        "sent",
        [
            b"GET /alphas/%ff%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET /users/self/alphas?%zz=&=&&>=< HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: t=\xff; =;\r\n\r\n",
            b"POST /authentication HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n\xff\xfe",
            b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GARBAGE\r\n\r\n",
        ],
    )  # fmt: skip
    def test_neither_does_what_no_client_sends(self, server: Server, sent: bytes) -> None:
        port = int(server.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
            line.sendall(sent)
            first = line.recv(4096).split(b"\r\n")[0]
        assert first.split()[1][:1] == b"4"
