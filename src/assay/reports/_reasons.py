"""Every reason for which this package says no: one table, from which the reference is generated."""

from __future__ import annotations

from typing import Final

from assay.errors import Reason

# -- a document that cannot be read --------------------------------------------------------------------------
DOCUMENT_UNREADABLE = Reason(
    "document.unreadable", "The file is damaged or not of its format.", "Give a whole file."
)
DOCUMENT_ENCRYPTED = Reason(
    "document.encrypted", "The PDF is encrypted.", "Save a copy without a password and give that."
)
DOCUMENT_NO_TEXT = Reason(
    "document.no_text",
    "The PDF has no text layer: its pages are images.",
    "Run text recognition over it first.",
)
DOCUMENT_TOO_LARGE = Reason(
    "document.too_large",
    "The file or its text exceeds the limit.",
    "Give a smaller file, or raise the limit.",
)
DOCUMENT_TOO_MANY_PAGES = Reason(
    "document.too_many_pages", "The document has too many pages.", "Give the pages that define the factor."
)
DOCUMENT_WRONG_ENCODING = Reason(
    "document.wrong_encoding", "The file is not UTF-8 text.", "Convert it to UTF-8."
)
DOCUMENT_EMPTY = Reason("document.empty", "The document has no text.", "Give a document that says something.")
DOCUMENT_TIMED_OUT = Reason(
    "document.timed_out", "Reading the document took too long.", "Give fewer pages, or raise the limit."
)

# -- a report that gives no spec -----------------------------------------------------------------------------
NO_FACTOR = Reason(
    "extract.no_factor", "The text defines no factor.", "Give the report that defines it, or write the spec."
)
MINUTE_DATA = Reason(
    "extract.minute_data", "The factor needs bars shorter than a day.", "Choose a factor of daily bars."
)
FUNDAMENTAL_DATA = Reason(
    "extract.fundamental_data",
    "The factor needs financial statements or estimates.",
    "Choose a factor of prices and volumes.",
)
UNSUPPORTED_OP = Reason(
    "extract.unsupported_op",
    "The formula needs an op that the report dialect does not have or cannot evaluate.",
    "The op is named; --allow-core offers the formula in the core dialect, which assay judge takes, where it "
    "has one.",
)
UNSUPPORTED_FIELD = Reason(
    "extract.unsupported_field",
    "The formula needs a field without data.",
    "Choose a factor of fields with data.",
)
SEVERAL_TARGETS = Reason(
    "extract.several_targets",
    "The report defines several factors.",
    "Choose one of the candidates as the target.",
)
UNKNOWN_TARGET = Reason(
    "extract.unknown_target",
    "No candidate of the report has this name.",
    "Use a name of the list of candidates.",
)
CONFLICTING_WINDOW = Reason(
    "extract.conflicting_window",
    "The text states two windows for the same part.",
    "Decide which one holds; the two places are cited.",
)
CONFLICTING_DIRECTION = Reason(
    "extract.conflicting_direction",
    "The text states both signs of the factor.",
    "Decide which one holds; the two places are cited.",
)
CONFLICTING_FIELD = Reason(
    "extract.conflicting_field",
    "The text states two values for one field of the spec.",
    "Decide which one holds; the two places are cited.",
)
UNREAD = Reason(
    "extract.unread",
    "The text defines a factor that this extractor cannot read.",
    "Use another extractor, or write the spec by hand.",
)
BAD_REPLY = Reason(
    "extract.bad_reply", "The model's reply is no spec and no refusal.", "Try again, or use another model."
)

# -- a spec that the gate does not admit ---------------------------------------------------------------------
NO_SPEC = Reason("extract.no_spec", "There is no spec to admit.", "See the reason of the extraction.")
NOT_EXECUTABLE = Reason(
    "extract.not_executable", "The formula does not parse, type, or run on the tape.", "See what stopped it."
)
OFF_WHITELIST = Reason(
    "extract.off_whitelist",
    "The formula uses a name outside the report dialect.",
    "The name is given; use the ops and fields of the dialect.",
)
BAD_DECLARATION = Reason(
    "extract.bad_declaration", "The fields of the spec contradict its formula.", "See the listed problems."
)
NO_EVIDENCE = Reason(
    "extract.no_evidence", "The spec cites nothing.", "Cite the text for every declared field."
)
BAD_CITATION = Reason(
    "extract.bad_citation",
    "A citation does not resolve: the chunk does not exist, the quote is not inside it, or the words are "
    "part of an order to programs.",
    "Quote what the text says of the factor, as it stands in the chunk.",
)
UNCITED_FIELD = Reason(
    "extract.uncited_field",
    "A declared field has no citation that states it.",
    "Cite the words that state it, or leave the field undeclared.",
)
UNGROUNDED_NUMBER = Reason(
    "extract.ungrounded_number",
    "A number of the formula stands nowhere in the cited text in its role.",
    "Cite the words that state the number.",
)
UNSUPPORTED_WORDS = Reason(
    "extract.unsupported_words",
    "No words of the cited text speak of an op or field of the formula.",
    "Cite the words that define it, or write the formula that the text defines.",
)
UNGROUNDED_DIRECTION = Reason(
    "extract.ungrounded_direction",
    "No words of the cited text state the direction.",
    "Cite the words that state it, or leave it undeclared.",
)
CONTRADICTED = Reason(
    "extract.contradicted", "The cited text contradicts the spec or itself.", "Decide which one holds."
)
UNEXPLAINED_NUMBER = Reason(
    "extract.unexplained_number",
    "The cited definition states a window that the formula does not use.",
    "Write the formula that the text defines, or cite only its definition.",
)
PARTIAL_FORMULA = Reason(
    "extract.partial_formula",
    "The formula is only a part of what the text defines.",
    "Write the whole formula, and cite all of its words.",
)
SINGLE_READING = Reason(
    "extract.single_reading",
    "Only one reading of the text supports the factor's sign or significance.",
    "Find out which reading the authors meant.",
)
REASONS: Final[tuple[Reason, ...]] = (
    DOCUMENT_UNREADABLE, DOCUMENT_ENCRYPTED, DOCUMENT_NO_TEXT, DOCUMENT_TOO_LARGE, DOCUMENT_TOO_MANY_PAGES,
    DOCUMENT_WRONG_ENCODING, DOCUMENT_EMPTY, DOCUMENT_TIMED_OUT,
    NO_FACTOR, MINUTE_DATA, FUNDAMENTAL_DATA, UNSUPPORTED_OP, UNSUPPORTED_FIELD, SEVERAL_TARGETS,
    UNKNOWN_TARGET, CONFLICTING_WINDOW, CONFLICTING_DIRECTION, CONFLICTING_FIELD, UNREAD, BAD_REPLY,
    NO_SPEC, NOT_EXECUTABLE, OFF_WHITELIST, BAD_DECLARATION, NO_EVIDENCE, BAD_CITATION,
    UNCITED_FIELD, UNGROUNDED_NUMBER, UNSUPPORTED_WORDS, UNGROUNDED_DIRECTION, CONTRADICTED,
    UNEXPLAINED_NUMBER, PARTIAL_FORMULA, SINGLE_READING,
)  # fmt: skip
"""Every reason for which this package refuses."""


def reason_of(code: str) -> Reason:
    """The reason with that code.

    Raises
    ------
    KeyError
        There is none.
    """
    for reason in REASONS:
        if reason.code == code:
            return reason
    raise KeyError(code)
