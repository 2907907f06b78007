from __future__ import annotations

from assay.errors import Reason

LEDGER_BUSY = Reason(
    "ledger_busy",
    "another process held the ledger's lock for longer than the wait",
    "try again; if it goes on, look at the process that the message names",
)
BAD_RECORD = Reason(
    "bad_record",
    "a record cannot be written as it is; nothing was written",
    "mend the place that the message names",
)
