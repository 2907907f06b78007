"""The reports desk in the demo: a Chinese and an English note of the gold set, read without a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.cli._demo_workspace import demo_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.cli._progress import Steps
    from assay.cli._report_run import Extracted
    from assay.config import Workspace
    from assay.ledger import Ledger

NOTES = {"Chinese": "zh-01", "English": "en-06"}
"""Cases of the gold set: the first states a factor whole, the second contradicts itself."""
RUN = "notes"
SHOWN = ("expr", "direction")
"""Fields whose quotes the terminal shows; the pages show them all."""


@dataclass(frozen=True, slots=True)
class Read:
    """What one note came to; ``quotes`` are the words cited, by the field that they state."""

    language: str
    note: str
    factor: str
    formula: str | None
    direction: str
    admitted: bool
    reasons: tuple[str, ...]
    why: str
    quotes: dict[str, str]
    page: str
    spec: str | None

    def lines(self) -> list[str]:
        """In sentences."""
        if not self.admitted:
            return [
                f"{self.language} note {self.note}, “{self.factor}”: refused with {', '.join(self.reasons)}: "
                f"{self.why}."
            ]
        from assay.cli._report_run import short

        cited = [f"{name} from “{short(self.quotes[name])}”" for name in SHOWN if name in self.quotes]
        return [
            f"{self.language} note {self.note}, “{self.factor}”: admitted by the gate as {self.formula}, "
            f"direction {self.direction}; {'; '.join(cited)}."
        ]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def read_notes(workspace: Workspace, steps: Steps) -> tuple[Read, ...]:
    """Take the factor out of each note, let the gate judge it, write the pages and the admitted spec.

    The first time it is recorded as a run; the result is the text's alone and is always the same.
    """
    steps.begin("reading a Chinese and an English note")
    ledger = demo_ledger(workspace)
    with ledger.index() as index:
        known = RUN in index.runs()
    return tuple(_reads(workspace, None if known else ledger))


def _reads(workspace: Workspace, ledger: Ledger | None) -> Iterator[Read]:
    from contextlib import nullcontext

    from assay.base import Operator
    from assay.cli._report_desk import DESK, RULES, DeskRun
    from assay.cli._report_run import extracted
    from assay.reports.documents import read_document
    from assay.reports.gold import gold_records
    from assay.tools import content_hash

    paths = {record.case_id: record.report_path for record in gold_records()}
    documents = {language: read_document(paths[case]) for language, case in NOTES.items()}
    operator = Operator.system(RULES)
    run = None if ledger is None else ledger.run(RUN)
    if run is not None:
        inputs = {document.name: document.sha256 for document in documents.values()}
        run.start(DESK, operator, content_hash({"backend": RULES}), inputs)
    desk = DeskRun(workspace, run, operator, None)
    with nullcontext() if run is None else run.ending():
        for language, document in documents.items():
            yield _written(language, extracted(desk, document, None, None, None), workspace)


def _written(language: str, found: Extracted, workspace: Workspace) -> Read:
    from assay.base import atomic_write
    from assay.spec import GatedSpec
    from assay.views import report_page

    extraction, verdict = found.extraction, found.verdict
    page = workspace.root / f"note-{language.lower()}.html"
    atomic_write(page, report_page(found.document, extraction, verdict, simulated=True))
    spec = None
    if verdict.admitted:
        spec = page.with_suffix(".json")
        atomic_write(spec, GatedSpec.of(verdict).to_json() + "\n")
    reason = extraction.reason
    evidence = extraction.evidence if extraction.spec is None else extraction.spec.evidence
    return Read(
        language=language,
        note=found.document.name,
        factor=extraction.target or found.document.name,
        formula=None if extraction.spec is None else extraction.spec.expr,
        direction=extraction.direction,
        admitted=verdict.admitted,
        reasons=verdict.reasons if reason is None else (reason.code,),
        why=extraction.note if reason is None else extraction.note or reason.summary,
        quotes={span.field: span.quote for span in reversed(evidence)},
        page=str(page),
        spec=None if spec is None else str(spec),
    )
