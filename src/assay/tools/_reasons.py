"""The reasons that any tool may give; what is particular to one tool stands beside it."""

from assay.errors import Reason

UNKNOWN_TOOL = Reason("unknown_tool", "no tool has this name", "use a tool of the list")
UNPARSABLE_ARGUMENTS = Reason(
    "unparsable_arguments",
    "the arguments are not one JSON object",
    "send one JSON object of plain values",
)
BAD_ARGUMENTS = Reason(
    "bad_arguments",
    "the arguments do not follow the tool's schema",
    "send the arguments that the schema names, and no others",
)
BUDGET_EXCEEDED = Reason(
    "budget_exceeded",
    "the calls allowed in this episode are used up",
    "finish with what is known",
)
FROZEN_FIELD_MUTATION = Reason(
    "frozen_field_mutation",
    "the call changes a field that is fixed in this episode",
    "send the field as it was given, or leave it out",
)
MULTI_TOOL_PER_STEP = Reason(
    "multi_tool_per_step",
    "several tools were called in one step, and one is allowed",
    "call one tool and wait for its answer",
)
LEDGER_BUSY = Reason(
    "ledger_busy",
    "another process was writing to the ledger for too long; nothing was recorded",
    "try again later",
)

COMMON = (
    UNKNOWN_TOOL,
    UNPARSABLE_ARGUMENTS,
    BAD_ARGUMENTS,
    BUDGET_EXCEEDED,
    FROZEN_FIELD_MUTATION,
    MULTI_TOOL_PER_STEP,
    LEDGER_BUSY,
)
