from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class TrialKey(NamedTuple):
    """What makes two trials one: the formula's fingerprint, and the hash of all else the number hangs on."""

    fingerprint: str
    config_hash: str

    def as_body(self) -> dict[str, str]:
        """The key as records write it."""
        return self._asdict()

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> TrialKey:
        """The key that a record, or a part of one, names."""
        return cls(str(body["fingerprint"]), str(body["config_hash"]))
