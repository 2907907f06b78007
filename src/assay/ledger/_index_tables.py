"""The tables of the index, and the rows that a record makes in them."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from assay.ledger._line import START, Entry, Line, parse

VERSION = 5
"""Of the tables below; an index of another version is made anew."""

APPLICATION = 0x41535359
"""What an SQLite file of ours says it is."""

DATA_INPUT = "data:"
"""Inputs of a run with this prefix name the data sets that it reads."""

INSERTS = {
    "record": "INSERT INTO record VALUES (?,?,?,?,?,?)",
    "trial": "INSERT INTO trial VALUES (?,?,?,?,?,?,?,?,?,?)",
    "look": "INSERT INTO look VALUES (?,?,?,?,?,?,?,?)",
    "run_event": "INSERT INTO run_event VALUES (?,?,?,?,?,?,?)",
}
"""How a row joins each table that records fill."""

Rows = dict[str, list[tuple[Any, ...]]]
"""By table."""

_TABLES = """
CREATE TABLE place (lines INTEGER NOT NULL, offset INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE witness (lines INTEGER NOT NULL, offset INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE record (line INTEGER PRIMARY KEY, offset INTEGER NOT NULL, length INTEGER NOT NULL,
                     kind TEXT NOT NULL, run TEXT, key TEXT);
CREATE TABLE trial (line INTEGER PRIMARY KEY, fingerprint TEXT, config_hash TEXT, data TEXT, desk TEXT,
                    run TEXT, sharpe REAL, series TEXT, p_value REAL, control INTEGER NOT NULL);
CREATE TABLE look (line INTEGER PRIMARY KEY, data TEXT, period TEXT, fingerprint TEXT, config_hash TEXT,
                   budget INTEGER, run TEXT, plan TEXT);
CREATE TABLE run_event (line INTEGER PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL, desk TEXT, data TEXT,
                        reason TEXT, unrecorded INTEGER);
CREATE INDEX record_by_kind ON record (kind, line);
CREATE INDEX record_by_run ON record (run, line) WHERE run IS NOT NULL;
CREATE INDEX record_by_key ON record (key, line) WHERE key IS NOT NULL;
CREATE INDEX look_by_data ON look (data, period);
"""
_RUN_KINDS = ("run_start", "run_resume", "run_stop")


def make_tables(connection: sqlite3.Connection) -> None:
    """Empty tables of this version in place of whatever there is."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in tables:
        quoted = name.replace('"', '""')
        connection.execute(f'DROP TABLE "{quoted}"')
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO place VALUES (?,?,?)", (START.lines, START.offset, START.hash))
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def no_rows() -> Rows:
    """For each table, none yet."""
    return {table: [] for table in INSERTS}


def add_rows(rows: Rows, line: Line) -> None:
    """Add what the index keeps of a record."""
    entry = parse(line)
    key = _optional_text(entry.body.get("key")) if entry.kind == "tool_call" else None
    rows["record"].append(
        (line.number, line.offset, len(line.raw), _text(entry.kind), _optional_text(entry.run), key)
    )
    if entry.kind == "trial":
        rows["trial"].append(_trial(entry))
    elif entry.kind == "look":
        rows["look"].append(_look(entry))
    elif entry.kind in _RUN_KINDS:
        rows["run_event"].append(_run_event(entry))


def _trial(entry: Entry) -> tuple[Any, ...]:
    body = entry.body
    return (
        entry.line,
        _text(body.get("fingerprint")),
        _text(body.get("config_hash")),
        _optional_text(body.get("data")),
        _optional_text(body.get("desk")),
        _optional_text(entry.run),
        _number(body.get("sharpe")),
        _optional_text(body.get("series")),
        _number(body.get("p_value")),
        body.get("control") is True,
    )


def _look(entry: Entry) -> tuple[Any, ...]:
    body, key = entry.body, entry.body.get("key")
    named = key if isinstance(key, dict) else {"fingerprint": key}
    return (
        entry.line,
        _text(body.get("data")),
        _text(body.get("period")),
        _text(named.get("fingerprint")),
        _text(named.get("config_hash")),
        _whole(body.get("budget")),
        _optional_text(entry.run),
        _optional_text(body.get("plan")),
    )


def _run_event(entry: Entry) -> tuple[Any, ...]:
    body, inputs = entry.body, entry.body.get("inputs")
    names = sorted(inputs) if isinstance(inputs, dict) else []
    sets = [name.removeprefix(DATA_INPUT) for name in names if name.startswith(DATA_INPUT)]
    return (
        entry.line,
        _text(entry.run),
        entry.kind,
        _optional_text(body.get("desk")),
        json.dumps(sets) if sets else None,
        _optional_text(body.get("reason")),
        _whole(body.get("unrecorded")) or 0,
    )


def _optional_text(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    """Text as SQLite can hold it; a lone surrogate becomes its escape, what is no text its JSON."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else None
