from assay.errors import Reason

BAD_INPUTS = Reason(
    "bad_inputs",
    "the inputs cannot be used",
    "name features and columns of features.list, each once; no labels, and at least one that is a number",
)
BAD_TARGET = Reason("bad_target", "the target is no label of returns", "use a label such as fwd_ret_5")
BAD_MAX_DEPTH = Reason(
    "bad_max_depth", "max_depth is out of bounds", "use a whole number within those of the schema"
)
BAD_N_CANDIDATES = Reason(
    "bad_n_candidates", "n_candidates is out of bounds", "use a whole number within those of the schema"
)
BAD_OBJECTIVE = Reason("bad_objective", "there is no such objective", "use one of those of the schema")
BAD_POOL = Reason(
    "bad_pool", "the pool cannot be used", "name features of features.list, each once; no labels"
)
BAD_METHOD = Reason("bad_method", "there is no such method", "use one of those of the schema")
BAD_MAX_FEATURES = Reason(
    "bad_max_features", "max_features is out of bounds", "use a whole number within those of the schema"
)
BAD_MIN_FEATURES = Reason(
    "bad_min_features",
    "min_features is out of bounds, or above max_features or the size of the pool",
    "use a smaller whole number",
)
BAD_DIMS = Reason(
    "bad_dims",
    "the dims cannot be used",
    "give each dim a name and choices within the bounds of the setting, each once",
)
BAD_DIM_NAME = Reason(
    "bad_dim_name", "a dim has no name of a setting", "use settings of the model, of its folds, or features"
)
BAD_MAX_CONFIGS = Reason(
    "bad_max_configs",
    "max_configs is out of bounds, or the grid has more configurations",
    "use fewer choices, or the method random",
)
BAD_N_RANDOM = Reason(
    "bad_n_random",
    "n_random is out of bounds, above max_configs, or given for a grid",
    "use a smaller whole number, with the method random",
)
BAD_PRE_WINDOWS = Reason(
    "bad_pre_windows", "a pre window cannot be used", "write durations such as 0m, 5m, 1d or 1d12h, each once"
)
BAD_POST_WINDOWS = Reason(
    "bad_post_windows",
    "a post window cannot be used",
    "write durations such as 0m, 5m, 1d or 1d12h, each once",
)
BAD_REDUCTIONS = Reason("bad_reductions", "a reduction cannot be used", "use those of the schema, each once")
BAD_MAX_CANDIDATES = Reason(
    "bad_max_candidates", "max_candidates is out of bounds", "use a whole number within those of the schema"
)
BAD_MIN_EVENTS = Reason(
    "bad_min_events", "min_events is out of bounds", "use a whole number within those of the schema"
)
CROSS_PRODUCT_TOO_LARGE = Reason(
    "cross_product_too_large",
    "there are more combinations of windows and reductions than max_candidates",
    "use fewer windows or reductions, or a larger max_candidates",
)
BAD_SPEC = Reason(
    "bad_spec", "the search cannot be run on this data", "see the message for the cause, and ask for less"
)

DISCOVERY_REASONS = (
    BAD_INPUTS, BAD_TARGET, BAD_MAX_DEPTH, BAD_N_CANDIDATES, BAD_OBJECTIVE, BAD_POOL, BAD_METHOD,
    BAD_MAX_FEATURES, BAD_MIN_FEATURES, BAD_DIMS, BAD_DIM_NAME, BAD_MAX_CONFIGS, BAD_N_RANDOM,
    BAD_PRE_WINDOWS, BAD_POST_WINDOWS, BAD_REDUCTIONS, BAD_MAX_CANDIDATES, BAD_MIN_EVENTS,
    CROSS_PRODUCT_TOO_LARGE, BAD_SPEC,
)  # fmt: skip
"""All reasons that a search can be refused with; ``unknown_feature`` is that of the features."""
