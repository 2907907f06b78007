from assay.errors import Reason

UNKNOWN_FEATURE = Reason("unknown_feature", "no feature has this name", "use one of those that are listed")
AS_OF_IN_FUTURE = Reason(
    "as_of_in_future", "as_of lies after the clock of this store", "give an as_of that is not later"
)
BROKEN_FEATURE = Reason(
    "broken_feature",
    "a Python feature does not keep its contract",
    "mend its function: one float a date and instrument, and no look at later rows",
)
