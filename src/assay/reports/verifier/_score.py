"""The score of a prediction against gold: rules alone, no model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from assay.errors import Reason, Refusal
from assay.reports._case import FactorCase, Refused
from assay.reports._document import Document
from assay.reports._extraction import Extraction
from assay.reports._reasons import BAD_REPLY, reason_of
from assay.reports.verifier._grounding import Grounding, ground
from assay.reports.verifier._table import CAPS, GATE, SCORED_FIELDS, WEIGHTS, CapName, Part
from assay.reports.verifier._tape import why_not_executable
from assay.spec import Direction, FactorSpec, ReportExpr, parse_spec, read_expr, same_formula


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an extractor answered: a spec, or a reason; or ``problem``, where the answer is neither."""

    spec: FactorSpec | None = None
    direction: Direction = "undeclared"
    reason: Reason | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A reward in [0, 1], and where it comes from.

    Parameters
    ----------
    raw : the weighted sum of the subscores, before caps.
    caps : the caps that apply, with what brought them about.
    mismatches : the fields that differ from gold.
    notes : what a person may want to know beside it.
    """

    case_id: str
    reward: float
    raw: float
    subscores: Mapping[Part, float]
    caps: Mapping[CapName, str]
    mismatches: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it passes the gate."""
        return self.reward >= GATE and not self.caps and self.subscores["executable"] >= 1.0

    @property
    def task_success(self) -> bool:
        """Whether it passes and every field is gold's."""
        return self.passed and not self.mismatches

    @property
    def evidence_grounded(self) -> bool:
        """Whether every citation resolves and states what it is cited for."""
        return self.subscores["grounding"] >= 1.0 and "bad_citation" not in self.caps

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "case_id": self.case_id,
            "reward": self.reward,
            "raw": self.raw,
            "passed": self.passed,
            "task_success": self.task_success,
            "evidence_grounded": self.evidence_grounded,
            "subscores": dict(self.subscores),
            "caps": dict(self.caps),
            "mismatches": list(self.mismatches),
            "notes": list(self.notes),
        }


def read_prediction(source: str | bytes | Mapping[str, Any] | Extraction) -> Prediction:
    """An answer as data: an extraction, or its JSON (``status``, ``reason``, ``spec``, ``direction``).

    Nothing is raised: what is no answer has a ``problem``.
    """
    if isinstance(source, Extraction):
        return Prediction(source.spec, source.direction, source.reason)
    if isinstance(source, Mapping):
        return _from_mapping(source)
    try:
        data = json.loads(source)
    except (ValueError, RecursionError) as error:
        return Prediction(problem=f"not JSON: {error}")
    if not isinstance(data, dict):
        return Prediction(problem="not a JSON object")
    return _from_mapping(data)


def score(
    case: FactorCase,
    prediction: str | bytes | Mapping[str, Any] | Extraction | Prediction,
    *,
    document: Document | None = None,
) -> Scored:
    """Score one prediction. ``document`` is the case's report, where it was read already."""
    answer = prediction if isinstance(prediction, Prediction) else read_prediction(prediction)
    if answer.problem:
        return _total(case, {"schema_ok": 0.0}, {"invalid_json": answer.problem})
    if isinstance(case.gold, Refused):
        return _against_refusal(case, case.gold, answer)
    if answer.spec is None:
        assert answer.reason is not None
        return _total(case, {"schema_ok": 1.0}, {"false_refusal": f"refused for {answer.reason.code}"})
    return _against_spec(case, case.gold, answer.spec, answer.direction, document or _read(case))


def _from_mapping(data: Mapping[str, Any]) -> Prediction:
    status = data.get("status", "spec")
    if status in ("refused", "conflict"):
        try:
            return Prediction(reason=reason_of(str(data.get("reason"))))
        except KeyError:
            return Prediction(problem=f"there is no reason {data.get('reason')!r}")
    if status != "spec" or not isinstance(data.get("spec"), Mapping):
        return Prediction(problem="neither a spec nor a refusal")
    direction = data.get("direction")
    if direction not in get_args(Direction):
        return Prediction(problem=f"direction: {direction!r} is not one of {', '.join(get_args(Direction))}")
    try:
        return Prediction(parse_spec(data["spec"]), cast(Direction, direction))
    except Refusal as error:
        return Prediction(problem=error.message)


