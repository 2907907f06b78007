"""Admitting a factor to the zoo and taking it out again: what a person does, and a record of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from assay.base import Operator, check_id
from assay.errors import AssayError, Reason, Refusal
from assay.library._recorded import content_hash_of, read_document, recorded_certificates
from assay.library._watch import watch_of
from assay.library._zoo import CERTIFICATE_UNRECORDED, Member, Zoo, member_of, retirement_of

if TYPE_CHECKING:
    from assay.ledger import Ledger

NAME_TAKEN: Final = Reason(
    "name_taken",
    "a factor of the zoo has, or had, this name",
    "choose another; a name is used once, so that records stay clear",
)
ALREADY_ADMITTED: Final = Reason(
    "already_admitted", "the same factor, judged in the same way, is in the zoo", "retire the other one first"
)
ALREADY_RETIRED: Final = Reason(
    "already_retired", "the factor has left the zoo before", "nothing is to be done"
)
CERTIFICATE_ALTERED: Final = Reason(
    "certificate_altered", "the certificate is not as it was made", "judge the factor again"
)
NOT_PASSED: Final = Reason(
    "not_passed",
    "the judge did not pass the factor",
    "admit factors whose certificate says passed",
)
HUMANS_ONLY: Final = Reason(
    "humans_only", "what is in the zoo is for a person to decide", "let a person run the command"
)


def admit(ledger: Ledger, certificate: Mapping[str, Any], name: str, operator: Operator) -> Member:
    """Admit a factor to the zoo on the strength of its certificate: a person's act, and a record.

    The record freezes what the certificate leads to expect, and the rule by which the factor is given up;
    see :class:`Watch`.

    Raises
    ------
    Refusal
        ``humans_only``; ``certificate_altered``: it does not have the hash that it states, or is not the one
        recorded; ``certificate_unrecorded``; ``not_passed``; ``name_taken``; ``already_admitted``.
    AssayError
        ``name`` is not an id.
    """
    check_id(name, "name of a factor")
    _require_human(operator)
    content_hash = _intact(certificate)
    with ledger.transaction():
        recorded = recorded_certificates(ledger).get(content_hash)
        if recorded is None:
            raise Refusal(CERTIFICATE_UNRECORDED, where="certificate", details={"certificate": content_hash})
        document = read_document(ledger, recorded)
        if document != certificate:
            raise Refusal(CERTIFICATE_ALTERED, "the certificate is not the one recorded", where="certificate")
        body = document["body"]
        status = body["decision"]["status"]
        if status != "passed":
            raise Refusal(
                NOT_PASSED, f"the certificate says {status}", where="certificate", details={"status": status}
            )
        _require_free(Zoo.read(ledger), name, recorded.fingerprint, recorded.config_hash, content_hash)
        identity, watch = body["identity"], watch_of(document)
        entry = ledger.append(
            "admission",
            {
                "name": name,
                "admitted": True,
                "fingerprint": recorded.fingerprint,
                "config_hash": recorded.config_hash,
                "expression": identity["text"] if identity["canonical"] is not None else None,
                "dialect": identity["dialect"],
                "data": recorded.data or body["data"]["panel"],
                "certificate": content_hash,
                "checks": [
                    {"name": criterion["name"], "outcome": criterion["outcome"]}
                    for criterion in body["decision"]["criteria"]
                ],
                "watch": None if watch is None else watch.as_dict(),
                "operator": operator.as_dict(),
            },
        )
    return member_of(entry)


def retire(ledger: Ledger, name: str, reason: str, operator: Operator) -> Member:
    """Take a factor out of the zoo: a person's act, and a record. Its name stays taken.

    Raises
    ------
    Refusal
        ``humans_only``, ``unknown_member``, ``already_retired``.
    AssayError
        ``reason`` says nothing.
    """
    _require_human(operator)
    if not reason.strip():
        raise AssayError("no reason is given", where="reason", fix="say in a few words why the factor leaves")
    with ledger.transaction():
        member = Zoo.read(ledger).get(name)
        if member.retired is not None:
            raise Refusal(
                ALREADY_RETIRED, f"{name!r} has left the zoo before: {member.retired.reason}", where="name"
            )
        body = {
            "name": name,
            "certificate": member.certificate,
            "reason": reason.strip(),
            "operator": operator.as_dict(),
        }
        entry = ledger.append("retirement", body)
    return replace(member, retired=retirement_of(entry))


def _require_human(operator: Operator) -> None:
    if operator.kind != "human":
        raise Refusal(HUMANS_ONLY, where="operator", details={"operator": operator.kind})


def _intact(certificate: Mapping[str, Any]) -> str:
    """The content hash of a certificate, which is the one that it states."""
    try:
        found = content_hash_of(certificate)
        stated = certificate["content_hash"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise Refusal(CERTIFICATE_ALTERED, "this is not a certificate", where="certificate") from error
    if found != stated:
        raise Refusal(
            CERTIFICATE_ALTERED,
            "the certificate's body does not have the hash that it states",
            where="certificate",
            details={"stated": str(stated), "found": found},
        )
    return found


def _require_free(
    zoo: Zoo, name: str, fingerprint: str | None, config_hash: str | None, certificate: str
) -> None:
    if any(member.name == name for member in zoo.members(retired=True)):
        raise Refusal(NAME_TAKEN, f"the name {name!r} is taken", where="name")
    key = (fingerprint, config_hash)
    for member in zoo.members():
        same = fingerprint is not None and (member.fingerprint, member.config_hash) == key
        if same or member.certificate == certificate:
            raise Refusal(
                ALREADY_ADMITTED,
                f"the same factor is in the zoo as {member.name!r}",
                where="certificate",
                details={"member": member.name},
            )
