"""What ``assay report list``, ``extract`` and ``validate`` do."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.cli._files import check_distinct, check_writable, read_text
from assay.cli._output import print_json, say
from assay.cli._progress import note, slow_notice, usable_cores
from assay.cli._report_desk import DeskRun, desk_run
from assay.errors import AssayError, DataError, Refusal

if TYPE_CHECKING:
    from assay.config import DataSettings
    from assay.judge import Recording, Verdicts
    from assay.market import Panel
    from assay.reports._document import Document
    from assay.reports._extraction import Extraction
    from assay.reports.readings import Curve
    from assay.spec import GatedSpec, GateVerdict

REFUSED: Final = 1
NOT_ADMITTED: Final = 1
_UNIVERSE: Final = ("universe_without_backtest", "unknown_universe", "universe_outdated")
_SHOWN: Final = 48


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """The command line of ``assay report extract``."""

    file: Path
    target: str | None
    backend: str
    data: str | None
    html: Path | None
    out: Path | None
    as_json: bool
    allow_core: bool = False


@dataclass(frozen=True, slots=True)
class Extracted:
    """All that an extraction came to; ``no_readings`` says why the text's readings were not evaluated.

    ``offer`` is the formula in the core dialect, where that was asked for and there is one.
    """

    document: Document
    extraction: Extraction
    verdict: GateVerdict
    curve: Curve | None
    no_readings: str
    run: str | None
    judged: Verdicts | None = None
    simulated: bool | None = None
    offer: dict[str, str] = field(default_factory=dict)
    asked_core: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        from assay.spec import HOUSE_DEFAULTS, GatedSpec

        document, verdict = self.document, self.verdict
        undeclared = [name for name in self.extraction.undeclared if name in HOUSE_DEFAULTS]
        return {
            **self.extraction.as_dict(),
            "origin": "extracted",
            "details": self.offer,
            "defaults": {name: HOUSE_DEFAULTS[name] for name in undeclared},
            "readings": None if self.curve is None else self.curve.as_dict(),
            "no_readings": self.no_readings,
            "admitted": verdict.admitted,
            "gate": {
                "reasons": list(verdict.reasons),
                "findings": verdict.as_dict()["findings"],
                "checks": verdict.as_dict()["checks"],
            },
            "spec_id": GatedSpec.of(verdict).spec_id if verdict.admitted else None,
            "document": {
                "name": document.name,
                "sha256": document.sha256,
                "pages": len(document.pages),
                "flags": list(document.flags),
            },
            "run": self.run,
        }


def run_extract(request: ExtractRequest) -> int:
    """Do what ``assay report extract`` was asked; 1 without a spec."""
    from assay.judge import data_digest
    from assay.reports._reasons import UNSUPPORTED_OP
    from assay.reports.documents import read_document

    check_writable(request.html, "--html")
    check_writable(request.out, "--out")
    check_distinct({"--html": request.html, "--out": request.out}, request.file)
    document = read_document(request.file)
    panel, settings = _data(request.data)
    inputs = {"report": document.sha256}
    if panel is not None:
        inputs[f"data:{panel.name}"] = data_digest(panel)
    with desk_run(request.backend, inputs, more={"target": request.target}) as desk, slow_notice():
        found = extracted(desk, document, request.target, panel, settings)
        if request.html is not None and panel is not None and _has_figures(found.curve):
            found = _with_backtest(found, desk, panel, settings)
    if request.allow_core:
        offer = _offer(found.extraction.core_formula, request.data)
        asked = found.extraction.reason is UNSUPPORTED_OP
        found = replace(found, offer=offer, asked_core=asked)
    _write(found, request)
    if request.as_json:
        print_json(found.as_dict())
    else:
        for line in (*extraction_lines(found), *_written_lines(found, request)):
            say(line)
    return 0 if found.extraction.status == "spec" else REFUSED


def run_validate(file: Path, spec: Path, *, as_json: bool) -> int:
    """Hold a spec against a report; 1 where the gate does not admit it."""
    from assay.reports._extraction import Extraction
    from assay.reports.documents import read_document
    from assay.reports.verifier import gate, read_prediction

    document = read_document(file)
    text = read_text(spec, "SPEC")
    gated = _gated(text)
    answer = read_prediction(text if gated is None else gated.gate.as_dict())
    if answer.problem:
        raise DataError(
            answer.problem,
            where=str(spec),
            fix="give what 'assay report extract' prints with --json, or writes with --out",
        )
    if answer.spec is None:
        raise DataError("this is a refusal, not a spec", where=str(spec))
    with slow_notice():
        verdict = gate(document, Extraction.found(answer.spec, answer.direction))
    if as_json:
        print_json({**verdict.as_dict(), "reasons": list(verdict.reasons)})
    else:
        for line in verdict_lines(verdict):
            say(line)
    return 0 if verdict.admitted else NOT_ADMITTED


def _gated(text: str) -> GatedSpec | None:
    """The gated spec that a file holds; None where it holds something else."""
    from assay.spec import GatedSpec

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return GatedSpec.from_json(text) if isinstance(data, dict) and "verdict_hash" in data else None


def list_candidates(file: Path, backend: str, write: Path | None, *, as_json: bool) -> None:
    """The factors of a report."""
    from assay.reports.documents import read_document

    if write is not None:
        raise AssayError(
            "a report and --write are given",
            where="--write",
            fix="--write is for the gold set: leave out FILE",
        )
    document = read_document(file)
    with desk_run(backend, {"report": document.sha256}, record=False) as desk:
        found = desk.extractor().candidates(document)
    if as_json:
        print_json([candidate.as_dict() for candidate in found])
        return
    if not found:
        say("the text defines no factor that this backend can see")
    for candidate in found:
        why = "" if candidate.why_not is None else f"  ({candidate.why_not.code})"
        say(f"{candidate.name}{why}")
        say(f"  page {', '.join(map(str, candidate.pages))}: {candidate.definition}")


def list_gold(write: Path | None, *, as_json: bool) -> None:
    """The cases of the gold set; with ``write``, their reports as files."""
    from assay.reports.gold import gold_records

    records = gold_records()
    if write is not None:
        from assay.base import new_folder

        with new_folder(write) as staged:
            for name in dict.fromkeys(record.report for record in records):
                source = next(record for record in records if record.report == name)
                (staged / name).write_bytes(source.report_path.read_bytes())
    if as_json:
        print_json(
            [
                {
                    "case_id": record.case_id,
                    "language": record.language,
                    "split": record.split,
                    "group_id": record.group_id,
                    "report": record.report,
                    "target": record.target,
                    "status": record.status,
                    "features": list(record.features),
                }
                for record in records
            ]
        )
        return
    for record in records:
        about = f"{record.split:<8} {record.status:<9} {record.report:<12} {record.target or ''}"
        say(f"{record.case_id:<18} {about}".rstrip())
    if write is not None:
        say(f"wrote {len({record.report for record in records})} reports to {write}")


def _data(name: str | None) -> tuple[Panel | None, DataSettings | None]:
    if name is None:
        return None, None
    from assay.cli._dataset import open_with_settings

    return open_with_settings(name)


def extracted(
    desk: DeskRun, document: Document, target: str | None, panel: Panel | None, settings: DataSettings | None
) -> Extracted:
    from assay.reports.readings import evaluate_readings
    from assay.reports.verifier import gate

    extraction = desk.extractor().extract(document, target)
    verdict, curve, why = gate(document, extraction), None, ""
    if panel is None:
        why = "no data set was named"
    elif not verdict.admitted:
        why = "the gate does not admit the spec" if extraction.spec else "there is no spec"
    else:
        assert extraction.spec is not None  # admitted
        try:
            curve = evaluate_readings(
                document, extraction.spec, extraction.direction, panel, **_judging(desk, panel, settings)
            )
        except Refusal as refusal:
            if refusal.reason.code not in _UNIVERSE:
                raise
            why = f"{refusal.reason.code}: {refusal.message}"
            note(why)
        else:
            verdict = gate(document, extraction, readings=curve.readings)
    desk.record(document, extraction, verdict)
    return Extracted(document, extraction, verdict, curve, why, None if desk.run is None else desk.run.id)


def _has_figures(curve: Curve | None) -> bool:
    return curve is not None and bool(curve.points) and curve.points[0].reading.rank_ic is not None


def _with_backtest(found: Extracted, desk: DeskRun, panel: Panel, settings: DataSettings | None) -> Extracted:
    """The spec as written judged in full, for the page."""
    from assay.reports.readings import backtest

    extraction = found.extraction
    assert extraction.spec is not None  # it has readings
    judged = backtest(
        found.document, extraction.spec, extraction.direction, panel, **_judging(desk, panel, settings)
    )
    return replace(found, judged=judged, simulated=panel.manifest.simulated)


def _judging(desk: DeskRun, panel: Panel, settings: DataSettings | None) -> dict[str, Any]:
    """How the judge is to judge, and where it records."""
    from assay.judge import JudgeSettings

    values: dict[str, Any] = {"threads": usable_cores()}
    if settings is not None:
        values |= {"lag": settings.lag, "fill": settings.fill}
        if settings.costs is not None:
            values["costs"] = {"buy_bp": settings.costs.buy_bp, "sell_bp": settings.costs.sell_bp}
    return {
        "plan": None if settings is None else settings.periods,
        "settings": JudgeSettings.from_mapping(values),
        "recording": _recording(desk, panel, settings),
    }


def _recording(desk: DeskRun, panel: Panel, settings: DataSettings | None) -> Recording | None:
    """The run, where the data set is of its workspace; another workspace's judge records by itself."""
    from assay.cli._report_desk import DESK
    from assay.config import find_data_place
    from assay.judge import Recording

    place = None if panel.folder is None else find_data_place(panel.folder, panel.name)
    if desk.run is None or desk.workspace is None:
        return None
    if place is not None and place.workspace.root != desk.workspace.root:
        return None
    more: dict[str, Any] = {} if settings is None else {"budgets": settings.looks}
    return Recording(desk.run.ledger, desk.operator, desk=DESK, run=desk.run.id, **more)


