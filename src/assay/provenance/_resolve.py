from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assay.notes import NoteStore
from assay.provenance._citation import CitationKind

if TYPE_CHECKING:
    from assay.ledger import Ledger


class Resolver(Protocol):
    """Says whether what a citation of one kind names exists."""

    def __call__(self, target: str) -> bool: ...


def default_resolvers(
    ledger: Ledger, notes: NoteStore | Path | None = None
) -> Mapping[CitationKind, Resolver]:
    """The resolvers of a workspace; ``notes`` is its store of notes, or the store's folder.

    A note exists when it was published, also if another has superseded it since; an agent where the ledger
    has a provenance record of it; a certificate where the ledger has recorded its content hash, or that of
    its document. Without ``notes`` no note exists.
    """
    store = NoteStore(notes) if isinstance(notes, Path) else notes
    return {
        "note": lambda target: store is not None and store.is_citable(target),
        "agent": lambda target: _agent_known(ledger, target),
        "certificate": lambda target: _certificate_known(ledger, target),
    }


def _agent_known(ledger: Ledger, identifier: str) -> bool:
    with ledger.index() as index:
        return any(
            entry.body["operator"].get("identifier") == identifier
            for entry in index.entries(kind="provenance")
        )


def _certificate_known(ledger: Ledger, digest: str) -> bool:
    names = (digest, f"sha256:{digest}")
    with ledger.index() as index:
        return any(
            entry.body["document"] in names or entry.body.get("content_hash") in names
            for entry in index.entries(kind="certificate")
        )
