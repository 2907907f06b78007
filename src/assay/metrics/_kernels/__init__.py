"""Compiled loops of the metrics. Imported only by the functions that run them, because numba loads slowly."""
