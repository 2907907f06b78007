from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from assay.errors import AssayError
from assay.judge import Verdict, Verdicts

Result = TypeVar("Result")


def of_one(draw: Callable[[Verdict], Result]) -> Callable[[Verdict | Verdicts], Result]:
    """A view of one verdict that also takes the :class:`~assay.judge.Verdicts` which hold just one."""

    @wraps(draw)
    def drawn(verdict: Verdict | Verdicts) -> Result:
        return draw(_only(verdict) if isinstance(verdict, Verdicts) else verdict)

    return drawn


def _only(verdicts: Verdicts) -> Verdict:
    if len(verdicts) == 1:
        return verdicts[0]
    held = "none" if not len(verdicts) else f"{len(verdicts)}"
    raise AssayError(
        f"this shows one verdict, and {held} were given",
        where="verdict",
        fix="give one of them: verdicts[0], or verdicts.named(...)"
        if len(verdicts)
        else "see verdicts.refused: nothing could be judged",
    )
