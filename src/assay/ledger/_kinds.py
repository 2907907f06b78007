"""The closed table of kinds of record; the reference page is made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.base import did_you_mean
from assay.errors import Refusal
from assay.ledger._reasons import BAD_RECORD


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of record says, which keys its body must have, and whether it belongs to a run.

    ``objects`` are the required keys that name payloads in the pack (or are null). ``own`` kinds are
    written by the ledger itself only.
    """

    name: str
    summary: str
    keys: tuple[str, ...]
    run: Literal["always", "maybe", "never"] = "maybe"
    objects: tuple[str, ...] = ()
    own: bool = False


_TABLE = (
    Kind("ledger", "first line: format and version", ("format", "version"), "never", own=True),
    Kind(
        "recovery",
        "a torn tail was cut off; its bytes lie in torn/",
        ("offset", "bytes", "sha256", "reason", "kept"),
        "never",
        own=True,
    ),
    Kind(
        "run_start",
        "a run begins",
        ("desk", "operator", "config_hash", "inputs", "planned"),
        "always",
    ),
    Kind("run_resume", "a run goes on", ("operator", "config_hash", "inputs"), "always"),
    Kind(
        "run_stop",
        "a run ends; unrecorded counts planned trials that it did not record",
        ("reason", "unrecorded"),
        "always",
    ),
    Kind("round", "one round of a run, also one that was dropped", ("number", "outcome"), "always"),
    Kind("llm_call", "one call of a model, with its reply or error", ("role", "request_hash", "ordinal")),
    Kind("tool_call", "one call of a tool, with its outcome", ("tool", "outcome")),
    Kind("refusal", "something was refused", ("reason", "message")),
    Kind("gate_verdict", "what a gate said of a candidate", ("gate", "passed")),
    Kind(
        "trial",
        "a formula was evaluated and a metric of it returned",
        (
            "fingerprint",
            "config_hash",
            "expression",
            "data",
            "universe",
            "period",
            "bars",
            "sharpe",
            "series",
            "desk",
            "control",
        ),
        objects=("series",),
    ),
    Kind(
        "look",
        "hidden dates were read; plan, if there, names the plan of that time",
        ("period", "start", "end", "data", "key", "operator"),
    ),
    Kind("seal", "hidden dates were moved out of reach", ("data", "period")),
    Kind("admission", "a factor was admitted to the zoo, or not", ("certificate", "admitted")),
    Kind("retirement", "a factor left the zoo", ("certificate", "reason")),
    Kind(
        "book_event",
        "something happened in a book; event says what",
        ("event", "event_id", "exchange_ts", "knowledge_ts", "strategy_slug"),
        "never",
    ),
    Kind("provenance", "who did what, on the ground of what", ("operator", "subject", "citations")),
    Kind(
        "certificate",
        "all the proof for one factor",
        ("fingerprint", "config_hash", "document"),
        objects=("document",),
    ),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _TABLE}
_REQUIRED = {kind.name: frozenset(kind.keys) for kind in _TABLE}


def check(kind: str, body: Mapping[str, Any], run: str | None, *, own: bool = False) -> None:
    """Hold a record to the table before anything of it is written.

    Raises
    ------
    Refusal
        ``bad_record``: an unknown kind, or one that only the ledger writes; keys that are missing; a run
        where there must be none, or none where there must be one.
    """
    known = KINDS.get(kind)
    if known is None:
        raise unknown_kind(kind)
    if known.own and not own:
        raise Refusal(BAD_RECORD, f"records of kind {kind!r} are written by the ledger itself", where="kind")
    if not _REQUIRED[kind] <= body.keys():
        missing = [key for key in known.keys if key not in body]
        listed = ", ".join(missing)
        raise Refusal(
            BAD_RECORD,
            f"a record of kind {kind!r} lacks {listed}",
            where="body",
            fix=f"give {listed}; null says that a value is missing",
            details={"missing": missing},
        )
    if run is None and known.run == "always":
        raise Refusal(
            BAD_RECORD, f"a record of kind {kind!r} belongs to a run", where="run", fix="name its run"
        )
    if run is not None and known.run == "never":
        raise Refusal(BAD_RECORD, f"a record of kind {kind!r} belongs to no run", where="run")


def unknown_kind(kind: str) -> Refusal:
    """The refusal of a kind that is not in the table."""
    near = did_you_mean(kind, KINDS)
    fix = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(KINDS)}"
    return Refusal(BAD_RECORD, f"no kind of record is named {kind!r}", where="kind", fix=fix)


def kinds_markdown() -> str:
    """The table of kinds for the reference page."""
    lines = ["| kind | what it says | keys | run |", "|---|---|---|---|"]
    lines += [
        f"| `{kind.name}` | {kind.summary} | {' '.join(f'`{key}`' for key in kind.keys)} | {kind.run} |"
        for kind in _TABLE
    ]
    return "\n".join(lines) + "\n"