def _against_refusal(case: FactorCase, gold: Refused, answer: Prediction) -> Scored:
    if answer.spec is not None:
        message = f"a spec where the text gives {gold.reason.code}"
        return _total(case, {"schema_ok": 1.0}, {"false_admission": message})
    assert answer.reason is not None
    parts: dict[Part, float] = {"schema_ok": 1.0, "executable": 1.0, "fields": 1.0, "grounding": 1.0}
    if answer.reason.code == gold.reason.code:
        return _total(case, parts, {})
    parts["fields"] = 0.0
    caps: dict[CapName, str] = {"wrong_reason": f"{answer.reason.code}, gold {gold.reason.code}"}
    if answer.reason is BAD_REPLY:
        caps["invalid_json"] = "the extractor made no answer of the schema"
    return _total(case, parts, caps)


def _against_spec(
    case: FactorCase, gold: FactorSpec, spec: FactorSpec, direction: Direction, document: Document
) -> Scored:
    read = read_expr(spec)
    stopped = why_not_executable(read)
    mismatches = _mismatches(case, gold, spec, direction)
    node = read.expression.node if read.expression is not None else None
    grounding = ground(document, spec, direction, node)
    parts: dict[Part, float] = {
        "schema_ok": 1.0,
        "executable": 0.0 if stopped else 1.0,
        "fields": 1.0 - len(mismatches) / len(SCORED_FIELDS),
        "grounding": grounding.share if node is not None else 0.0,
    }
    caps: dict[CapName, str] = {}
    if node is None:
        caps["illegal_expr"] = stopped
    if trouble := _citation_trouble(grounding):
        caps["bad_citation"] = trouble
    if invented := _invention(grounding, read, "expr" in mismatches):
        caps["hallucinated_expr"] = invented
    if mismatches:
        caps["field_mismatch"] = ", ".join(mismatches)
    notes = [stopped] if stopped else []
    return _total(case, parts, caps, mismatches, (*notes, *grounding.contradictions))


def _mismatches(
    case: FactorCase, gold: FactorSpec, spec: FactorSpec, direction: Direction
) -> tuple[str, ...]:
    differ = {
        name: getattr(spec, name) != getattr(gold, name)
        for name in ("universe", "frequency", "neutralization", "rebalance")
    }
    # how gold is neutralised decides whether a wrapper in the formula repeats it
    differ["expr"] = not same_formula(gold.expr, spec.expr, neutralization=gold.neutralization)
    differ["windows"] = tuple(dict.fromkeys(spec.windows)) != tuple(dict.fromkeys(gold.windows))
    differ["direction"] = direction != case.direction
    return tuple(name for name in SCORED_FIELDS if differ[name])


def _citation_trouble(grounding: Grounding) -> str:
    if grounding.citations.problems:
        return "; ".join(grounding.citations.problems)
    if not grounding.citations.resolved:
        return "nothing is cited"
    unmet = grounding.unmet()
    return f"not stated: {', '.join(need.what for need in unmet)}" if unmet else ""


def _invention(grounding: Grounding, read: ReportExpr, differs: bool) -> str:
    if not differs or read.expression is None:
        return ""
    unmet = grounding.unmet("number", "op", "data")
    if unmet:
        return f"not stated: {', '.join(need.what for need in unmet)}"
    return "" if grounding.citations.resolved else "nothing is cited"


def _total(
    case: FactorCase,
    parts: Mapping[Part, float],
    caps: Mapping[CapName, str],
    mismatches: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Scored:
    subscores: dict[Part, float] = {name: parts.get(name, 0.0) for name in WEIGHTS}
    raw = sum(weight * subscores[name] for name, weight in WEIGHTS.items())
    reward = min([raw, *(CAPS[name][0] for name in caps)])
    # rounded, as a sum of four decimal weights should give 1 and not 0.9999999999999999
    return Scored(case.case_id, round(reward, 9), round(raw, 9), subscores, dict(caps), mismatches, notes)


def _read(case: FactorCase) -> Document:
    from assay.reports.documents import read_document

    return read_document(case.document.content(), name=case.document.name)
