"""The extraction gate: whether a spec may go on, judged without gold, from its evidence alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from assay.errors import Reason
from assay.reports import _reasons as reasons
from assay.reports._document import Document
from assay.reports._extraction import Extraction
from assay.reports.readings import single_reading
from assay.reports.verifier._grounding import Aspect, Grounding, ground
from assay.reports.verifier._tape import why_not_executable
from assay.spec import (
    GATE_CHECKS,
    UNDECLARED,
    FactorSpec,
    GateCheck,
    GateFinding,
    GateVerdict,
    Reading,
    ReportExpr,
    declaration_issues,
    read_expr,
)

_UNMET: Final[tuple[tuple[str, tuple[Aspect, ...], Reason], ...]] = (
    ("fields", ("field",), reasons.UNCITED_FIELD),
    ("numbers", ("number",), reasons.UNGROUNDED_NUMBER),
    ("words", ("op", "data"), reasons.UNSUPPORTED_WORDS),
    ("direction", ("direction",), reasons.UNGROUNDED_DIRECTION),
)


def gate(
    document: Document, extraction: Extraction, *, readings: Sequence[Reading] | None = None
) -> GateVerdict:
    """Judge an extraction from what it cites.

    Admitted is a spec whose fields agree with its formula, whose formula runs on a small market, and whose
    every number (in its role), op, field and direction stands in a citation that resolves; and no citation
    contradicts it or another.

    Parameters
    ----------
    readings : what the readings of the cited text came to, where they were evaluated; the first is the spec
        as written. What one reading alone supports is refused, see
        :func:`assay.reports.readings.single_reading`.
    """
    found: dict[str, list[GateFinding]] = {name: [] for name in GATE_CHECKS}
    spec = extraction.spec
    if spec is None:
        assert extraction.reason is not None
        found["spec"].append(_finding(reasons.NO_SPEC, extraction.note or extraction.reason.code, "spec"))
        found["spec"].append(_finding(extraction.reason, extraction.note, "spec"))
        return _verdict(document, extraction, found, applied={"spec"}, readings=())
    read = read_expr(spec)
    node = read.expression.node if read.expression is not None else None
    grounding = ground(document, spec, extraction.direction, node)
    found["declarations"] += _declarations(spec, read)
    found["executable"] += _executable(read)
    found["citations"] += _citations(grounding)
    for check, aspects, reason in _UNMET:
        found[check] += [_finding(reason, need.what, need.aspect) for need in grounding.unmet(*aspects)]
    found["contradictions"] += [
        _finding(reasons.CONTRADICTED, text, "evidence") for text in grounding.contradictions
    ]
    found["contradictions"] += [
        _finding(reasons.PARTIAL_FORMULA, text, "expr") for text in grounding.parts_only
    ]
    found["contradictions"] += [
        _finding(reasons.UNEXPLAINED_NUMBER, text, "expr") for text in grounding.unexplained
    ]
    applied: set[str] = {name for name in GATE_CHECKS if name != "readings"}
    if node is None:
        applied -= {"numbers", "words"}
    if extraction.direction == UNDECLARED:
        applied.discard("direction")
    if readings is not None:
        applied.add("readings")
        single = single_reading(readings, extraction.direction)
        found["readings"] += [] if single is None else [single]
    return _verdict(document, extraction, found, applied, tuple(readings or ()))


def _verdict(
    document: Document,
    extraction: Extraction,
    found: dict[str, list[GateFinding]],
    applied: set[str],
    readings: tuple[Reading, ...],
) -> GateVerdict:
    checks = tuple(
        GateCheck(
            name,
            not found[name] if name in applied else None,
            "; ".join(finding.message for finding in found[name]),
        )
        for name in GATE_CHECKS
    )
    findings = tuple(finding for name in GATE_CHECKS for finding in found[name])
    return GateVerdict(extraction.spec, extraction.direction, document.sha256, findings, checks, readings)


def _declarations(spec: FactorSpec, read: ReportExpr) -> Iterable[GateFinding]:
    return [
        _finding(reasons.BAD_DECLARATION, issue.message, issue.code)
        for issue in declaration_issues(spec, read)
        if issue.hard
    ]


_STOPPED: Final = {
    "off_whitelist": reasons.OFF_WHITELIST,
    "unsupported_op": reasons.UNSUPPORTED_OP,
    "unsupported_field": reasons.UNSUPPORTED_FIELD,
}


def _executable(read: ReportExpr) -> Iterable[GateFinding]:
    stopped = why_not_executable(read)
    if not stopped:
        return ()
    code = read.refusal.reason.code if read.refusal is not None else ""
    return (_finding(_STOPPED.get(code, reasons.NOT_EXECUTABLE), stopped, "expr"),)


def _citations(grounding: Grounding) -> Iterable[GateFinding]:
    found = [_finding(reasons.BAD_CITATION, text, "evidence") for text in grounding.citations.problems]
    if not grounding.citations.resolved and not found:
        found.append(_finding(reasons.NO_EVIDENCE, reasons.NO_EVIDENCE.summary, "evidence"))
    return found


def _finding(reason: Reason, message: str, where: str) -> GateFinding:
    return GateFinding(reason.code, message or reason.summary, where)
