"""Tokens with which a person opens the sealed period: the ledger holds their hash and their uses."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from assay.base import Operator
from assay.errors import AssayError, Reason, Refusal
from assay.ledger import Ledger

EVAL_SEALED = Reason(
    "eval_sealed",
    "the eval period is sealed",
    "ask the owner of the workspace for a token: assay backtest token --eval",
)
_PREFIX = "assay-eval-"


def issue_eval_token(ledger: Ledger, *, data: str, uses: int, operator: Operator) -> str:
    """A new token that opens the sealed period of a data set ``uses`` times; it is told this once.

    The ledger gets its hash, never the token.

    Raises
    ------
    AssayError
        The operator is not a person, or ``uses`` is not 1 to 1,000.
    """
    if operator.kind != "human":
        raise AssayError(
            f"a {operator.kind} may not issue a token for the sealed period",
            where="operator",
            fix="a person decides when the sealed period is opened",
        )
    if not 1 <= uses <= 1000:
        raise AssayError(f"a token for {uses} uses", where="--uses", fix="give 1 to 1000")
    token = _PREFIX + secrets.token_urlsafe(32)
    _append(ledger, token, operator, {"event": "issued", "data": data, "uses": uses})
    return token


def spend_eval_token(ledger: Ledger, token: str, *, data: str) -> int:
    """Take one use of a token; how many are left. Counting and taking happen under the ledger's lock.

    Raises
    ------
    Refusal
        ``eval_sealed``: no such token was issued for the data set, or it is used up. One message for both.
    """
    with ledger.transaction():
        left = _left(ledger, token, data)
        if left < 1:
            raise Refusal(EVAL_SEALED, where="token")
        _append(ledger, token, Operator.system("judge"), {"event": "spent", "data": data})
    return left - 1


def _left(ledger: Ledger, token: str, data: str) -> int:
    subject, left = _subject(token), 0
    with ledger.index() as index:
        for entry in index.entries(kind="provenance"):
            if entry.body["subject"] == subject:
                left += _change(entry.body["operator"]["kind"], entry.body["details"], data)
    return left


def _change(kind: str, details: Mapping[str, Any], data: str) -> int:
    """By how many uses a record changes what is left; only a person's record gives any."""
    if details.get("data") != data:
        return 0
    issued = details.get("event") == "issued"
    if issued and kind != "human":
        return 0
    return int(details["uses"]) if issued else -1


def _subject(token: str) -> str:
    return f"eval_token:{hashlib.sha256(token.encode(errors='surrogatepass')).hexdigest()}"


def _append(ledger: Ledger, token: str, operator: Operator, details: dict[str, object]) -> None:
    body = {
        "operator": operator.as_dict(),
        "subject": _subject(token),
        "citations": [],
        "details": details,
    }
    ledger.append("provenance", body)
