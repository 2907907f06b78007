"""Certificates as the ledger has them, made by hand: what the zoo reads of them, and nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from assay.base import canonical_json
from assay.expr import parse
from assay.ledger import Ledger, encode_series

CONFIG = "c" * 64


def certificate(text: str | None, *, status: str = "passed", data: str = "sim") -> dict[str, Any]:
    """A certificate with a true content hash."""
    body = {
        "identity": {
            "name": text or "values",
            "text": text or "values",
            "canonical": text,
            "dialect": "core",
        },
        "data": {"panel": data},
        "decision": {
            "status": status,
            "criteria": [{"name": "t of RankIC", "outcome": status, "value": 3.5, "threshold": 3.0}],
        },
    }
    if text is None:
        body["identity"]["dialect"] = None
    digest = hashlib.sha256(canonical_json(body).encode()).hexdigest()
    return {"format": "assay-certificate", "version": 1, "content_hash": f"sha256:{digest}", "body": body}


def record(ledger: Ledger, made: dict[str, Any], *, series: tuple[Any, Any] | None = None) -> dict[str, Any]:
    """Record a certificate, and its trial where a daily series is given; gives the certificate back."""
    identity = made["body"]["identity"]
    text = identity["canonical"]
    fingerprint = parse(text).fingerprint if text else "f" * 64
    data = made["body"]["data"]["panel"]
    (document,) = ledger.put([json.dumps(made).encode()])
    if series is not None:
        (named,) = ledger.put([encode_series(*series)])
        ledger.append("trial", trial(fingerprint, text, data, named))
    ledger.append(
        "certificate",
        {
            "content_hash": made["content_hash"],
            "document": document,
            "fingerprint": fingerprint,
            "config_hash": CONFIG,
            "data": data,
            "decision": made["body"]["decision"]["status"],
        },
    )
    return made


def trial(fingerprint: str, text: str | None, data: str, series: str) -> dict[str, Any]:
    return {
        "fingerprint": fingerprint,
        "config_hash": CONFIG,
        "expression": text,
        "data": data,
        "universe": None,
        "period": "search",
        "bars": 250,
        "sharpe": 0.05,
        "series": series,
        "desk": "judge",
        "control": False,
    }


def days(first: str, count: int) -> Any:
    return np.arange(first, np.datetime64(first) + count, dtype="datetime64[D]")
