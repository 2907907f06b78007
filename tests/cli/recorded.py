"""Certificates in a workspace's ledger, for the commands that read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from assay.judge import JudgeSettings, judge
from assay.ledger import Ledger, encode_series
from assay.market import open_panel

REVERSAL = "-ts_return(close, 5)"
VOLUME = "ts_mean(volume, 20)"
LENIENT = {
    "min_t": None,
    "min_coverage": None,
    "stable_sign": False,
    "beyond_shuffle": False,
    "min_late_share": None,
    "leaks": False,
}
CONFIG = "c" * 64


def judged(folder: Path, formula: str, **thresholds: Any) -> dict[str, Any]:
    """The certificate of a formula on a stored data set, with thresholds that anything passes by default."""
    settings = JudgeSettings.from_mapping(
        {
            "robustness": "off",
            "leak_checks": "off",
            "bootstrap": 0,
            "shuffles": 2,
            "neutral": False,
            "thresholds": {**LENIENT, **thresholds},
        }
    )
    (verdict,) = judge([formula], open_panel(folder), settings)
    return json.loads(json.dumps(dict(verdict.certificate)))


def ledger_of(workspace: Path) -> Ledger:
    folder = workspace / "ledger"
    return Ledger.open(folder) if folder.exists() else Ledger.create(folder)


def record(workspace: Path, certificate: dict[str, Any]) -> str:
    """Record a certificate with its trial, as the judge does; gives the content hash."""
    ledger = ledger_of(workspace)
    identity, data = certificate["body"]["identity"], certificate["body"]["data"]
    days = np.arange("2018-01-02", "2018-12-31", dtype="datetime64[D]")
    moves = np.random.default_rng(len(identity["text"])).normal(size=len(days))
    document, series = ledger.put([json.dumps(certificate).encode(), encode_series(days, moves)])
    key = {"fingerprint": identity["fingerprint"], "config_hash": CONFIG}
    ledger.append(
        "trial",
        {
            **key,
            "expression": identity["canonical"],
            "data": data["panel"],
            "universe": None,
            "period": "search",
            "bars": len(days),
            "sharpe": 0.1,
            "series": series,
            "desk": "judge",
            "control": False,
        },
    )
    ledger.append(
        "certificate",
        {
            **key,
            "document": document,
            "content_hash": certificate["content_hash"],
            "data": data["panel"],
            "decision": certificate["body"]["decision"]["status"],
        },
    )
    return str(certificate["content_hash"])


def plan_across_a_holiday(workspace: Path) -> None:
    """A plan whose embargo has 21 weekdays, five of them without trading."""
    path = workspace / "assay.toml"
    text = path.read_text(encoding="utf-8").split("[data.small.periods]")[0]
    plan = 'search = ["2018-01-02", "2018-09-14"]\nscore = ["2018-10-16", "2019-02-25"]\nembargo_bars = 21\n'
    path.write_text(f"{text}[data.small.periods]\n{plan}", encoding="utf-8")


def damage(workspace: Path, line: int) -> None:
    """Alter one byte inside a line (from 1) of the ledger, and take away what was noted of it."""
    path = workspace / "ledger" / "ledger.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    text = bytearray(lines[line - 1])
    place = text.index(b'"body":{"') + 9
    text[place] ^= 1
    lines[line - 1] = bytes(text)
    path.write_bytes(b"".join(lines))


def tree(folder: Path) -> dict[str, Any]:
    """Every path below a folder with its content and times, so that any change shows."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (status.st_mode, status.st_mtime_ns, content)
    return found
