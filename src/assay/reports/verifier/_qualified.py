"""What the text says beside the cited phrase of a definition, and the formula leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from assay.expr import Call, Node, walk
from assay.reports import _lexicon as lexicon
from assay.reports import _settings as settings
from assay.reports._directions import directions
from assay.reports._document import Document, Range
from assay.reports._qualifiers import (
    Clause,
    Qualifier,
    attached,
    clauses,
    days_left_out,
    of_days,
    qualifier,
    stretches,
)
from assay.reports._sections import asides, varies
from assay.reports.verifier._citations import Citation, sentences_behind, span_of_sentence
from assay.reports.verifier._needs import fields_used, numbers_of, op_word, ops_of
from assay.spec import universes_in

_BEHIND: Final = 2
"""Sentences behind a definition, in its line, that may leave days out of it."""

_ANOTHER: Final = re.compile(
    r"因子|指标|定义|稳健|结果|表现|\bfactor\b|\bsignal\b|\bdefin|\brobust|\bresults?\b|\bperform",
    re.IGNORECASE,
)
"""A sentence behind it that speaks of another factor, or of how the results change."""

_SCORED: Final = re.compile(
    r"[记计取][为作]?\s*[-−+]?\d|\bcounts? (?:as )?[-−+]?\d|\bscores? [-−+]?\d", re.IGNORECASE
)
"""Days that count as 1 or -1: the words of a sign."""


def unqualified(document: Document, cited: Sequence[Citation], node: Node) -> Iterator[str]:
    """Why the formula is not all of what the sentences of these citations define; nothing where it is."""
    tries = asides(document.text)
    for place in dict.fromkeys(span_of_sentence(document.text, c.start, c.end) for c in cited):
        text = document.text[place.start : place.end]
        if varies(tries, place.start, text):
            continue
        first = min(c.start for c in cited if place.start <= c.start < place.end)
        for said in (*_beside(document, place, first, node), *_behind(document, place)):
            yield f"the text qualifies the cited words with {said!r}, of which the formula has nothing"
        for stretch in stretches(text, place.start):
            far, near = _days(document, *stretch.far), _days(document, *stretch.near)
            if not (_delays(node) & near and _reach(node) & {day - less for day in far for less in (0, 1)}):
                yield f"the formula does not look back {stretch.said!r}"


def _beside(document: Document, place: Range, first: int, node: Node) -> Iterator[str]:
    """Clauses of the sentence that qualify the formula; ``first`` is where its citations begin."""
    for clause in clauses(document.text[place.start : place.end], place.start):
        said = qualifier(clause)
        left_out = said is not None and not _has(document, said, node)
        if left_out or (clause.start > first and _hangs_on(document, clause, node)):
            yield clause.text.strip()


def _behind(document: Document, place: Range) -> Iterator[str]:
    """What the next sentences leave out of the formula."""
    for sentence in islice(sentences_behind(document.text, place.end), _BEHIND):
        if _ANOTHER.search(sentence):
            return
        if said := days_left_out(sentence):
            yield said


def _has(document: Document, said: Qualifier, node: Node) -> bool:
    """Whether the formula has what the qualifier says; no formula of the report dialect chooses days."""
    if said.kind == "lag":
        days = _days(document, said.start, said.end)
        return bool(_delays(node) & days if days else _delays(node))
    return said.kind == "weight" and any(isinstance(p, Call) and op_word(p) == "*" for p in walk(node))


def _hangs_on(document: Document, clause: Clause, node: Node) -> bool:
    """Whether it speaks of days, or hangs on the phrase, and of nothing in the formula or the settings."""
    text = clause.text
    if not (of_days(clause) or attached(clause)) or _settled(text):
        return False
    ops = ops_of(node)
    if "SIGN" in ops and _SCORED.search(text):
        return False
    windows = {int(need.value) for need in numbers_of(node) if need.role in ("window", "lag")}
    if windows & _days(document, clause.start, clause.end):
        return False
    known = (*(lexicon.OP_WORDS.get(op) for op in ops), *map(lexicon.FIELD_WORDS.get, fields_used(node)))
    return not any(word is not None and lexicon.says(word, text) for word in known)


def _settled(text: str) -> bool:
    """Whether a clause states a setting or a direction."""
    trading = lexicon.says(settings.REBALANCE_CUES, text)
    return bool(trading or directions(text) or universes_in(text) or settings.neutralizations(text))


def _days(document: Document, start: int, end: int) -> set[int]:
    """The numbers of bars that the numerals between two places may mean."""
    inside = (item for item in document.numerals if start <= item.start and item.end <= end)
    return {day for item in inside if item.label == "parameter" for day in item.days}


def _delays(node: Node) -> set[int]:
    """By how many bars the formula shifts anything."""
    return {int(need.value) for need in numbers_of(node) if need.role == "lag"}


def _reach(node: Node) -> set[int]:
    """How many bars back each path of the formula goes, its lags and windows together."""
    if not isinstance(node, Call):
        return {0}
    own = sum(value for name, value in node.params if name == "window" and isinstance(value, int))
    return {own + below for arg in node.args for below in _reach(arg)} or {own}
