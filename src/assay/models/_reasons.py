from assay.errors import Reason

UNKNOWN_STRATEGY = Reason(
    "unknown_strategy", "no strategy has this slug", "use one of 'assay strategy list', or make one"
)
NO_FOLDS = Reason(
    "no_folds",
    "the bars do not suffice for one fold of training and test",
    "take more bars, a shorter horizon, or fewer bars of training",
)
EMPTY_FOLD = Reason(
    "empty_fold",
    "a fold has no row with a feature and a label to train on",
    "begin later, when the features have values, or use other features",
)
