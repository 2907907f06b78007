"""What a run of the ledger is held to when it goes on: its data, and all else by hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from assay.base import canonical_json
from assay.brain._platform import Platform


def input_hash(value: Any) -> str:
    """SHA-256 of JSON-ready data in its canonical form."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def data_input(platform: Platform) -> dict[str, str]:
    """The platform's data as an input; by its name alone where the platform tells no digest."""
    data = platform.data
    return {f"data:{data.name}": data.digest or input_hash(data.name)}


def config_hash(inputs: Mapping[str, str]) -> str:
    """Of all inputs but the data."""
    return input_hash({name: value for name, value in inputs.items() if not name.startswith("data:")})
