from __future__ import annotations

from assay.errors import Reason

NOT_A_CAMPAIGN = Reason(
    "not_a_campaign", "the run is not one of a campaign", "name a run of the desk campaign: assay ledger show"
)
POOLS_CHANGED = Reason(
    "pools_changed",
    "the reference set or the known factors changed since the run's last start",
    "put them back, or go on with --accept-changed-pools, which is recorded",
)
NOT_FINISHED = Reason(
    "campaign_unfinished", "the campaign has not come to its end", "let it end: assay campaign resume RUN"
)
HOLD_OUT_CLOSED = Reason(
    "hold_out_closed",
    "accepting a campaign opens its hold-out, which was not agreed to",
    "answer the question, or add --yes",
)
ACCEPTED_OTHERWISE = Reason(
    "accepted_otherwise",
    "the campaign was accepted with other choices, and a hold-out is opened once",
    "repeat the choices of the first time, or start a new campaign",
)
NOTHING_ADMITTED = Reason(
    "nothing_admitted",
    "the campaign has admitted no such factor",
    "see what it tried: assay campaign report RUN",
)
CHANGED_SINCE = Reason(
    "changed_since",
    "what the campaign worked with is another one now",
    "put it back as it was when the run began",
)
NOTHING_TRIED = Reason(
    "nothing_tried", "the campaign has evaluated no trial", "let it run first: assay campaign resume RUN"
)
VALUES_CLOSED = Reason(
    "values_closed",
    "values of a hidden date were asked for, and not agreed to",
    "answer the question, or add --yes",
)
