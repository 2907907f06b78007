from __future__ import annotations

import ipaddress
import socket

import uvicorn

from assay.errors import AssayError
from assay.service._app import make_app
from assay.service._settings import ServiceSettings


def run_server(settings: ServiceSettings, *, host: str, port: int) -> None:
    """Serve until interrupted; see :func:`assay.service.serve`."""
    if not settings.allow_remote and not is_loopback(host):
        raise AssayError(
            f"{host} is not the loopback: other machines could reach the service",
            where="--host",
            fix="leave --host out, or add --allow-remote behind a proxy that speaks TLS",
        )
    uvicorn.Server(server_config(settings, host, port)).run()


def server_config(settings: ServiceSettings, host: str, port: int) -> uvicorn.Config:
    """How uvicorn runs: one process, no word of what it is, connections that idle are closed."""
    return uvicorn.Config(
        make_app(settings),
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


def is_loopback(host: str) -> bool:
    """Whether every address of a host name is of the loopback."""
    try:
        found = {item[4][0] for item in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise AssayError(f"{host} has no address", where="--host", fix="use 127.0.0.1") from error
    return all(ipaddress.ip_address(str(address)).is_loopback for address in found)
