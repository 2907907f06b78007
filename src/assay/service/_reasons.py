from __future__ import annotations

from assay.errors import Reason

BAD_REQUEST = Reason("bad_request", "the request does not have the form of the schema", "see /openapi.json")
NOT_FOUND = Reason("not_found", "there is no such path", "see /openapi.json")
METHOD_NOT_ALLOWED = Reason("method_not_allowed", "the path does not take this method", "see /openapi.json")
UNKNOWN_SPEC = Reason("unknown_spec", "no spec of this id is registered", "register it first: POST /specs")
PERIOD_NOT_ALLOWED = Reason(
    "period_not_allowed", "this token may not ask for this period", "ask for the period search"
)
IDEMPOTENCY_CONFLICT = Reason(
    "idempotency_conflict", "the key was used for another request", "use a new key for a new request"
)
IDEMPOTENCY_INTERRUPTED = Reason(
    "idempotency_interrupted",
    "the request of this key was begun and never answered; what it did is in the ledger",
    "use a new key to ask again",
)
TIME_LIMIT = Reason(
    "time_limit", "the work took longer than the limit and was stopped", "use a lighter formula"
)
MEMORY_LIMIT = Reason("memory_limit", "the work needed more memory than the limit", "use a lighter formula")
WORKER_LOST = Reason(
    "worker_lost", "the worker process ended", "ask again; if it recurs, see the service's log"
)
UNAVAILABLE = Reason(
    "unavailable", "the service cannot do this now", "ask the owner of the service, whose log says why"
)