def _write(found: Extracted, request: ExtractRequest) -> None:
    from assay.base import atomic_write

    pages: dict[Path, str] = {}
    if request.html is not None:
        from assay.views import report_page

        pages[request.html] = report_page(
            found.document,
            found.extraction,
            found.verdict,
            found.curve,
            found.judged,
            simulated=found.simulated,
        )
    if request.out is not None:
        if found.verdict.admitted:
            from assay.spec import GatedSpec

            pages[request.out] = GatedSpec.of(found.verdict).to_json() + "\n"
        else:
            note(f"{request.out} was not written: the gate does not admit a spec")
    for path, content in pages.items():
        atomic_write(path, content)
    if found.run is not None:
        _keep(found)


def _keep(found: Extracted) -> None:
    """The result among the files of the run."""
    from assay.base import atomic_write
    from assay.config import find_workspace

    workspace = find_workspace()
    assert workspace is not None  # only there a run is recorded
    assert found.run is not None
    folder = workspace.runs_dir / found.run
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found.as_dict(), indent=2, ensure_ascii=False, sort_keys=True)
    atomic_write(folder / "extraction.json", text + "\n")


def extraction_lines(found: Extracted) -> list[str]:
    """The result for a terminal."""
    extraction, document = found.extraction, found.document
    lines = [f"{extraction.target or document.name}  ({document.name}, {_pages(len(document.pages))})"]
    if extraction.reason is not None:
        lines.append(
            f"{extraction.status}: {extraction.reason.code}: {extraction.note or extraction.reason.summary}"
        )
        lines += [f"  {quote}" for quote in dict.fromkeys(map(_cited, extraction.evidence))]
        if found.offer:
            lines.append(f"in the core dialect: {found.offer['core_formula']}")
        lines.append(f"what to do: {_way_out(found)}")
        if len(extraction.candidates) > 1:
            lines.append("factors: " + ", ".join(candidate.name for candidate in extraction.candidates))
        return lines
    lines += _spec_lines(found)
    if extraction.note:
        lines.append(f"note: {extraction.note}")
    lines += verdict_lines(found.verdict)
    lines += _curve_lines(found)
    if found.run is not None:
        lines.append(f"recorded as run {found.run}")
    return lines


