"""A gold case: a report, and what an annotator says it states."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import Reason
from assay.spec import Direction, FactorSpec

Language = Literal["zh", "en"]
Split = Literal["train", "holdout"]
Origin = Literal["annotated", "extracted", "injected"]
"""Who made an asset: an annotator, from the text; an extractor; a rule that spoils gold."""


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The report of a case: a file, or text held in memory; ``name`` says which format it has."""

    name: str
    path: Path | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if (self.path is None) == (self.text is None):
            raise ValueError("a report has a path or a text, and not both")

    def content(self) -> bytes:
        """The bytes of the file."""
        return self.path.read_bytes() if self.path is not None else str(self.text).encode()


@dataclass(frozen=True, slots=True)
class Refused:
    """The expected answer is a refusal or a conflict, for this reason (of ``assay.reports._reasons``)."""

    reason: Reason

    @property
    def status(self) -> Literal["refused", "conflict"]:
        """What an extraction of it says."""
        return "conflict" if self.reason.code.startswith("extract.conflicting") else "refused"


@dataclass(frozen=True, slots=True)
class FactorCase:
    """One factor of one report.

    Parameters
    ----------
    case_id, group_id : cases of one group (an institution's series) are on one side of the split.
    target : which factor, where the report defines several.
    gold : the spec with its evidence, or the refusal.
    direction : of a spec; ``undeclared`` of a refusal.
    origin, annotator : who wrote the gold.
    """

    case_id: str
    group_id: str
    institution: str
    series: str
    language: Language
    split: Split
    document: ReportSource
    gold: FactorSpec | Refused
    direction: Direction = "undeclared"
    target: str | None = None
    origin: Origin = "annotated"
    annotator: str = ""
