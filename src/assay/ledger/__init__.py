"""The record of everything: append-only, hash-chained, and on the disk before anything is acted on."""

from assay.ledger._files import LedgerUnwritable, OsFiles
from assay.ledger._kinds import KINDS, Kind
from assay.ledger._ledger import Draft, Ledger, Verified
from assay.ledger._line import Entry, Position
from assay.ledger._reasons import BAD_RECORD, LEDGER_BUSY
from assay.ledger._scan import TornTail

__all__ = [
    "BAD_RECORD",
    "KINDS",
    "LEDGER_BUSY",
    "Draft",
    "Entry",
    "Kind",
    "Ledger",
    "LedgerUnwritable",
    "OsFiles",
    "Position",
    "TornTail",
    "Verified",
]
