"""Why a session cannot begin or go on."""

from __future__ import annotations

from typing import Final

from assay.errors import Reason

RUN_BUSY: Final = Reason("run_busy", "another process is at this run", "wait for it, or end that process")
KNOWLEDGE_BUSY: Final = Reason(
    "knowledge_busy", "another session is writing to the knowledge base", "try again in a moment"
)
NOT_A_SESSION: Final = Reason(
    "not_a_session", "the run is no session of 'assay brain agent'", "name a run that it started"
)
NOTHING_BEGUN: Final = Reason(
    "nothing_begun",
    "the run was killed before it had begun",
    "end it with 'assay ledger close RUN', and start the session anew",
)
RECORD_ENDS: Final = Reason(
    "record_ends", "the recorded session has no answer to this", "replay a session that came to its end"
)
REASONS: Final = (RUN_BUSY, KNOWLEDGE_BUSY, NOT_A_SESSION, NOTHING_BEGUN, RECORD_ENDS)
