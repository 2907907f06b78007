from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known words nearest to a misspelt one, best first, compared without case."""
    by_lower: dict[str, str] = {}
    for name in known:
        by_lower.setdefault(name.lower(), name)
    close = difflib.get_close_matches(word.lower()[:64], by_lower, n=limit, cutoff=0.6)
    return tuple(by_lower[name] for name in close)
