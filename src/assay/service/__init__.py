"""The backtest service: a face of the judge over HTTP, which owns the periods.

A client sends an expression and the id of a gated spec, never a date. Serving needs the extra
``server``; what stands behind it, :class:`Desk`, does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.service._desk import Answer, Desk, Job, open_desk
from assay.service._models import ErrorBody
from assay.service._settings import Role, ServiceSettings
from assay.service._terms import Terms
from assay.web import LOOPBACK, Tokens, check_loopback, new_token, read_token, write_token

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = [
    "LOOPBACK",
    "Answer",
    "Desk",
    "ErrorBody",
    "Job",
    "Role",
    "ServiceSettings",
    "Terms",
    "Tokens",
    "app",
    "new_token",
    "open_desk",
    "read_token",
    "serve",
    "write_token",
]


def app(settings: ServiceSettings) -> FastAPI:
    """The application; its worker process starts with it and ends with it.

    Raises
    ------
    AssayError
        The extra ``server`` is not installed; the data set lies in no workspace, or it has no period plan.
    """
    from assay.base import require

    require("fastapi", extra="server")
    from assay.service._app import make_app

    return make_app(settings)


def serve(settings: ServiceSettings, *, host: str, port: int) -> None:
    """Serve until interrupted.

    Raises
    ------
    AssayError
        The host is not the loopback and the settings do not allow that; as :func:`app`.
    """
    from assay.base import require

    if not settings.allow_remote:
        check_loopback(host, fix="leave --host out, or add --allow-remote behind a proxy that speaks TLS")
    require("uvicorn", extra="server")
    from assay.web import run_app

    run_app(app(settings), host=host, port=port)
