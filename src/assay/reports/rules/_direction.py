"""Which way the factor points, as the text states it; the formula says nothing about that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.reports._directions import direction_hits
from assay.reports._legs import Sign
from assay.reports._sections import HOLDS
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._sentences import Sentence, clauses
from assay.reports.rules._tree import Apply, Number, Tree

_NAMING = re.compile(
    r"^(?:反转|低波|reversal|mean reversion|均值回复|low volatility anomaly)$", re.IGNORECASE
)
_OF_VALUE = re.compile(
    r"\bbetter\b|越[大高小低]越好|因子|取值|值|得分|信号|指标|分位|组|factor|value|score|signal"
    r"|decile|quintile|quantile"
    r"|readings?|measure|ratio|\balpha\b|\bblend\b|\bcomposite\b", re.IGNORECASE
)  # fmt: skip
_OF_PAST = re.compile(r"\b(?:winner|loser)s?\b|赢家|输家", re.IGNORECASE)
"""Stocks by what their price did, whatever the sign of the formula."""

_OF_FORMULA = re.compile(r"(?:with|carries|takes|given) a (?:negative|minus|positive) sign$", re.IGNORECASE)
"""A sign that belongs to the formula says nothing of the direction."""

_OTHER = re.compile(
    r"风险提示|过去业绩|历史业绩|past performance|disclaimer|评级|目标价|price target"
    r"|book-to-\w+|与[^,，。]{1,12}(?:因子|风格)(?:的|之间的?)?(?:相关|暴露)|correlat\w* (?:with|to"
    r"|between)(?! (?:\w+[ -]){0,4}returns)"
    r"|\bexposures? to\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A direction and the place that states it.

    Parameters
    ----------
    of_value : whether it speaks of the factor's value, not of the quantity behind it.
    names : whether only a name implies it (*reversal*).
    """

    sign: Sign
    start: int
    end: int
    paragraph: int
    of_value: bool
    names: bool
    final: bool


def directions_of(
    sentences: Iterable[Sentence], formulas: Sequence[tuple[int, int]] = ()
) -> tuple[Statement, ...]:
    """Every statement of a direction, in order.

    Parameters
    ----------
    formulas : stretches that say what is computed: *the highest close* is no direction.
    """
    return tuple(
        statement
        for sentence in sentences
        if not ASIDE.search(sentence.text) and not _OTHER.search(sentence.text)
        for statement in _in(sentence, _without(sentence, formulas))
    )


def _without(sentence: Sentence, formulas: Sequence[tuple[int, int]]) -> str:
    """Its text with the formulas blanked."""
    text = sentence.text
    for start, end in formulas:
        low, high = max(start - sentence.start, 0), min(end - sentence.start, len(text))
        if low < high:
            text = text[:low] + "_" * (high - low) + text[high:]
    return text


def _in(sentence: Sentence, text: str) -> Iterator[Statement]:
    stated = _signs(text)
    if len(stated) == 2:  # words of one half may reach into the other: "long the bottom, short the top"
        halves = [_signs(clause) for _, clause in clauses(sentence.start, text)]
        agreed = {sign for half in halves if len(half) == 1 for sign in half}
        if len(agreed) == 1:
            stated = dict.fromkeys(agreed, False)
    if len(stated) != 1:
        return
    sign, naming = next(iter(stated.items()))
    said = [text[hit.start : hit.end] for name, hit in direction_hits(text) if name == sign]
    of_past = all(_OF_PAST.match(words) and not _OF_VALUE.search(words) for words in said)
    of_value = _OF_VALUE.search(sentence.text) is not None and not of_past
    final = HOLDS.search(sentence.text) is not None
    yield Statement(sign, sentence.start, sentence.end, sentence.paragraph, of_value, naming, final)


def _signs(text: str) -> dict[Sign, bool]:
    """The signs that the words state, and whether a name alone does; a name gives way to a statement."""
    stated: dict[Sign, bool] = {}
    for sign, hit in direction_hits(text):
        if _OF_FORMULA.search(text[: hit.end]):
            continue
        naming = _NAMING.match(text[hit.start : hit.end]) is not None
        stated[sign] = stated.get(sign, True) and naming
    if len(stated) == 2:
        return {sign: naming for sign, naming in stated.items() if not naming}
    return stated


def leads_with_minus(tree: Tree) -> bool:
    """Whether the formula turns its quantity around."""
    if not isinstance(tree, Apply):
        return False
    if tree.op == "neg":
        return True
    first = tree.args[0]
    if tree.op in ("*", "/"):
        return leads_with_minus(first) or (isinstance(first, Number) and first.text.startswith("-"))
    return tree.op == "RANK" and leads_with_minus(first)


def sign_for(statement: Statement, tree: Tree, *, of_factor: bool = False) -> Sign:
    """The direction of the formula's own value: a name, or words about the bare quantity, turn with it."""
    about_value = of_factor or statement.of_value
    if leads_with_minus(tree) and (statement.names or not about_value):
        return "positive" if statement.sign == "negative" else "negative"
    return statement.sign