def _written_lines(found: Extracted, request: ExtractRequest) -> list[str]:
    """Which files were written."""
    out = request.out if found.verdict.admitted else None
    return [f"wrote {path}" for path in (request.html, out) if path is not None]


def _way_out(found: Extracted) -> str:
    """What a refusal leaves to do; an offer that was asked for and is not there is not advised again."""
    assert found.extraction.reason is not None
    if found.asked_core and not found.offer:
        return "write the formula by hand; its definition was not read whole, so none is offered"
    return found.offer.get("fix", found.extraction.reason.fix)


def _offer(formula: str | None, data: str | None) -> dict[str, str]:
    """What is offered beside a refusal, with what may be done with it; empty without a formula."""
    if formula is None:
        return {}
    judge = f"assay judge {shlex.quote(formula)} --data {'NAME' if data is None else shlex.quote(data)}"
    fix = f"judge it as a formula of your own, which no gate has seen: {judge}"
    return {"core_formula": formula, "dialect": "core", "fix": fix}


def _spec_lines(found: Extracted) -> list[str]:
    from assay.spec import HOUSE_DEFAULTS

    extraction = found.extraction
    spec = extraction.spec
    assert spec is not None
    values = {
        "expr": spec.expr,
        "windows": ", ".join(map(str, spec.windows)),
        "universe": spec.universe,
        "frequency": spec.frequency,
        "neutralization": spec.neutralization,
        "rebalance": spec.rebalance,
        "direction": extraction.direction,
    }
    lines = []
    for name, value in values.items():
        shown = value
        if value == "undeclared" and name in HOUSE_DEFAULTS:
            shown = f"undeclared ({HOUSE_DEFAULTS[name]} is used)"
        lines.append(f"  {name:<15} {shown}")
        quotes = dict.fromkeys(_cited(span) for span in spec.evidence if span.field == name)
        lines += [f"  {'':<15}   {quote}" for quote in quotes]
    return lines


