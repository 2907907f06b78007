from assay.errors import Reason

BAD_CITATION = Reason(
    "bad_citation",
    "a citation has no form that is known",
    "write note:<slug>, agent:<model>/<uuid7> or certificate:<sha256>",
)
UNRESOLVED_CITATION = Reason(
    "unresolved_citation",
    "a citation names something that does not exist; nothing was written",
    "cite what exists, or leave the citation out",
)
UNCITED = Reason(
    "uncited",
    "an agent's record cites nothing; nothing was written",
    "cite the notes or records on which the work rests",
)
