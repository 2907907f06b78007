"""What a run of the ledger is held to when it goes on: its data, and all else by hash."""

from __future__ import annotations

from collections.abc import Mapping

from assay.base import json_hash
from assay.brain._platform import Platform


def data_input(platform: Platform) -> dict[str, str]:
    """The platform's data as an input; by its name alone where the platform tells no digest."""
    data = platform.data
    return {f"data:{data.name}": data.digest or json_hash(data.name)}


def config_hash(inputs: Mapping[str, str]) -> str:
    """Of all inputs but the data."""
    return json_hash({name: value for name, value in inputs.items() if not name.startswith("data:")})
