from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["kept", "broken", "not applicable"]


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """What one clause of the contract found.

    Parameters
    ----------
    clause : its name, stable across releases.
    outcome : ``not applicable`` where the declaration makes no claim that could be tested.
    message : what was expected and what was found instead, with the settings and the place.
    """

    clause: str
    outcome: Outcome
    message: str

    @property
    def passed(self) -> bool:
        """True unless the clause is broken."""
        return self.outcome != "broken"

    def __str__(self) -> str:
        return f"{self.clause}: {self.outcome}" + (f" - {self.message}" if self.message else "")


@dataclass(frozen=True, slots=True)
class Report:
    """The results for one op or field, a clause each, in a fixed order."""

    subject: str
    results: tuple[ClauseResult, ...]

    @property
    def passed(self) -> bool:
        """True when no clause is broken."""
        return all(result.passed for result in self.results)

    @property
    def broken(self) -> tuple[ClauseResult, ...]:
        """The clauses that do not hold."""
        return tuple(result for result in self.results if not result.passed)

    def __str__(self) -> str:
        return "\n".join([self.subject, *(f"  {result}" for result in self.results)])


def kept(clause: str, message: str = "") -> ClauseResult:
    return ClauseResult(clause, "kept", message)


def broken(clause: str, message: str) -> ClauseResult:
    return ClauseResult(clause, "broken", message)


def not_applicable(clause: str, message: str) -> ClauseResult:
    return ClauseResult(clause, "not applicable", message)
