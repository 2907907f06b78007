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
