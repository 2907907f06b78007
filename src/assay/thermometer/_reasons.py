"""Reasons of the thermometer and of its tool."""

from assay.errors import Reason

NO_THERMOMETER_PRINT = Reason(
    "no_thermometer_print",
    "there is no print of the thermometer as of a day that is open",
    "ask the operator to make one: assay thermometer print",
)
NO_READING = Reason(
    "no_reading",
    "an axis has no component whose change is known at this day",
    "choose a day at which its series are released and not too old, or mend the series",
)
THERMOMETER_BUSY = Reason(
    "thermometer_busy", "another process is writing a print and does not end", "try again when it has ended"
)
