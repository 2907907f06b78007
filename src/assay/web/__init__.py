"""What every face over HTTP has in front of it: tokens, host and origin, rate and size of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names
from assay.web._guard import AsgiApp, Bucket, Guard, GuardSettings, Receive, Scope, Send, client_fault
from assay.web._loopback import LOOPBACK, check_loopback, is_loopback
from assay.web._reasons import BUSY
from assay.web._tokens import Tokens, new_token, read_token, write_token

__all__ = [
    "BUSY",
    "LOOPBACK",
    "AsgiApp",
    "Bucket",
    "Guard",
    "GuardSettings",
    "Receive",
    "Scope",
    "Send",
    "Tokens",
    "check_loopback",
    "client_fault",
    "is_loopback",
    "new_token",
    "read_token",
    "run_app",
    "server_config",
    "write_token",
]

# uvicorn comes with an extra
__getattr__ = lazy_names(__name__, {"._serve": ("run_app", "server_config")})

if TYPE_CHECKING:
    from assay.web._serve import run_app, server_config
