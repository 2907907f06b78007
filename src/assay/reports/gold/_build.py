"""Makes ``gold.jsonl`` and ``manifest.json`` from the annotations: ``python -m assay.reports.gold._build``.

A person writes a TOML file per report: quotes by field, never offsets. The document reader finds the quotes,
so that chunk ids and locators are those of the reader in use; a quote that is missing or stands twice stops
it. The coverage table of the folder's README is made as well.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from assay.base import atomic_write, atomic_write_json, canonical_json
from assay.errors import DataError
from assay.reports._document import Chunk, Document
from assay.reports.documents import find_quote, read_document
from assay.reports.gold._batch import asset_batch
from assay.reports.gold._records import (
    ANNOTATOR,
    FEATURES,
    GOLD_FOLDER,
    RECORDS_FILE,
    REPORTS_FOLDER,
    GoldRecord,
)
from assay.spec import EvidenceSpan, FactorSpec

ANNOTATIONS_FOLDER: Final = GOLD_FOLDER / "annotations"
SPLITS_FILE: Final = GOLD_FOLDER / "splits.toml"
MANIFEST_FILE: Final = GOLD_FOLDER / "manifest.json"
README_FILE: Final = GOLD_FOLDER / "README.md"

_TABLE_START: Final = "<!-- coverage: made by _build.py -->"
_TABLE_END: Final = "<!-- end of coverage -->"
_SPEC_FIELDS: Final = ("name", "universe", "frequency", "neutralization", "rebalance", "expr")


def build_records() -> tuple[GoldRecord, ...]:
    """The records of all annotations, in the order of their file names.

    Raises
    ------
    DataError
        An annotation is not whole, or a quote does not stand in its report exactly once.
    """
    holdout = frozenset(_toml(SPLITS_FILE)["holdout"])
    records: list[GoldRecord] = []
    groups = set()
    for path in sorted(ANNOTATIONS_FOLDER.glob("*.toml")):
        annotation = _toml(path)
        groups.add(annotation["group"])
        records += _records(path.stem, annotation, holdout)
    if unknown := holdout - groups:
        raise DataError(f"no report is of the groups {sorted(unknown)}", where=str(SPLITS_FILE))
    return tuple(records)


def records_text(records: tuple[GoldRecord, ...]) -> str:
    """The content of ``gold.jsonl``."""
    return "".join(canonical_json(record.model_dump(mode="json")) + "\n" for record in records)


def manifest_of(records: tuple[GoldRecord, ...]) -> dict[str, Any]:
    """The content of ``manifest.json``: the hashes of the asset batch of all cases."""
    return asset_batch([record.case() for record in records]).manifest


def readme_of(records: tuple[GoldRecord, ...]) -> str:
    """The content of ``README.md``: as it is, with the coverage table made anew."""
    before, rest = README_FILE.read_text(encoding="utf-8").split(_TABLE_START)
    _, after = rest.split(_TABLE_END)
    return f"{before}{_TABLE_START}\n{_coverage(records)}\n{_TABLE_END}{after}"


def main() -> None:
    """Write the three files."""
    records = build_records()
    atomic_write(RECORDS_FILE, records_text(records))
    atomic_write_json(MANIFEST_FILE, manifest_of(records))
    atomic_write(README_FILE, readme_of(records))


def _coverage(records: tuple[GoldRecord, ...]) -> str:
    lines = ["| feature | meaning | Chinese | English |", "|---|---|---|---|"]
    for name, meaning in FEATURES.items():
        cells = (_reports_with(name, language, records) for language in ("zh", "en"))
        lines.append(f"| {name} | {meaning} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _reports_with(feature: str, language: str, records: tuple[GoldRecord, ...]) -> str:
    stems = {
        Path(record.report).stem[3:]
        for record in records
        if record.language == language and feature in record.features
    }
    return ", ".join(sorted(stems)) or "-"


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", where=str(path), fix="correct the annotation") from error


def _records(stem: str, annotation: dict[str, Any], holdout: frozenset[str]) -> list[GoldRecord]:
    report = _report_file(stem)
    document = read_document(report)
    records = []
    for answer in annotation["case"]:
        evidence = _evidence(document, answer.get("evidence", {}))
        record = {
            "case_id": answer.get("id", stem),
            "group_id": annotation["group"],
            "institution": annotation["institution"],
            "series": annotation["series"],
            "language": stem[:2],
            "split": "holdout" if annotation["group"] in holdout else "train",
            "report": report.name,
            "target": answer.get("target"),
            "status": answer["status"],
            "reason": answer.get("reason"),
            "needs": answer.get("needs"),
            "spec": _spec(answer),
            "direction": answer.get("direction", "undeclared"),
            "evidence": evidence,
            "candidates": annotation.get("candidate", []),
            "features": annotation["features"],
            "planted": annotation.get("planted", []),
            "origin": "annotated",
            "annotator": ANNOTATOR,
            "notes": answer["notes"],
        }
        records.append(GoldRecord.model_validate(record))
    return records


def _report_file(stem: str) -> Path:
    found = [path for path in REPORTS_FOLDER.iterdir() if path.stem == stem]
    if len(found) != 1:
        raise DataError(f"{len(found)} reports are called {stem}", where=str(REPORTS_FOLDER))
    return found[0]


def _spec(answer: dict[str, Any]) -> FactorSpec | None:
    if "expr" not in answer:
        return None
    fields = {name: answer[name] for name in _SPEC_FIELDS}
    return FactorSpec.model_validate({**fields, "windows": tuple(answer["windows"])})


def _evidence(document: Document, quotes: dict[str, list[str]]) -> tuple[EvidenceSpan, ...]:
    return tuple(_span(document, field, quote) for field, found in quotes.items() for quote in found)


def _span(document: Document, field: str, quote: str) -> EvidenceSpan:
    places = find_quote(document, quote)
    if not places:
        raise DataError(f"the quote {quote!r} is not in the report", where=document.name)
    if any(place.start >= places[0].end for place in places[1:]):
        raise DataError(f"the quote {quote!r} stands more than once", where=document.name)
    chunk = _chunk(document, quote)
    place = document.locate(places[0].start, places[0].end)
    return EvidenceSpan.model_validate(
        {
            "field": field,
            "chunk_id": chunk.chunk_id,
            "quote": quote,
            "page_start": place.page_start,
            "page_end": place.page_end,
            "char_start": place.char_start,
            "char_end": place.char_end,
        }
    )


def _chunk(document: Document, quote: str) -> Chunk:
    """The first chunk that holds the whole quote."""
    for chunk in document.chunks:
        if find_quote(document, quote, chunk.chunk_id):
            return chunk
    raise DataError(f"no chunk holds the whole quote {quote!r}", where=document.name, fix="quote less")


if __name__ == "__main__":
    main()
