"""Reasons of the built-in tools."""

from assay.errors import Reason

MISSING_EXPRESSION = Reason("missing_expression", "no formula was sent", "send one as expression")
BAD_EXPRESSION = Reason(
    "bad_expression",
    "the formula cannot be used",
    "mend the place that the detail names; try expression.check",
)
BAD_DIALECT = Reason("bad_dialect", "there is no such dialect", "use one of those that the schema lists")
BAD_HORIZON = Reason(
    "bad_horizon",
    "the horizon is out of bounds, or longer than the data allows",
    "use a whole number of bars within the bounds of the schema",
)
BAD_SCOPE = Reason("bad_scope", "there is no such scope", "use data or workspace")
BAD_LIMIT = Reason("bad_limit", "the limit is out of bounds", "use a whole number within those of the schema")
BAD_OFFSET = Reason(
    "bad_offset", "the offset is out of bounds", "use the next_offset of the page before, or 0 for the first"
)
NO_DATA = Reason("no_data", "no data set is attached here", "ask the operator to attach one")
NO_LEDGER = Reason("no_ledger", "no ledger is attached here", "ask the operator to attach one")
NO_ZOO = Reason("no_zoo", "no zoo is attached here", "ask the operator to attach one")
MISSING_SLUG = Reason("missing_slug", "no slug was sent", "send one as slug; the list tool has them")
NO_FEATURE_STORE = Reason(
    "no_feature_store", "no feature store is attached here", "ask the operator to attach a data set"
)
