"""Who did what, on the ground of what: records whose citations resolve."""

from assay.provenance._citation import Citation, CitationKind, CitationRefused
from assay.provenance._reasons import BAD_CITATION, UNCITED, UNRESOLVED_CITATION
from assay.provenance._record import ProvenanceRow, draft, recent, record
from assay.provenance._resolve import Resolver, default_resolvers

__all__ = [
    "BAD_CITATION",
    "UNCITED",
    "UNRESOLVED_CITATION",
    "Citation",
    "CitationKind",
    "CitationRefused",
    "ProvenanceRow",
    "Resolver",
    "default_resolvers",
    "draft",
    "recent",
    "record",
]
