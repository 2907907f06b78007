"""A simulated market in a workspace, a gated spec, and the real server on the loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay.config import DateRange, PeriodPlan, as_date, init_workspace
from assay.ledger import Ledger
from assay.market import Panel, simulate, write_dataset
from assay.service import new_token, write_token
from assay.spec import GATE_CHECKS, FactorSpec, GateCheck, GatedSpec, GateVerdict

SERVER = """
import sys
from pathlib import Path
from assay.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
SPANS = ((0, 299), (330, 469), (500, 619))


def gated_spec(**changes: Any) -> GatedSpec:
    """A spec as the gate admits it; what a report fixed may be changed."""
    fields: dict[str, Any] = {
        "name": "price and volume",
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "none",
        "rebalance": "weekly",
        "expr": "$close / TS_MEAN($close, 15)",
        "windows": (15,),
    }
    direction = changes.pop("direction", "negative")
    spec = FactorSpec(**{**fields, **changes})
    checks = tuple(GateCheck(name, True) for name in GATE_CHECKS)
    return GatedSpec.of(GateVerdict(spec, direction, "0" * 64, (), checks))


@pytest.fixture(scope="session")
def source() -> Panel:
    return simulate(5, instruments=200, days=620, name="toy")


def make_workspace(root: Path, source: Panel, *, score: int = 50, sealed: int = 5) -> Path:
    """A workspace with the data set ``toy``; gives the folder of the data set."""
    days = [as_date(day) for day in source.dates]
    search, hidden, last = (DateRange(days[a], days[b]) for a, b in SPANS)
    plan = PeriodPlan(search=search, score=hidden, eval=last, embargo_bars=21)
    init_workspace(root, plans={"toy": plan})
    config = root / "assay.toml"
    config.write_text(config.read_text() + f"\n[data.toy.looks]\nscore = {score}\neval = {sealed}\n")
    write_dataset(source.data, root / "data" / "toy")
    return root / "data" / "toy"


@dataclass(frozen=True)
class Server:
    """A running server, with clients of both roles. ``seen`` collects every byte that it answered."""

    process: subprocess.Popen[bytes]
    url: str
    data: Path
    search: httpx.Client
    score: httpx.Client
    seen: list[bytes]

    @property
    def ledger(self) -> Ledger:
        return Ledger.open(self.data.parent.parent / "ledger")

    def count(self, kind: str) -> int:
        return sum(1 for _ in self.ledger.entries(kind=kind))

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def register(self, **changes: Any) -> str:
        answer = self.search.post("/specs", json=gated_spec(**changes).as_dict())
        assert answer.status_code == 200, answer.text
        return str(answer.json()["spec_id"])

    def backtest(
        self, formula: str, *, role: str = "search", headers: dict[str, str] | None = None, **body: Any
    ) -> httpx.Response:
        client = self.score if role == "score" else self.search
        return client.post("/backtest", json={"expression": formula, **body}, headers=headers)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(data: Path, folder: Path, *options: str) -> Server:
    """Start ``assay service serve`` and wait until it answers."""
    files = [folder / "search.token", folder / "score.token"]
    for file in files:
        if not file.exists():
            write_token(file, new_token())
    port = free_port()
    script = folder / "server.py"
    script.write_text(SERVER)
    command = [
        sys.executable, str(script), "service", "serve", "--port", str(port), "--data", str(data),
        "--token-file", str(files[0]), "--score-token-file", str(files[1]), *options,
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    url, seen = f"http://127.0.0.1:{port}", []

    def keep(response: httpx.Response) -> None:
        response.read()
        seen.append(response.headers.raw and b"".join(b"%s: %s\n" % pair for pair in response.headers.raw))
        seen.append(response.content)

    def client(file: Path) -> httpx.Client:
        headers = {"Authorization": f"Bearer {file.read_text().strip()}"}
        return httpx.Client(base_url=url, headers=headers, timeout=120, event_hooks={"response": [keep]})

    server = Server(process, url, data, client(files[0]), client(files[1]), seen)
    _wait(server)
    return server


def _wait(server: Server) -> None:
    transport = httpx.HTTPTransport(retries=0)
    with httpx.Client(transport=transport, base_url=server.url, timeout=60) as probe:
        for _ in range(3000):
            assert server.process.poll() is None, "the server ended"
            try:
                probe.get("/health")
            except httpx.ConnectError:
                try:
                    server.process.wait(0.02)
                except subprocess.TimeoutExpired:
                    continue
            else:
                return
    raise AssertionError("the server never answered")


def end(server: Server) -> None:
    server.search.close()
    server.score.close()
    if server.process.poll() is None:
        server.process.send_signal(signal.SIGINT)
        server.process.wait(60)


@pytest.fixture
def serve(source: Panel, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers with options, and ends them."""
    running: list[Server] = []

    def act(*options: str, data: Path | None = None, **budgets: int) -> Server:
        server = start(data or make_workspace(tmp_path / "desk", source, **budgets), tmp_path, *options)
        running.append(server)
        return server

    yield act
    for server in running:
        end(server)


def hidden_needles(source: Panel) -> list[bytes]:
    """Every way in which a date after the search period might be written."""
    found: set[str] = set()
    for day in source.dates[SPANS[0][1] + 1 :]:
        date = as_date(day)
        found |= {date.isoformat(), f"{date:%Y%m%d}", f"{date:%Y/%m/%d}", f"{date:%d %b %Y}"}
    return [text.encode() for text in sorted(found)]
