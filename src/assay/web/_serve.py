from __future__ import annotations

import asyncio

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.web._guard import AsgiApp

HEAD_SECONDS = 10.0


class Punctual(H11Protocol):
    """A connection on which no request begins within ``HEAD_SECONDS``, or twice that, is closed.

    uvicorn itself closes what idles after an answer, and waits without end for the rest of a request's head.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        self._waited: object = self.cycle
        self._watch = self.loop.call_later(HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to watch."""
        self._watch.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        waits = self.cycle is None or self.cycle.response_complete
        if waits and self.cycle is self._waited:
            self.transport.close()
            return
        self._waited = self.cycle if waits else self
        self._watch = self.loop.call_later(HEAD_SECONDS, self._look)


def server_config(app: AsgiApp, host: str, port: int) -> uvicorn.Config:
    """How uvicorn runs: one process, no word of what it is, connections that wait for nothing are closed."""
    return uvicorn.Config(
        app,
        http=Punctual,
        host=host,
        port=port,
        workers=1,
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_keep_alive=5,
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=16_384,
    )


def run_app(app: AsgiApp, *, host: str, port: int) -> None:
    """Serve an application until interrupted."""
    uvicorn.Server(server_config(app, host, port)).run()
