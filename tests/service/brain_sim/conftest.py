"""``assay brain serve`` as a process on the loopback, over a small simulated market."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay.config import init_workspace
from assay.market import simulate, write_dataset

USER, PASSWORD = "me@example.com", "correct horse"
MAIN = "import sys; from assay.cli import main; sys.exit(main(sys.argv[1:]))"


@dataclass(frozen=True)
class Server:
    """A running server; ``log`` is its standard error."""

    process: subprocess.Popen[str]
    url: str
    told: dict[str, Any]
    log: Path

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60)

    @contextmanager
    def signed_in(self) -> Iterator[httpx.Client]:
        with self.client() as client:
            assert client.post("/authentication", auth=(USER, PASSWORD)).status_code == 201
            yield client

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the data set ``toy``."""
    root = tmp_path_factory.mktemp("desk")
    init_workspace(root)
    write_dataset(simulate(7, instruments=60, days=700, name="toy").data, root / "data" / "toy")
    config = root / "assay.toml"
    config.write_text(config.read_text() + "\n[brain.simulator]\nheld_days = 100\n")
    return root


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(desk: Path, log: Path, *options: str, drawn: bool = False) -> Server:
    """Start the server and wait until it answers; ``drawn``: it draws a password itself."""
    port = free_port()
    command = [sys.executable, "-c", MAIN, "brain", "serve", "--data", "toy", "--json"]
    command += ["--port", str(port), "--poll-delay", "0", *options]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("BRAIN_")}
    if not drawn:
        environment |= {"BRAIN_USERNAME": USER, "BRAIN_PASSWORD": PASSWORD}
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, cwd=desk, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    said = []
    while not (said and said[-1] == "}\n"):
        line = process.stdout.readline()
        assert line, log.read_text()
        said.append(line)
    server = Server(process, f"http://127.0.0.1:{port}", json.loads("".join(said)), log)
    _wait(server)
    return server


def _wait(server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as probe:
        for _ in range(3000):
            assert server.process.poll() is None, server.log.read_text()
            try:
                probe.get("/authentication")
            except httpx.ConnectError:
                try:
                    server.process.wait(0.02)
                except subprocess.TimeoutExpired:
                    continue
            except httpx.TransportError:
                return  # a fault on purpose is an answer, too
            else:
                return
    raise AssertionError("the server never answered")


@pytest.fixture
def serve(desk: Path, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers with options, and ends them. The account is in memory."""
    running: list[Server] = []

    def act(*options: str, memory: bool = True, **more: Any) -> Server:
        kept = ("--memory",) if memory else ()
        server = start(desk, tmp_path / f"log{len(running)}", *kept, *options, **more)
        running.append(server)
        return server

    yield act
    for server in running:
        server.end()
