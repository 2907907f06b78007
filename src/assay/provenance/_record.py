from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.base import Operator
from assay.errors import AssayError
from assay.ledger import Draft
from assay.provenance._citation import Citation, CitationKind, CitationRefused
from assay.provenance._reasons import UNCITED, UNRESOLVED_CITATION
from assay.provenance._resolve import Resolver, default_resolvers

if TYPE_CHECKING:
    from assay.ledger import Entry, Ledger
    from assay.notes import NoteStore

MAX_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class ProvenanceRow:
    """One provenance record.

    ``time`` is when it was written, ISO text, for people; nothing depends on it.
    """

    line: int
    hash: str
    run: str | None
    operator: Operator
    subject: str
    citations: tuple[Citation, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    time: str | None = None


def record(
    ledger: Ledger,
    operator: Operator,
    subject: str,
    *,
    citations: Iterable[str | Citation],
    run: str | None = None,
    details: Mapping[str, Any] | None = None,
    notes: NoteStore | Path | None = None,
    resolvers: Mapping[CitationKind, Resolver] | None = None,
) -> ProvenanceRow:
    """Write who did what on the ground of what.

    Every citation is read and resolved before anything is written. See :func:`draft` for the parameters.

    Raises
    ------
    CitationRefused
        ``bad_citation``, ``unresolved_citation`` or ``uncited``; also a ``ValueError``. Nothing was written.
    AssayError
        The subject is not one line of text.
    """
    made = draft(
        ledger,
        operator,
        subject,
        citations=citations,
        run=run,
        details=details,
        notes=notes,
        resolvers=resolvers,
    )
    return _row(ledger.append(made.kind, made.body, run=made.run))


def draft(
    ledger: Ledger,
    operator: Operator,
    subject: str,
    *,
    citations: Iterable[str | Citation],
    run: str | None = None,
    details: Mapping[str, Any] | None = None,
    notes: NoteStore | Path | None = None,
    resolvers: Mapping[CitationKind, Resolver] | None = None,
) -> Draft:
    """The record of :func:`record`, checked and not written: to be appended with what it tells of.

    Parameters
    ----------
    operator : who acted.
    subject : what was done or made, such as ``factor:<fingerprint>``; one line.
    citations : what it rests on. An agent has to cite something.
    run : the run to which it belongs.
    details : further JSON data.
    notes : the workspace's notes, or their folder; a draft cannot be cited.
    resolvers : instead of, kind by kind, those of :func:`default_resolvers`.

    Raises
    ------
    CitationRefused
        ``bad_citation``, ``unresolved_citation`` or ``uncited``; also a ``ValueError``. Nothing was written.
    AssayError
        The subject is not one line of text.
    """
    if not subject or len(subject) > MAX_SUBJECT or not subject.isprintable():
        raise AssayError(
            "the subject is not one line of text",
            where="subject",
            fix=f"name what was done in 1 to {MAX_SUBJECT} characters",
        )
    listed = [item if isinstance(item, Citation) else Citation.parse(item) for item in citations]
    cited = tuple(dict.fromkeys(listed))
    if operator.kind == "agent" and not cited:
        raise CitationRefused(UNCITED, where="citations")
    _resolve(cited, {**default_resolvers(ledger, notes), **(resolvers or {})})
    body = {
        "operator": operator.as_dict(),
        "subject": subject,
        "citations": [str(item) for item in cited],
        "details": dict(details or {}),
    }
    return Draft("provenance", body, run)


def recent(
    ledger: Ledger, *, limit: int = 20, subject: str | None = None, run: str | None = None
) -> list[ProvenanceRow]:
    """The newest provenance records, newest first, of all subjects and runs or of one.

    Raises
    ------
    AssayError
        ``limit`` is below 1.
    """
    if limit < 1:
        raise AssayError(f"limit is {limit}", where="limit", fix="give at least 1")
    with ledger.index() as index:
        found = index.entries(kind="provenance", run=run)
        matching = (entry for entry in found if subject is None or entry.body["subject"] == subject)
        return [_row(entry) for entry in reversed(deque(matching, maxlen=limit))]


def _resolve(cited: Iterable[Citation], resolvers: Mapping[CitationKind, Resolver]) -> None:
    missing = [str(item) for item in cited if not resolvers[item.kind](item.target)]
    if missing:
        raise CitationRefused(
            UNRESOLVED_CITATION,
            f"{', '.join(missing)} does not exist",
            where="citations",
            details={"unresolved": missing},
        )


def _row(entry: Entry) -> ProvenanceRow:
    body = entry.body
    return ProvenanceRow(
        line=entry.line,
        hash=entry.hash,
        run=entry.run,
        operator=Operator.from_dict(body["operator"]),
        subject=body["subject"],
        citations=tuple(Citation.parse(text) for text in body["citations"]),
        details=body.get("details", {}),
        time=entry.meta.get("time"),
    )