def _cited(span: Any) -> str:
    where = f"page {span.page_start}" if span.page_start is not None else span.chunk_id
    return f"{where}: \u201c{short(span.quote)}\u201d"


def short(quote: str) -> str:
    """A quote on one line of a terminal."""
    line = " ".join(quote.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + chr(0x2026)


def verdict_lines(verdict: GateVerdict) -> list[str]:
    """The verdict of the gate for a terminal."""
    if verdict.admitted:
        passed = [check.name for check in verdict.checks if check.passed]
        return [f"gate: admitted ({', '.join(passed)})"]
    lines = ["gate: not admitted"]
    return lines + [f"  {finding.code}: {finding.message}" for finding in verdict.findings]


def _curve_lines(found: Extracted) -> list[str]:
    if found.curve is None:
        return [f"readings: none evaluated: {found.no_readings}"]
    from assay.reports.readings import against_direction, signs_told

    curve, direction = found.curve, found.extraction.direction
    more = f"; {curve.left_out} more were not evaluated" if curve.left_out else ""
    count = f"{len(curve.points)} readings" if len(curve.points) != 1 else "1 reading"
    lines = [f"readings: {count} on {curve.data}, universe {curve.universe}{more}"]
    if curve.points:
        lines.append(f"  {signs_told(direction)}")
    for point in curve.points:
        reading = point.reading
        figures = f"RankIC {_figure(reading.rank_ic, '+.4f')}  t {_figure(reading.t_stat, '+.2f')}"
        lines.append(f"  {figures}  IR {_figure(point.ir, '+.2f')}  {reading.name}")
    if curve.points and (against := against_direction(direction, curve.points[0].reading)):
        lines.append(f"  note: {against}")
    if len(curve.points) == 1:
        return [*lines, "  spread: none, the text leaves one reading"]
    spread = f"RankIC {_figure(curve.rank_ic_spread, '.4f')}, IR {_figure(curve.ir_spread, '.2f')}"
    return [*lines, f"  spread: {spread}"]


def _figure(value: float | None, form: str) -> str:
    return "undefined" if value is None else format(value, form)


def _pages(count: int) -> str:
    return f"{count} page{'s' if count != 1 else ''}"
