from __future__ import annotations

import uvicorn

from assay.web._guard import AsgiApp


def server_config(app: AsgiApp, host: str, port: int) -> uvicorn.Config:
    """How uvicorn runs: one process, no word of what it is, connections that idle are closed."""
    return uvicorn.Config(
        app,
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
