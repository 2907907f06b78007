"""``leaderboard.json``: the candidates of a book, a function of its ledger."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from assay.base import atomic_write
from assay.book._events import Candidate, time_text
from assay.book._history import Recorded

LEADERBOARD: Final = "leaderboard.json"
FORMAT: Final = "assay-leaderboard-1"


def leaderboard_of(recorded: Iterable[Recorded]) -> dict[str, Any]:
    """The candidates, by metric and then the best first; JSON-ready."""
    found = [(item.event, item) for item in recorded if isinstance(item.event, Candidate)]
    found.sort(key=lambda pair: (pair[0].metric, -pair[0].score, pair[1].line))
    return {"format": FORMAT, "entries": [_entry(event, item) for event, item in found]}


def write_leaderboard(root: Path, recorded: Iterable[Recorded]) -> None:
    """Bring the file up to date; as it is, it is not written."""
    text = json.dumps(leaderboard_of(recorded), indent=2, ensure_ascii=False) + "\n"
    file = root / LEADERBOARD
    if not file.is_file() or file.read_bytes() != text.encode():
        atomic_write(file, text)


def _entry(event: Candidate, item: Recorded) -> dict[str, Any]:
    return {
        "event_id": event.event_id,
        "exchange_ts": time_text(event.exchange_ts),
        "strategy_slug": event.strategy_slug,
        "title": event.text,
        "claimed": {"metric": event.metric, "score": event.score},
        "trial": {
            "fingerprint": event.fingerprint,
            "config_hash": event.config_hash,
            "expression": event.expression,
            "data": event.data,
            "sharpe": event.sharpe,
            "n": event.n,
        },
        "operator": item.operator.as_dict(),
        "cited_artifacts": list(event.cites),
    }
