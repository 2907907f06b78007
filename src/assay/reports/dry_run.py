"""An extractor on cases with gold: what it was shown, what it answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from assay.reports._case import FactorCase
from assay.reports._document import Document
from assay.reports._extraction import Extractor
from assay.reports.metrics import Mode, PredictionRow
from assay.spec import FactorSpec

Watch = Callable[[PredictionRow], None]
"""Is told of each prediction when it is made."""


@dataclass(frozen=True)
class Shown:
    """The documents of cases, each read once.

    ``whole`` is the report. ``excerpt`` holds the paragraphs alone that gold cites, which asks whether a
    formula is understood rather than found; of a case that gold refuses it is the whole report.
    """

    _read: dict[tuple[str, Mode], Document] = field(default_factory=dict)

    def __call__(self, case: FactorCase, mode: Mode) -> Document:
        """What an extractor is shown of a case.

        Raises
        ------
        Refusal
            As :func:`~assay.reports.documents.read_document`.
        """
        key = (case.case_id, mode)
        if key not in self._read:
            self._read[key] = self._make(case, mode)
        return self._read[key]

    def _make(self, case: FactorCase, mode: Mode) -> Document:
        from assay.reports.documents import read_document

        if mode == "excerpt" and isinstance(case.gold, FactorSpec):
            text = excerpt(self(case, "whole"), case.gold)
            return read_document(text.encode(), name=f"{case.case_id}-excerpt.txt")
        return read_document(case.document.content(), name=case.document.name)


def excerpt(document: Document, gold: FactorSpec) -> str:
    """The paragraphs of the normalised text that the evidence of gold touches, in their order."""
    from assay.reports.documents import find_quote

    text, lines = document.text, set()
    for span in gold.evidence:
        for place in find_quote(document, span.quote, chunk_id=span.chunk_id):
            start = text.rfind("\n", 0, place.start) + 1
            while 0 <= start < place.end:
                lines.add(start)
                after = text.find("\n", start)
                start = after + 1 if after >= 0 else place.end
    ends = {start: text.find("\n", start) for start in lines}
    return "\n".join(text[start : ends[start] if ends[start] >= 0 else len(text)] for start in sorted(lines))


def dry_run(
    cases: Sequence[FactorCase],
    extractor: Callable[[FactorCase, Mode], Extractor],
    modes: Iterable[Mode],
    shown: Shown,
    *,
    watch: Watch | None = None,
) -> tuple[PredictionRow, ...]:
    """Extract every case in every mode, with the target that its question names.

    Parameters
    ----------
    extractor : the one that reads a case; a fresh one for each where episodes are stored.
    shown : what it reads.

    Raises
    ------
    ProviderError, Refusal
        As the extractor.
    """
    rows = []
    for mode in modes:
        for case in cases:
            found = extractor(case, mode).extract(shown(case, mode), case.target)
            trajectory = found.trajectory
            audit = None if trajectory is None else trajectory.audit.as_dict()
            rows.append(PredictionRow(case.case_id, mode, "r0", found.as_dict(), audit))
            if watch is not None:
                watch(rows[-1])
    return tuple(rows)
