"""A record of the ledger as one line for a person: when, what kind, what it is about, and its run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from assay.ledger import Entry

_ABOUT: Final[Mapping[str, tuple[str, ...]]] = {
    "run_start": ("desk",),
    "run_stop": ("reason",),
    "round": ("number", "outcome"),
    "llm_call": ("role", "model", "error"),
    "tool_call": ("tool", "outcome", "reason", "arguments"),
    "refusal": ("reason", "message"),
    "gate_verdict": ("gate", "target", "passed"),
    "trial": ("rank_ic", "expression", "data", "period", "universe"),
    "look": ("period", "data", "start", "end"),
    "seal": ("data", "period"),
    "admission": ("name", "admitted", "certificate"),
    "retirement": ("name", "reason", "certificate"),
    "certificate": ("name", "decision", "content_hash"),
}
"""The keys of a body that say what the record is about, the plainest first."""
_OF_RUNS: Final = frozenset({"run_start", "run_resume", "run_stop"})
_TIME: Final = 19


def record_line(entry: Entry) -> str:
    """Line number, time, kind and subject; the run goes first where the record is about the run itself."""
    when = str(entry.meta.get("time", ""))[:_TIME].replace("T", " ")
    run, about = entry.run or "-", _about(entry.kind, entry.body)
    subject = f"{run}  {about}" if entry.kind in _OF_RUNS else f"{about}  {run}"
    return f"{entry.line:>7}  {when:<{_TIME}}  {entry.kind:<12}  {subject}".rstrip()


def _about(kind: str, body: Mapping[str, Any]) -> str:
    keys = _ABOUT.get(kind)
    if keys is None:
        return "" if kind in _OF_RUNS else json.dumps(body, ensure_ascii=False)
    return "  ".join(_word(key, body[key]) for key in keys if body.get(key) not in (None, "", "{}"))


def _word(key: str, value: Any) -> str:
    if key == "rank_ic" and isinstance(value, float):
        return f"RankIC {value:+.4f}"
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
