"""Certificates as the ledger has them: one record each, the document among the ledger's objects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.base import json_hash
from assay.errors import LedgerDamaged, Reason, Refusal

if TYPE_CHECKING:
    from assay.ledger import Ledger

UNKNOWN_CERTIFICATE: Final = Reason(
    "unknown_certificate",
    "the ledger has no certificate of this hash",
    "give a path, or more than 5 digits of a hash that the ledger has",
)
AMBIGUOUS_CERTIFICATE: Final = Reason(
    "ambiguous_certificate", "several certificates begin with these digits", "give more digits of the hash"
)

_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{6,64})")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class RecordedCertificate:
    """What a record says of a certificate. ``content_hash`` is that of its body, ``document`` its object."""

    line: int
    content_hash: str
    document: str
    fingerprint: str | None
    config_hash: str | None
    data: str | None
    decision: str | None


def recorded_certificates(ledger: Ledger) -> dict[str, RecordedCertificate]:
    """The ledger's certificates by content hash, in order; of equal ones the first record counts.

    Raises
    ------
    LedgerDamaged
        A line of the ledger does not fit.
    """
    found: dict[str, RecordedCertificate] = {}
    for entry in ledger.entries(kind="certificate"):
        body = entry.body
        known = RecordedCertificate(
            entry.line,
            str(body.get("content_hash")),
            str(body["document"]),
            body["fingerprint"],
            body["config_hash"],
            body.get("data"),
            body.get("decision"),
        )
        found.setdefault(known.content_hash, known)
    return found


def find_certificate(ledger: Ledger, digits: str) -> RecordedCertificate:
    """The certificate whose content hash begins with ``digits`` (with or without ``sha256:``, at least 6).

    Raises
    ------
    Refusal
        ``unknown_certificate``, ``ambiguous_certificate``; ``details`` lists those that begin so.
    """
    match = _HASH.fullmatch(digits.strip().lower())
    if match is None:
        raise Refusal(
            UNKNOWN_CERTIFICATE,
            f"{digits[:80]!r} is neither a file nor the hash of a certificate",
            where="certificate",
            fix="give the path of a certificate, or 6 to 64 hex digits of its content hash",
        )
    wanted = f"sha256:{match[1]}"
    known = recorded_certificates(ledger)
    found = [item for name, item in known.items() if name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = [item.content_hash for item in found]
        raise Refusal(
            AMBIGUOUS_CERTIFICATE,
            f"{len(found)} certificates begin with {wanted}: {', '.join(listed[:_SHOWN])}",
            where="certificate",
            details={"certificates": listed},
        )
    raise Refusal(
        UNKNOWN_CERTIFICATE,
        f"the ledger has {len(known)} certificates and none begins with {wanted}",
        where="certificate",
        details={"certificates": len(known)},
    )


def read_document(ledger: Ledger, recorded: RecordedCertificate) -> dict[str, Any]:
    """The certificate itself, as it was recorded.

    Raises
    ------
    LedgerDamaged
        The object is missing, damaged, or not the certificate that the record names.
    """
    try:
        document = json.loads(ledger.get(recorded.document))
        same = content_hash_of(document) == document["content_hash"] == recorded.content_hash
    except (ValueError, KeyError, TypeError, RecursionError):
        same = False
    if not same:
        raise LedgerDamaged(
            f"the object of line {recorded.line} is not the certificate that the line names",
            where=f"line {recorded.line}",
            fix="restore the ledger folder from a copy; nothing was changed",
        )
    return dict(document)


def content_hash_of(certificate: Mapping[str, Any]) -> str:
    """SHA-256 of a certificate's body as canonical JSON, computed anew.

    Raises
    ------
    KeyError, TypeError, ValueError
        It has no body, or one that canonical JSON cannot hold.
    """
    return "sha256:" + json_hash(certificate["body"])
