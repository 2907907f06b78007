from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; of a note or a problem, ``fix`` says what to do."""

    area: str
    outcome: Literal["good", "note", "problem"]
    message: str
    fix: str | None = None

    def as_dict(self) -> dict[str, str | None]:
        return asdict(self)

    def lines(self) -> list[str]:
        lines = [f"{self.outcome:<8} {self.area}: {self.message}"]
        return lines if self.fix is None else [*lines, f"         what to do: {self.fix}"]
