"""The local simulator: the platform on a stored market."""

from assay.brain.simulator._correlation import prod_correlation, self_correlation
from assay.brain.simulator._market import Market
from assay.brain.simulator._outcome import CodeError, Correlated, Daily, HeldFigures, Outcome, Peer
from assay.brain.simulator._simulate import held, simulate

__all__ = [
    "CodeError",
    "Correlated",
    "Daily",
    "HeldFigures",
    "Market",
    "Outcome",
    "Peer",
    "held",
    "prod_correlation",
    "self_correlation",
    "simulate",
]
