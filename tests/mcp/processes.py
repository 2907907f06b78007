"""``assay mcp serve`` as a real process, over standard input and output and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from assay.web import new_token, write_token

START = (sys.executable, "-c", "import sys; from assay.cli import main; sys.exit(main(sys.argv[1:]))", "mcp")
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@dataclass
class Piped:
    """A server over pipes, spoken to line by line."""

    process: subprocess.Popen[bytes]

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def send(self, method: str, params: dict[str, Any] | None = None, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.write(json.dumps(message if number is None else {**message, "id": number}).encode())

    def ask(self, method: str, params: dict[str, Any] | None = None, number: int = 1) -> dict[str, Any]:
        self.send(method, params, number)
        answer = self.read()
        assert answer["id"] == number, answer
        return answer

    def hello(self) -> None:
        self.ask("initialize", HELLO, 0)
        self.send("notifications/initialized")

    def close(self) -> int:
        """Go away as a client does; gives the exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


@contextmanager
def piped(folder: Path, *options: str, script: str | None = None) -> Iterator[Piped]:
    """A server over pipes in ``folder``; ``script`` replaces the command."""
    command = [*START, "serve", *options] if script is None else [sys.executable, "-c", script]
    log = folder / "stderr.txt"
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
        try:
            yield Piped(process)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                try:
                    pipe.close() if pipe is not None else None
                except BrokenPipeError:
                    continue


@dataclass
class Served:
    """A server over HTTP."""

    process: subprocess.Popen[bytes]
    port: int
    token: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(folder: Path, *options: str, script: Path | None = None) -> Iterator[Served]:
    """``assay mcp serve --http`` in ``folder``; ``script`` replaces it, and is given port and token file."""
    file, port = folder / "token", free_port()
    if not file.exists():
        write_token(file, new_token())
    command = [*START, "serve", "--http", "--port", str(port), "--token-file", str(file), *options]
    if script is not None:
        command = [sys.executable, str(script), str(port), str(file), *options]
    log = folder / "stderr.txt"
    with log.open("ab") as errors:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors)
        server = Served(process, port, file.read_text().strip())
        try:
            _wait(server, log)
            yield server
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGINT)
                process.wait(60)


def _wait(server: Served, log: Path) -> None:
    with httpx.Client(timeout=60) as probe:
        for _ in range(3000):
            assert server.process.poll() is None, log.read_text()
            try:
                probe.get(server.url)
            except httpx.ConnectError:
                try:
                    server.process.wait(0.02)
                except subprocess.TimeoutExpired:
                    continue
            else:
                return
    raise AssertionError("the server never answered")
