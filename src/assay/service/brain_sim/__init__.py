"""The local simulator of BRAIN over HTTP: FastAPI around the wire of :mod:`assay.brain.simulator`.

Serving needs the extra ``server``; the simulator itself does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.service.brain_sim._settings import BrainSimSettings
from assay.web import check_loopback

if TYPE_CHECKING:
    from fastapi import FastAPI

    from assay.brain.simulator import FaultyWire

__all__ = ["BrainSimSettings", "app", "check_host", "serve"]


def app(wire: FaultyWire, settings: BrainSimSettings | None = None) -> FastAPI:
    """The application; the account is its owner's to close.

    Raises
    ------
    AssayError
        The extra ``server`` is not installed.
    """
    from assay.base import require

    require("fastapi", extra="server")
    from assay.service.brain_sim._app import make_app

    return make_app(wire, settings or BrainSimSettings())


def check_host(host: str, settings: BrainSimSettings) -> None:
    """Refuse an address that the settings do not allow, before anything is opened for it.

    Raises
    ------
    AssayError
        The host is not the loopback and the settings do not allow that.
    """
    if not settings.allow_remote:
        check_loopback(host, fix="leave --host out, or add --allow-remote behind a proxy that speaks TLS")


def serve(wire: FaultyWire, settings: BrainSimSettings, *, host: str, port: int) -> None:
    """Serve until interrupted.

    Raises
    ------
    AssayError
        As :func:`check_host` and :func:`app`.
    """
    from assay.base import require

    check_host(host, settings)
    require("uvicorn", extra="server")
    from assay.web import run_app

    run_app(app(wire, settings), host=host, port=port)
