"""Is a spec supported by what it cites: per field, per number and role, per op, and in its direction."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isclose
from typing import Final, Literal

from assay.expr import Call, Node, walk
from assay.reports import _lexicon as lexicon
from assay.reports import _settings as settings
from assay.reports._directions import directions
from assay.reports._document import Document, Numeral
from assay.reports._orders import Orders
from assay.reports._sections import asides, varies
from assay.reports.verifier._citations import (
    Citation,
    Citations,
    clause_of,
    numerals_in,
    resolve,
    sentence_of,
)
from assay.reports.verifier._needs import NumberNeed, fields_used, numbers_of, op_word, ops_of
from assay.reports.verifier._whole import parts_only
from assay.spec import UNDECLARED, Direction, FactorSpec, universes_in

Aspect = Literal["field", "number", "op", "data", "direction"]
"""``data`` is a field of the market that the formula reads; ``field`` one of the spec."""

DEFINITION: Final = ("expr", "windows")
"""Fields whose citations may define the formula."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that the text has to state, and whether the cited text does."""

    aspect: Aspect
    what: str
    met: bool


@dataclass(frozen=True, slots=True)
class Grounding:
    """What the evidence of a spec supports.

    ``contradictions`` are cited places that state another value than the spec, or than each other;
    ``parts_only`` says what the text does with the cited words and the formula leaves out; ``unexplained``
    are windows of the cited definition that the formula does not use.
    """

    citations: Citations
    needs: tuple[Need, ...]
    contradictions: tuple[str, ...]
    parts_only: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Of the needs that are met; 0 without evidence."""
        if not self.citations.resolved:
            return 0.0
        return sum(need.met for need in self.needs) / len(self.needs)

    def unmet(self, *aspects: Aspect) -> tuple[Need, ...]:
        """The needs that the cited text does not meet, of these aspects or of all."""
        return tuple(n for n in self.needs if not n.met and (not aspects or n.aspect in aspects))


def ground(document: Document, spec: FactorSpec, direction: Direction, node: Node | None) -> Grounding:
    """Hold a spec against its own evidence. ``node`` is its formula, None where it cannot be typed."""
    citations = _of_the_factor(document, _trusted(document, resolve(document, spec.evidence)))
    needs: list[Need] = []
    if node is not None:
        needs += [
            Need("number", str(need), _states_number(document, citations, need)) for need in numbers_of(node)
        ]
        needs += [Need("op", word, _says_op(citations, word)) for word in ops_of(node)]
        needs += [Need("data", f"${word}", _says_field(citations, word)) for word in fields_used(node)]
    needs += [
        Need("field", f"{name} {getattr(spec, name)}", getattr(spec, name) in _stated(citations, name))
        for name in _STATED_BY
        if getattr(spec, name) != UNDECLARED
    ]
    if direction != UNDECLARED:
        needs.append(Need("direction", direction, direction in _stated(citations, "direction")))
    if not needs:
        needs.append(Need("field", "anything at all", bool(citations.resolved)))
    return Grounding(
        citations,
        tuple(needs),
        _contradictions(document, spec, direction, citations, node),
        parts_only(document, citations, node) if node is not None else (),
        tuple(_unexplained(document, citations, "expr", node)) if node is not None else (),
    )


# -- fields of the spec --------------------------------------------------------------------------------------


def _universe(citation: Citation) -> frozenset[str]:
    return frozenset(mention.name for mention in universes_in(citation.quote))


def _frequency(citation: Citation) -> frozenset[str]:
    return settings.periods(citation.quote)


def _rebalance(citation: Citation) -> frozenset[str]:
    # "weekly" alone may be how often the factor is computed
    if not lexicon.says(settings.REBALANCE_CUES, citation.sentences):
        return frozenset()
    return settings.periods(citation.quote)


def _neutralization(citation: Citation) -> frozenset[str]:
    return settings.neutralizations(citation.quote)


def _direction(citation: Citation) -> frozenset[str]:
    return directions(citation.quote)


_STATED_BY: Final[Mapping[str, Callable[[Citation], frozenset[str]]]] = {
    "universe": _universe,
    "frequency": _frequency,
    "neutralization": _neutralization,
    "rebalance": _rebalance,
}
_READ_BY: Final[Mapping[str, Callable[[Citation], frozenset[str]]]] = {
    **_STATED_BY,
    "direction": _direction,
}


def _stated(citations: Citations, name: str) -> frozenset[str]:
    """The values of a field that its citations state."""
    read = _READ_BY[name]
    return frozenset[str]().union(*(read(citation) for citation in citations.of(name)))


def _trusted(document: Document, citations: Citations) -> Citations:
    """Without those that follow an order to programs, where the rest of the text does not bear them out.

    A setting or a direction there counts unless sentences free of orders state another; a definition never.
    """
    suspects = [citation for citation in citations.resolved if citation.suspect]
    if not suspects:
        return citations
    plain = Orders(document.text).plain_sentences()
    dropped = [citation for citation in suspects if not _borne_out(citation, plain)]
    problems = (
        f"{citation.span.chunk_id} ({citation.span.field}): the quote follows an order to programs in its "
        "paragraph"
        for citation in dropped
    )
    kept = tuple(citation for citation in citations.resolved if citation not in dropped)
    return Citations(kept, (*citations.problems, *dict.fromkeys(problems)))


def _of_the_factor(document: Document, citations: Citations) -> Citations:
    """Without those that stand among tests of robustness, unless the words there say that a value holds."""
    tries = asides(document.text)
    kept = tuple(
        citation
        for citation in citations.resolved
        if not varies(tries, citation.start, citation.sentences)
        or lexicon.says(_CORRECTED, citation.sentences)
    )
    return Citations(kept, citations.problems)


def _borne_out(citation: Citation, plain: tuple[str, ...]) -> bool:
    read = _READ_BY.get(citation.span.field)
    if read is None:
        return False
    said = frozenset[str]().union(*(read(replace(citation, quote=s, sentences=s)) for s in plain))
    return not said or read(citation) <= said


# -- the formula ---------------------------------------------------------------------------------------------


def _says_op(citations: Citations, word: str) -> bool:
    words = lexicon.OP_WORDS[word]
    fields = (*DEFINITION, "neutralization") if word == "INDUSTRY_NEUTRALIZE" else DEFINITION
    written = re.compile(rf"\b{re.escape(word)}\s*\(") if word.isidentifier() else None
    return any(
        lexicon.says(words, citation.spoken) or (written is not None and written.search(citation.spoken))
        for citation in citations.of(*fields)
    )


def _says_field(citations: Citations, word: str) -> bool:
    words = lexicon.FIELD_WORDS[word]
    fields = (*DEFINITION, "neutralization") if word == "industry" else DEFINITION
    return any(
        lexicon.says(words, citation.spoken) or f"${word}" in citation.spoken
        for citation in citations.of(*fields)
    )


def _states_number(document: Document, citations: Citations, need: NumberNeed) -> bool:
    for citation in citations.of(*DEFINITION):
        if any(_grounds(document, numeral, need) for numeral in numerals_in(document, citation)):
            return True
        if need.role != "weight" and need.value == 1.0 and lexicon.says(_ONE_BAR, citation.quote):
            return True
        if need.role == "weight" and _shares(need.value, citation.quote):
            return True
    return False


_ONE_BAR: Final = lexicon.Words(
    zh=("前一日", "前一个交易日", "前一交易日", "昨日", "昨收", "前收", "上一日", "上一交易日",
        "上一个交易日", "隔夜", "跳空", "日收益", "当日涨跌幅", "日涨跌幅", "单日", "较前日", "日涨幅"),
    en=("previous day", "previous close", "prior day", "prior close", "yesterday", "day before", "overnight",
        "daily return", "daily returns", "one day", "day over day", "previous session", "prior session",
        "preceding day", "preceding close", "last close", "daily change", "gap", "yesterday's"),
)  # fmt: skip
"""Words that mean a shift of one bar without a number."""

_EQUAL: Final = lexicon.Words(
    zh=("等权", "均值", "平均", "一半", "中点", "各半", "各占"),
    en=("equal weight", "equal weights", "equally weighted", "average", "mean", "half", "midpoint"),
)


def _shares(weight: float, text: str) -> bool:
    """Whether a weight is one of a few equal ones, and the text says that they are equal."""
    whole = (2.0, 3.0, 4.0, 5.0)
    equal = weight in whole or any(isclose(weight, 1.0 / n, rel_tol=1e-3) for n in whole)
    return equal and lexicon.says(_EQUAL, text)


def _grounds(document: Document, numeral: Numeral, need: NumberNeed) -> bool:
    """Whether a numeral states a number in its role."""
    if numeral.label != "parameter":
        return False
    if need.role in ("weight", "threshold"):
        scale = numeral.unit in ("none", "ratio", "percent")
        return scale and isclose(abs(_value(numeral)), need.value, rel_tol=1e-6)
    if numeral.unit in ("percent", "ratio"):
        return False
    bars = numeral.days or (round(_value(numeral)),)
    if int(need.value) not in bars:
        return False
    sentence = sentence_of(document.text, numeral.start, numeral.end)
    clause = clause_of(document.text, numeral.start, numeral.end)
    terms = [words for term in need.terms if (words := _words_of(term)) is not None]
    defining = any(lexicon.says(words, clause) for words in terms)
    if lexicon.says(settings.REBALANCE_CUES, clause) and not defining:
        return False  # a holding period is no window
    if need.role == "lag":
        return lexicon.says(settings.LAG_CUES, sentence)
    cue = lexicon.says(settings.WINDOW_CUES, sentence)
    return defining or cue or any(lexicon.says(words, sentence) for words in terms)


def _words_of(term: str) -> lexicon.Words | None:
    return lexicon.OP_WORDS.get(term) or lexicon.FIELD_WORDS.get(term)


def _value(numeral: Numeral) -> float:
    try:
        return float(numeral.value)
    except ValueError:
        return float("nan")


# -- contradictions ------------------------------------------------------------------------------------------

_CORRECTED: Final = lexicon.Words(
    zh=("改为", "调整为", "改用", "修正", "更正", "变更", "不再", "为准", "最终",
        "替代", "替换", "而非", "改成", "基准口径"),
    en=("instead", "replaced", "replaces", "changed to", "changed from", "revised", "correction", "corrected",
        "supersedes", "superseded", "from now on", "final", "rather than", "switch", "switched", "moved to",
        "erratum", "no longer", "settle on", "settled on", "extend", "lengthen", "shorten"),
)  # fmt: skip
"""Words that say which of two values holds."""


def _contradictions(
    document: Document, spec: FactorSpec, direction: Direction, citations: Citations, node: Node | None
) -> tuple[str, ...]:
    settled = {c.span.field for c in citations.resolved if lexicon.says(_CORRECTED, c.sentences)}
    found: list[str] = []
    for name, read in _READ_BY.items():
        value = direction if name == "direction" else getattr(spec, name)
        for citation in citations.of(name):
            stated = read(citation)
            if stated and value not in stated and name not in settled:
                what = ", ".join(sorted(stated))
                found.append(f"{name} is {value}, and {citation.span.chunk_id} states {what}")
    if node is not None:
        found += _unexplained(document, citations, "windows", node)
        found += _left_out(citations, node)
    return tuple(dict.fromkeys(found))


def _unexplained(document: Document, citations: Citations, field: str, node: Node) -> list[str]:
    """Numbers of days in the quotes of ``windows`` or ``expr`` that are no window of the formula.

    A text that corrects a number may be cited with the old one: one for each passage that corrects.
    """
    windows = {int(need.value) for need in numbers_of(node) if need.role in ("window", "lag")}
    unused: dict[tuple[int, ...], str] = {}
    for citation in citations.of(field):
        for item in numerals_in(document, citation):
            if item.label == "parameter" and item.days not in ((), _DAILY) and not windows & set(item.days):
                where = f"{document.text[item.start : item.end]!r} in {citation.span.chunk_id}"
                unused[item.days] = f"the formula uses no window of {where}"
    cited = citations.of("windows", "expr")
    corrections = {c.sentences for c in cited if lexicon.says(_CORRECTED, c.sentences)}
    return [] if len(unused) <= len(corrections) else list(unused.values())


_DAILY: Final = (1,)
"""One day is the span of a bar: *the largest one-day gain* has no window of 1."""


def _left_out(citations: Citations, node: Node) -> list[str]:
    """Words of the cited definition that commit it to an op or field which the formula does not have."""
    has = {op_word(part) for part in walk(node) if isinstance(part, Call)}
    has |= {f"${word}" for word in fields_used(node)}
    found: list[str] = []
    for commitment in lexicon.COMMITMENTS:
        if commitment.parts & has:
            continue
        for citation in citations.of("expr"):
            for hit in lexicon.find_words(commitment.words, citation.spoken):
                said = citation.spoken[hit.start : hit.end]
                found.append(f"{citation.span.chunk_id} says {said!r}, of which the formula has nothing")
    return found
