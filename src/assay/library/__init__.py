"""Reference factors, how near a formula is to them, and the zoo of admitted factors."""

from assay.library._factor import Factor, Gap
from assay.library._nearest import Match, Neighbour, nearest
from assay.library._recorded import (
    AMBIGUOUS_CERTIFICATE,
    UNKNOWN_CERTIFICATE,
    RecordedCertificate,
    find_certificate,
    read_document,
    recorded_certificates,
)
from assay.library._sets import DEMO_FIELDS, UNKNOWN_FACTOR, demo_set, factor, gaps, reference_factors, sets
from assay.library._similarity import Similarity, similarity
from assay.library._watch import Followed, Health, Watch, follow, make_watch, watch_of
from assay.library._zoo import CERTIFICATE_UNRECORDED, UNKNOWN_MEMBER, Member, Retirement, Zoo
from assay.library._zoo_acts import (
    ALREADY_ADMITTED,
    ALREADY_RETIRED,
    CERTIFICATE_ALTERED,
    HUMANS_ONLY,
    NAME_TAKEN,
    NOT_PASSED,
    admit,
    retire,
)
from assay.library._zoo_compare import Comparison

__all__ = [
    "ALREADY_ADMITTED",
    "ALREADY_RETIRED",
    "AMBIGUOUS_CERTIFICATE",
    "CERTIFICATE_ALTERED",
    "CERTIFICATE_UNRECORDED",
    "DEMO_FIELDS",
    "HUMANS_ONLY",
    "NAME_TAKEN",
    "NOT_PASSED",
    "UNKNOWN_CERTIFICATE",
    "UNKNOWN_FACTOR",
    "UNKNOWN_MEMBER",
    "Comparison",
    "Factor",
    "Followed",
    "Gap",
    "Health",
    "Match",
    "Member",
    "Neighbour",
    "RecordedCertificate",
    "Retirement",
    "Similarity",
    "Watch",
    "Zoo",
    "admit",
    "demo_set",
    "factor",
    "find_certificate",
    "follow",
    "gaps",
    "make_watch",
    "nearest",
    "read_document",
    "recorded_certificates",
    "reference_factors",
    "retire",
    "sets",
    "similarity",
    "watch_of",
]
