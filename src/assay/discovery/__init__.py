"""Searches over formulas, feature sets, parameters and event windows."""
