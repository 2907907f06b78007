"""Cases as files: the report, the question, the answer and the verifier's table, each with its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.base import json_hash, new_folder
from assay.errors import DataError
from assay.reports._case import FactorCase, Refused, ReportSource
from assay.reports._reasons import reason_of
from assay.reports.verifier import CAPS, GATE, SCORED_FIELDS, WEIGHTS
from assay.spec import FactorSpec

FORMAT: Final = "assay.report-cases/1"
VERIFIER_FILE: Final = "verifier.json"
MANIFEST_FILE: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class AssetBatch:
    """The files of a batch by their path in its folder.

    ``report/<name>`` is the report as it is, ``case/<case_id>.json`` the question,
    ``gold/<case_id>.json`` the answer with its origin and annotator, ``verifier.json`` the weights, caps and
    gate that score it.
    """

    files: Mapping[str, bytes]

    @property
    def manifest(self) -> dict[str, Any]:
        """SHA-256 of every file, and of the batch: of the sorted list of paths and hashes."""
        hashes = {path: hashlib.sha256(self.files[path]).hexdigest() for path in sorted(self.files)}
        batch = json_hash(hashes)
        return {"format": FORMAT, "sha256": batch, "files": hashes}


def asset_batch(cases: Sequence[FactorCase]) -> AssetBatch:
    """The files of the cases.

    Raises
    ------
    DataError
        Two cases have one id, or two different reports one name.
    """
    files: dict[str, bytes] = {VERIFIER_FILE: _json(_verifier())}
    for case in cases:
        report = case.document.content()
        if files.setdefault(f"report/{case.document.name}", report) != report:
            raise DataError(f"two reports are called {case.document.name}", where=case.case_id)
        if f"case/{case.case_id}.json" in files:
            raise DataError("two cases have one id", where=case.case_id)
        files[f"case/{case.case_id}.json"] = _json(_question(case, report))
        files[f"gold/{case.case_id}.json"] = _json(_answer(case))
    return AssetBatch(files)


def export_batch(cases: Sequence[FactorCase], folder: Path) -> AssetBatch:
    """Write the files of the cases and their ``manifest.json`` into a new folder.

    Raises
    ------
    AssayError
        The folder exists or cannot be written.
    """
    batch = asset_batch(cases)
    with new_folder(folder) as staged:
        for name, content in batch.files.items():
            path = staged / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        (staged / MANIFEST_FILE).write_bytes(_json(batch.manifest))
    return batch


def read_batch(folder: Path) -> tuple[FactorCase, ...]:
    """The cases of an exported batch, in the order of their ids; the reports stay where they are.

    Raises
    ------
    DataError
        A file is missing, was changed or is not in the manifest.
    """
    manifest = _manifest(folder)
    present = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST_FILE
    }
    batch = AssetBatch(present)
    if batch.manifest != manifest:
        listed, found = manifest.get("files", {}), batch.manifest["files"]
        changed = sorted(name for name in {*listed, *found} if listed.get(name) != found.get(name))
        raise DataError(
            f"files differ from the manifest: {', '.join(changed) or MANIFEST_FILE}",
            where=str(folder),
            fix="export the batch again",
        )
    names = sorted(name for name in present if name.startswith("case/"))
    return tuple(
        _case(folder, json.loads(present[name]), json.loads(present[name.replace("case/", "gold/", 1)]))
        for name in names
    )


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST_FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"no manifest: {error}", where=str(path), fix="give the folder of a batch") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DataError(f"the manifest is not of the format {FORMAT}", where=str(path), fix="export it again")
    if not isinstance(found.get("files"), dict):
        raise DataError("the manifest lists no files", where=str(path), fix="export it again")
    return found


def _verifier() -> dict[str, Any]:
    return {
        "weights": dict(WEIGHTS),
        "caps": {name: {"at_most": value, "when": when} for name, (value, when) in CAPS.items()},
        "gate": GATE,
        "scored_fields": list(SCORED_FIELDS),
    }


def _question(case: FactorCase, report: bytes) -> dict[str, Any]:
    return {
        "case_id": case.case_id,
        "group_id": case.group_id,
        "institution": case.institution,
        "series": case.series,
        "language": case.language,
        "split": case.split,
        "report": case.document.name,
        "report_sha256": hashlib.sha256(report).hexdigest(),
        "target": case.target,
    }


def _answer(case: FactorCase) -> dict[str, Any]:
    refused = isinstance(case.gold, Refused)
    return {
        "case_id": case.case_id,
        "origin": case.origin,
        "annotator": case.annotator,
        "status": case.gold.status if isinstance(case.gold, Refused) else "spec",
        "reason": case.gold.reason.code if isinstance(case.gold, Refused) else None,
        "spec": case.gold.model_dump(mode="json") if isinstance(case.gold, FactorSpec) else None,
        "direction": None if refused else case.direction,
    }


def _case(folder: Path, question: dict[str, Any], answer: dict[str, Any]) -> FactorCase:
    reason = answer["reason"]
    gold: FactorSpec | Refused
    if reason is None:
        gold = FactorSpec.model_validate_json(json.dumps(answer["spec"]))
    else:
        gold = Refused(reason_of(reason))
    return FactorCase(
        case_id=question["case_id"],
        group_id=question["group_id"],
        institution=question["institution"],
        series=question["series"],
        language=question["language"],
        split=question["split"],
        document=ReportSource(question["report"], path=folder / "report" / question["report"]),
        gold=gold,
        direction=answer["direction"] or "undeclared",
        target=question["target"],
        origin=answer["origin"],
        annotator=answer["annotator"],
    )


def _json(value: Any) -> bytes:
    return (json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
