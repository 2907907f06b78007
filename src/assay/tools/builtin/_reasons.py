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
MISSING_RUN = Reason("missing_run", "no run was named", "send its id as run; run.list gives the ids")
BAD_RUN = Reason("bad_run", "this cannot be the id of a run", "send one that run.list gives")
BAD_DESK = Reason("bad_desk", "this cannot be the name of a desk", "send one that run.list gives")
MISSING_CERTIFICATE = Reason(
    "missing_certificate", "no certificate was named", "send its hash as certificate; see certificate.list"
)
BAD_CERTIFICATE = Reason(
    "bad_certificate", "this cannot be the hash of a certificate", "send one that certificate.list gives"
)
NO_DATA = Reason("no_data", "no data set is attached here", "ask the operator to attach one")
NO_LEDGER = Reason("no_ledger", "no ledger is attached here", "ask the operator to attach one")
NO_ZOO = Reason("no_zoo", "no zoo is attached here", "ask the operator to attach one")
MISSING_SLUG = Reason("missing_slug", "no slug was sent", "send one as slug; the list tool has them")
NO_FEATURE_STORE = Reason(
    "no_feature_store", "no feature store is attached here", "ask the operator to attach a data set"
)
MISSING_AS_OF = Reason("missing_as_of", "no as_of was sent", "send an ISO-8601 date-time as as_of")
BAD_AS_OF = Reason(
    "bad_as_of", "as_of is no ISO-8601 date-time", "write it as 2020-06-30T23:59:59Z, or with another zone"
)
BAD_STRATEGY_SLUG = Reason(
    "bad_strategy_slug",
    "no strategy has this slug, or it cannot run here",
    "use ridge_default, or another one",
)
BAD_FEATURES = Reason(
    "bad_features",
    "the features cannot be used",
    "name features of features.list, no labels, each once",
)
BAD_MAX_BARS = Reason(
    "bad_max_bars",
    "max_bars is out of bounds, or too few for one fold",
    "use a whole number within the bounds of the schema, or leave it out",
)
NOT_IMPLEMENTED = Reason("not_implemented", "this tool is not implemented", "use another tool")
