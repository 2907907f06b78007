from __future__ import annotations

from typing import Final

from assay.errors import Reason

UNKNOWN_DIALECT = Reason(
    "unknown_dialect", "There is no dialect of this name.", "Use one of the dialects listed."
)
EMPTY = Reason("empty_formula", "The formula is empty.", "Write an expression, such as rank(close).")
TOO_LONG = Reason("formula_too_long", "The formula has too many characters.", "Shorten it or split it up.")
TOO_DEEP = Reason("formula_too_deep", "The formula is nested too deeply.", "Take levels out of the formula.")
TOO_LARGE = Reason("formula_too_large", "The formula has too many nodes.", "Split it into smaller ones.")
BAD_CHARACTER = Reason("bad_character", "A character has no meaning here.", "Remove or replace it.")
BAD_NUMBER = Reason("bad_number", "A number is malformed.", "Write numbers as 5, 0.5 or 1e-6.")
UNTERMINATED = Reason("unterminated", "A text or comment is not closed.", "Close the quote or the comment.")
SYNTAX = Reason("syntax", "The formula breaks the grammar of its dialect.", "See what was expected there.")

FRAGMENT = Reason("fragment", "The program only assigns a variable.", "End it with the expression to judge.")
UNKNOWN_OP = Reason("unknown_op", "The dialect has no op of this name.", "Use a name of the op reference.")
UNSUPPORTED_OP = Reason(
    "unsupported_op",
    "The op is known but cannot be evaluated here.",
    "Use an op with a published definition.",
)
WRONG_ARITY = Reason("wrong_arity", "An op has too many or too few arguments.", "See its signature.")
UNKNOWN_ARGUMENT = Reason("unknown_argument", "An op has no argument of this name.", "See its signature.")
WRONG_KIND = Reason("wrong_kind", "An argument has the wrong kind.", "Give the kind that the op takes.")
LITERAL_EXPECTED = Reason(
    "literal_expected", "A parameter is not written as a literal.", "Write the number or the text itself."
)
BAD_PARAMETER = Reason("bad_parameter", "A parameter has a value that the op refuses.", "See its signature.")
ADJUSTMENT = Reason(
    "adjustment_dependent",
    "The value changes with a stock's adjustment factor.",
    "Compare like with like: use ratios, returns, or time-series ranks of prices.",
)

UNKNOWN_FIELD = Reason(
    "unknown_field", "The data has no field of this name.", "Use a field that the data has."
)
UNSUPPORTED_FIELD = Reason(
    "unsupported_field", "The dialect knows the field, but there is no data for it.", "Use another field."
)
WINDOW_BOUNDS = Reason("window_out_of_bounds", "A window is below 1.", "Use a window of at least one bar.")
LOOK_AHEAD = Reason("look_ahead", "The formula reads the future.", "Use a positive shift.")
EXPANDING = Reason("expanding_window", "A window of 0 means all history so far.", "Use a fixed window.")
LOOKBACK = Reason("lookback_too_long", "The formula needs too many bars.", "Shorten its windows.")

NO_FORM = Reason("no_form", "The dialect cannot write this.", "Choose another dialect, such as core.")
NO_CHANGE = Reason(
    "no_valid_change",
    "No valid tree was found within the attempts.",
    "Loosen the limits or the option asked for.",
)

REASONS: Final[tuple[Reason, ...]] = (
    UNKNOWN_DIALECT, EMPTY, TOO_LONG, TOO_DEEP, TOO_LARGE, BAD_CHARACTER, BAD_NUMBER, UNTERMINATED, SYNTAX,
    FRAGMENT, UNKNOWN_OP, UNSUPPORTED_OP, WRONG_ARITY, UNKNOWN_ARGUMENT, WRONG_KIND, LITERAL_EXPECTED,
    BAD_PARAMETER, ADJUSTMENT, UNKNOWN_FIELD, UNSUPPORTED_FIELD, WINDOW_BOUNDS, LOOK_AHEAD, EXPANDING,
    LOOKBACK, NO_FORM, NO_CHANGE,
)  # fmt: skip
"""Every reason for which this package refuses."""
