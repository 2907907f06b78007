from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import DataError, Problem


def counted(count: int, noun: str) -> str:
    """``1 row``, ``2 rows``, ``2,635 rows``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class DataProblems(DataError):
    """Every problem found in some input data, at once. Nothing was written."""

    kind = "data"

    def __init__(self, problems: Sequence[Problem], *, where: str | None = None) -> None:
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            only = self.problems[0]
            super().__init__(
                only.message, where=only.where, fix=only.fix or "mend the input; nothing was written"
            )
            return
        lines = [f"{len(self.problems)} problems in the input; nothing was written"]
        lines += [f"  {p.where}: {p.message}" + (f" ({p.fix})" if p.fix else "") for p in self.problems]
        super().__init__(
            "\n".join(lines), where=where, fix="mend the listed places and run the command again"
        )

    def as_dict(self) -> dict[str, Any]:
        listed = [{"where": p.where, "message": p.message, "fix": p.fix} for p in self.problems]
        return {**super().as_dict(), "problems": listed}


class Collector:
    """Gathers problems while reading goes on, so that all of them can be told at once."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def add(self, where: str, message: str, fix: str = "") -> None:
        """Remember one problem."""
        self._found.append(Problem(where, message, fix))

    def __len__(self) -> int:
        return len(self._found)

    def raise_any(self, where: str | None = None) -> None:
        """Stop here if anything was found.

        Raises
        ------
        DataProblems
            With every problem remembered so far.
        """
        if self._found:
            raise DataProblems(self._found, where=where)
