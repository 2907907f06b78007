"""Wrong answers made by rule from gold: what the verifier and the gate must not let through.

A family gives one negative for a case, or none where its rule changes nothing there, so that no negative is
an answer that gold accepts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from assay.errors import Refusal
from assay.expr import Call, Field, Node, op_table, to_text, walk
from assay.reports._case import FactorCase
from assay.reports._document import Document
from assay.reports._extraction import Extraction
from assay.reports._signs import operands
from assay.reports.documents import find_quote
from assay.reports.verifier import Scored, gate, score
from assay.reports.verifier._needs import numbers_of
from assay.spec import (
    UNDECLARED,
    Direction,
    EvidenceSpan,
    FactorSpec,
    Frequency,
    read_expr,
    same_formula,
    windows_in,
)

Family = Literal[
    "drop_neutralization", "wrong_frequency", "wrong_window", "hallucinated_expr", "illegal_expr",
    "swapped_op", "swapped_sign", "swapped_field", "right_formula_wrong_citation", "wrong_sentence_numbers",
    "empty_evidence", "number_free_fabrication", "wrong_arity", "ingredient",
]  # fmt: skip

FORMULA: Final = ("expr", "windows", "name")


@dataclass(frozen=True, slots=True)
class Negative:
    """A wrong answer to a case. It is ``injected`` and no row for training or for gold."""

    case_id: str
    family: Family
    extraction: Extraction
    origin: Literal["injected"] = "injected"


@dataclass(frozen=True, slots=True)
class NegativeResult:
    """A negative, and what became of it; ``admitted`` is the gate without gold."""

    negative: Negative
    scored: Scored
    admitted: bool


def negatives(case: FactorCase, document: Document) -> tuple[Negative, ...]:
    """The negatives of one case, in the order of the families; none for a case that gold refuses."""
    gold = case.gold
    if not isinstance(gold, FactorSpec):
        return ()
    made: list[Negative] = []
    for family, rule in FAMILIES.items():
        answer = rule(case, gold, document)
        if answer is not None:
            made.append(Negative(case.case_id, family, answer))
    return tuple(made)


def table(cases: Sequence[tuple[FactorCase, Document]]) -> tuple[NegativeResult, ...]:
    """Every negative of every case, scored against gold and shown to the gate."""
    return tuple(
        NegativeResult(
            negative,
            score(case, negative.extraction, document=document),
            gate(document, negative.extraction).admitted,
        )
        for case, document in cases
        for negative in negatives(case, document)
    )


Rule = Callable[[FactorCase, FactorSpec, Document], Extraction | None]


def _answer(case: FactorCase, spec: FactorSpec, direction: Direction | None = None) -> Extraction:
    return Extraction.found(spec, case.direction if direction is None else direction, target=case.target)


def _with(gold: FactorSpec, **changes: object) -> FactorSpec:
    # a spec that the schema refuses is no negative of these families
    return FactorSpec.model_validate({**{k: getattr(gold, k) for k in FactorSpec.model_fields}, **changes})


# -- fields --------------------------------------------------------------------------------------------------


def _drop_neutralization(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    if gold.neutralization in ("none", UNDECLARED):
        return None
    return _answer(case, _with(gold, neutralization="none"))


_NEXT: Final[Mapping[Frequency, Frequency]] = {
    "daily": "monthly", "weekly": "daily", "monthly": "weekly", "undeclared": "daily",
}  # fmt: skip


def _wrong_frequency(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    return _answer(case, _with(gold, frequency=_NEXT[gold.frequency]))


def _wrong_window(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    node = _tree(gold)
    factor = 3.0 if 3 * sum(windows_in(node)) <= 500 else 0.5
    return _formula(case, gold, _map(node, lambda call: _stretched(call, factor)))


def _stretched(call: Call, factor: float) -> Node:
    params = tuple(
        (name, max(1, round(value * factor)) if name == "window" and isinstance(value, int) else value)
        for name, value in call.params
    )
    return Call(call.op, call.args, params)


# -- formulas ------------------------------------------------------------------------------------------------


def _hallucinated(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    """A well-known factor that is not the report's, with the report's citations and settings."""
    for text in ("TS_MEAN($close,37)/TS_MEAN($close,143)-1", "TS_STD($volume,37)/TS_MEAN($volume,37)"):
        if not same_formula(text, gold.expr):
            return _answer(case, _with(gold, expr=text, windows=read_expr(text).windows))
    return None


def _illegal(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    return _answer(case, _with(gold, expr="import os; os.system('x')"))


_SWAPS: Final[Mapping[str, str]] = {
    "ts_mean": "ts_std", "ts_std": "ts_mean", "ts_sum": "ts_std", "ts_min": "ts_max", "ts_max": "ts_min",
    "ts_return": "delta", "delta": "ts_return", "delay": "ts_mean", "rank": "sign", "div": "mul",
    "mul": "div", "sub": "add", "add": "sub", "log": "abs", "abs": "log", "sign": "log",
}  # fmt: skip


def _swapped_op(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    for part in walk(_tree(gold)):
        if isinstance(part, Call) and part.op in _SWAPS:
            changed = _formula(case, gold, _replaced(_tree(gold), part, _retyped(part, _SWAPS[part.op])))
            if changed is not None:
                return changed
    return None


def _retyped(call: Call, op: str) -> Node:
    target = op_table()[op]
    given = {name: value for name, value in call.params if name in target.param_index}
    return Call(op, call.args, target.fill(given))


def _swapped_sign(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    return _answer(case, gold, "positive" if case.direction == "negative" else "negative")


_OTHER_FIELD: Final[Mapping[str, str]] = {
    "close": "volume", "open": "amount", "high": "open", "low": "open", "volume": "close", "amount": "close",
    "returns": "volume",
}  # fmt: skip


def _swapped_field(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    for part in walk(_tree(gold)):
        if isinstance(part, Field) and part.name in _OTHER_FIELD:
            changed = _formula(case, gold, _replaced(_tree(gold), part, Field(_OTHER_FIELD[part.name])))
            if changed is not None:
                return changed
    return None


def _fabricated(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    """A formula without any number, which cannot be caught by looking numbers up."""
    for text in ("RANK($close)", "RANK($volume)"):
        if not same_formula(text, gold.expr):
            return _answer(case, _with(gold, expr=text, windows=()))
    return None


def _wrong_arity(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    text = f"TS_MEAN({gold.expr})"
    return _answer(case, _with(gold, expr=text))


def _ingredient(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    """One of two quantities that the formula puts together, cited from the words that say it alone."""
    for part in operands(_tree(gold)):
        answer = _formula(case, gold, part)
        if answer is None or answer.spec is None:
            continue
        numbers = {need.value for need in numbers_of(part)}
        apart = tuple(
            EvidenceSpan(field="expr", chunk_id=span.chunk_id, quote=piece)
            for span in gold.evidence
            if span.field == "expr"
            for piece in _PUT_TOGETHER.split(span.quote)
            if piece.strip() and numbers & {float(value) for value in re.findall(r"\d+(?:\.\d+)?", piece)}
        )
        kept = tuple(span for span in gold.evidence if span.field not in FORMULA)
        evidence = (*kept, *apart) if apart else gold.evidence
        return _answer(case, _with(answer.spec, evidence=evidence))
    return None


_PUT_TOGETHER: Final = re.compile(
    r"再?除以|再?减去|再?乘以|加上|[与和](?=[^，。]{1,24}之[比差积和])|之[比差积和]|\s*[/÷×]\s*"
    r"|,? (?:and )?divided by |,? minus |,? times |,? over | to (?=the|its)|,? plus |ratio of "
    r"|difference between "
)
"""Where the words of a formula part into those of its quantities."""


# -- evidence ------------------------------------------------------------------------------------------------


def _empty_evidence(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    return _answer(case, _with(gold, evidence=()))


def _wrong_citation(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    """The formula is cited from a sentence that the annotator cites for nothing, or for something else."""
    apart = _sentences(document, gold, FORMULA)
    if not apart:
        return None
    unused = _sentences(document, gold, ANYTHING)
    return _answer(case, _cited_from(gold, (unused or apart)[0]))


def _wrong_numbers(case: FactorCase, gold: FactorSpec, document: Document) -> Extraction | None:
    """Its numbers are cited from sentences in which numbers, best the same ones, stand for something else."""
    needed = {need.value for need in numbers_of(_tree(gold))}
    if not needed:
        return None
    apart = [item for item in _sentences(document, gold, FORMULA) if item.values]
    same = [item for item in apart if needed & set(item.values)]
    chosen = same or apart
    return _answer(case, _cited_from(gold, chosen[0])) if chosen else None


ANYTHING: Final = (*FORMULA, "universe", "frequency", "neutralization", "rebalance", "direction")


@dataclass(frozen=True, slots=True)
class _Sentence:
    chunk_id: str
    quote: str
    values: tuple[float, ...]


def _cited_from(gold: FactorSpec, sentence: _Sentence) -> FactorSpec:
    kept = tuple(span for span in gold.evidence if span.field not in FORMULA)
    moved = tuple(
        EvidenceSpan(field=field, chunk_id=sentence.chunk_id, quote=sentence.quote)
        for field in ("expr", "windows")
    )
    return _with(gold, evidence=(*kept, *moved))


def _sentences(document: Document, gold: FactorSpec, fields: tuple[str, ...]) -> list[_Sentence]:
    """The sentences that gold does not cite for these fields, in order, each once.

    Headings, and sentences that name the factor, are left out: a name such as 五日动量 may say all of a
    formula, and to cite it is no mistake.
    """
    cited = [
        place
        for span in gold.evidence
        if span.field in fields
        for place in find_quote(document, span.quote, chunk_id=span.chunk_id)
    ]
    found: dict[tuple[int, int], _Sentence] = {}
    for chunk in document.chunks:
        for match in _SENTENCE.finditer(document.text, chunk.start, chunk.end):
            start, end = match.span()
            if any(place.start < end and start < place.end for place in cited) or (start, end) in found:
                continue
            values = [n.value for n in document.numerals if start <= n.start and n.end <= end]
            quote = match.group().strip()
            whole = "|" in quote or document.text[end : end + 1] in tuple("。！？!?；;.")
            if whole and gold.name.lower() not in quote.lower():
                numbers = tuple(float(value) for value in values)
                found[(start, end)] = _Sentence(chunk.chunk_id, quote[:2000], numbers)
    return list(found.values())


_SENTENCE: Final = re.compile(r"(?:[^。！？!?；;\n.]|\.(?!\s|$))+")


# -- trees ---------------------------------------------------------------------------------------------------


def _tree(gold: FactorSpec) -> Node:
    expression = read_expr(gold).expression
    assert expression is not None  # gold runs
    return expression.node


def _formula(case: FactorCase, gold: FactorSpec, node: Node) -> Extraction | None:
    """The answer with another formula, or None where that says the same, or cannot be read."""
    try:
        text = to_text(node, "report")
    except Refusal:
        return None
    read = read_expr(text)
    if not read.runnable or same_formula(text, gold.expr, neutralization=gold.neutralization):
        return None
    return _answer(case, _with(gold, expr=text, windows=read.windows))


def _map(node: Node, change: Callable[[Call], Node]) -> Node:
    if not isinstance(node, Call):
        return node
    return change(Call(node.op, tuple(_map(arg, change) for arg in node.args), node.params))


def _replaced(node: Node, old: Node, new: Node) -> Node:
    if node == old:
        return new
    if not isinstance(node, Call):
        return node
    return Call(node.op, tuple(_replaced(arg, old, new) for arg in node.args), node.params)


FAMILIES: Final[Mapping[Family, Rule]] = MappingProxyType(
    {
        "drop_neutralization": _drop_neutralization,
        "wrong_frequency": _wrong_frequency,
        "wrong_window": _wrong_window,
        "hallucinated_expr": _hallucinated,
        "illegal_expr": _illegal,
        "swapped_op": _swapped_op,
        "swapped_sign": _swapped_sign,
        "swapped_field": _swapped_field,
        "right_formula_wrong_citation": _wrong_citation,
        "wrong_sentence_numbers": _wrong_numbers,
        "empty_evidence": _empty_evidence,
        "number_free_fabrication": _fabricated,
        "wrong_arity": _wrong_arity,
        "ingredient": _ingredient,
    }
)
"""The rules, by family."""
