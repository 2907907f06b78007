"""Immutable prints of supply and demand from component series."""
