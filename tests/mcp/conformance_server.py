"""Serves a simulated market over HTTP for the conformance suite, which sends no token: it is put in here.

python conformance_server.py PORT TOKEN_FILE [--fixtures]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from assay.mcp import HttpSettings, build_server, http_app, surface
from assay.web import read_token, run_app


def main(port: int, token_file: Path, *, fixtures: bool) -> None:
    server = build_server(surface())
    if fixtures:
        from fixture_tools import with_fixtures  # beside this script, which is run as one

        server = with_fixtures(server)
    token = read_token(token_file)
    inside = http_app(server, HttpSettings(token=token, rate=10**6))

    async def with_token(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {token.reveal()}".encode())]
        await inside(scope, receive, send)

    run_app(with_token, host="127.0.0.1", port=port)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), fixtures="--fixtures" in sys.argv)
