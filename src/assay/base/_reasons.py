"""Reasons that packages of several layers give."""

from assay.errors import Reason

DAMAGED_STATE = Reason(
    "damaged_state",
    "what is stored here cannot be right",
    "ask the operator to mend or restore it; nothing was changed",
)
"""A store that is there and whose content cannot be trusted: never told as an empty result."""
