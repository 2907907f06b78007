"""Reasons of the book and of its tools."""

from assay.errors import Reason

NO_STATE_ROOT = Reason(
    "no_state_root",
    "there is no book to read",
    "ask the operator to make one (assay book init), or to set ASSAY_BOOK_STATE_ROOT",
)
BAD_EVENT = Reason(
    "bad_event", "the book cannot hold this event", "mend what the message names; nothing was written"
)
NOT_ALLOWED = Reason(
    "not_allowed", "this is not for an operator of this kind to do", "leave it to a person, or to an agent"
)
BAD_STRATEGY = Reason(
    "bad_strategy",
    "this is no strategy of the book, or cannot be the slug of one",
    "of a-z, 0-9, '_' and '-': one that book.recent_provenance shows, or for a candidate one of your own",
)
STRATEGY_TAKEN = Reason(
    "strategy_taken",
    "the slug belongs to a registered strategy, or to another agent's candidate",
    "choose another slug: an agent writes rows of its own only",
)
BAD_SINCE = Reason("bad_since", "since is no ISO-8601 date-time", "write it as 2020-01-31T00:00:00Z")
BAD_UNTIL = Reason("bad_until", "until is no ISO-8601 date-time", "write it as 2020-01-31T23:59:59Z")
SINCE_IN_FUTURE = Reason(
    "since_in_future", "since lies after the dates that are open", "use an earlier one, or leave it out"
)
UNTIL_IN_FUTURE = Reason(
    "until_in_future", "until lies after the dates that are open", "use an earlier one, or leave it out"
)
BAD_WINDOW = Reason("bad_window", "since lies after until", "use an earlier since or a later until")
BAD_TITLE = Reason("bad_title", "the title is not one line of text", "say in a line what the idea is")
BAD_FINGERPRINT = Reason(
    "bad_fingerprint",
    "this cannot be the fingerprint of a trial",
    "send the one that the evaluation gave, with its config_hash if there are several",
)
BAD_CONFIG_HASH = Reason(
    "bad_config_hash", "this cannot be a configuration hash", "send the one that the evaluation gave"
)
UNKNOWN_TRIAL = Reason(
    "unknown_trial",
    "the ledger has no such trial; nothing was written",
    "evaluate first: an entry is of something that was tried and counted",
)
BAD_METRIC = Reason("bad_metric", "this cannot be the name of a metric", "name it as the evaluation does")
BAD_SCORE = Reason("bad_score", "the score is no finite number", "send the figure that the evaluation gave")
BAD_CITATIONS = Reason(
    "bad_citations", "citations is no list of texts", "send note:<slug> and the like, at most 32"
)
