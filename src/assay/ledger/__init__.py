"""The record of everything: append-only, hash-chained, and on the disk before anything is acted on."""

from assay.ledger._files import LedgerUnwritable, OsFiles
from assay.ledger._index import Index
from assay.ledger._index_rows import RunState
from assay.ledger._index_tables import DATA_INPUT
from assay.ledger._keys import TrialKey
from assay.ledger._kinds import KINDS, Kind
from assay.ledger._ledger import Draft, Ledger, Verified
from assay.ledger._line import Entry, Position
from assay.ledger._looks import LOOK_BUDGET_EXHAUSTED, Look, LooksUsed
from assay.ledger._reasons import BAD_RECORD, LEDGER_BUSY
from assay.ledger._runs import INPUTS_CHANGED, RUN_ENDED, RUN_EXISTS, UNKNOWN_RUN, Run, StopReason
from assay.ledger._scan import TornTail
from assay.ledger._series import DailySeries, SeriesMatrix, decode_series, encode_series
from assay.ledger._trials import INCOMPLETE_SCOPE, Scope, Trials, close_looks
from assay.ledger._workspace import refuse_lost, workspace_ledger

__all__ = [
    "BAD_RECORD",
    "DATA_INPUT",
    "INCOMPLETE_SCOPE",
    "INPUTS_CHANGED",
    "KINDS",
    "LEDGER_BUSY",
    "LOOK_BUDGET_EXHAUSTED",
    "RUN_ENDED",
    "RUN_EXISTS",
    "UNKNOWN_RUN",
    "DailySeries",
    "Draft",
    "Entry",
    "Index",
    "Kind",
    "Ledger",
    "LedgerUnwritable",
    "Look",
    "LooksUsed",
    "OsFiles",
    "Position",
    "Run",
    "RunState",
    "Scope",
    "StopReason",
    "SeriesMatrix",
    "TornTail",
    "TrialKey",
    "Trials",
    "Verified",
    "close_looks",
    "decode_series",
    "encode_series",
    "refuse_lost",
    "workspace_ledger",
]
