"""The local simulator: the platform on a stored market."""

from assay.brain.simulator._account import Account
from assay.brain.simulator._account_types import Login
from assay.brain.simulator._correlation import prod_correlation, self_correlation
from assay.brain.simulator._local import (
    LocalPlatform,
    LocalTransport,
    PassingTime,
    local_platform,
    open_account,
)
from assay.brain.simulator._market import Market
from assay.brain.simulator._outcome import CodeError, Correlated, Daily, HeldFigures, Outcome, Peer
from assay.brain.simulator._simulate import held, simulate
from assay.brain.simulator._wire import ROUTES, Route, Wire
from assay.brain.simulator._wire_faults import Delivery, FaultSettings, FaultyWire
from assay.brain.simulator._wire_types import Reply, Request

__all__ = [
    "ROUTES",
    "Account",
    "CodeError",
    "Correlated",
    "Daily",
    "Delivery",
    "FaultSettings",
    "FaultyWire",
    "HeldFigures",
    "LocalPlatform",
    "LocalTransport",
    "Login",
    "Market",
    "Outcome",
    "PassingTime",
    "Peer",
    "Reply",
    "Request",
    "Route",
    "Wire",
    "held",
    "local_platform",
    "open_account",
    "prod_correlation",
    "self_correlation",
    "simulate",
]
