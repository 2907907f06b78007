"""How words join into formulas: patterns, each with the phrases that a test reads by it.

The quantities stand in :data:`WINDOWS`, :data:`COMPARISONS` and :data:`OPS`; what joins them stands here.
Categories, beside the words': ``W`` a window, ``OW`` the same with its preposition ("over the past 20 days"),
``A`` a complete quantity, ``B`` a plain series, ``U`` one that wants its window, ``WAGG`` an op with its
window that wants its series ("its 20-day average"), ``V`` a window in a call, ``Q`` and ``QW`` a quotient by
sign and by word, ``M`` a product, ``S`` a sum: the whole; ``STEP`` what is done with a whole said before.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final

from assay.reports.rules._build import (
    SELF,
    Pattern,
    binary,
    binary_own,
    change_sign,
    in_brackets,
    infix,
    negative,
    own,
    then,
    times,
)
from assay.reports.rules._chart import Grammar, Rule
from assay.reports.rules._patterns_comparisons import COMPARISONS
from assay.reports.rules._patterns_ops import OPS
from assay.reports.rules._patterns_windows import WINDOWS
from assay.reports.rules._tree import apply

PATTERNS: Final[tuple[Pattern, ...]] = (
    *WINDOWS,
    *COMPARISONS,
    *OPS,
    Pattern("arithmetic", (
        ("M", "A", lambda x: x, 0.0),
        ("S", "M", lambda x: x, 0.0),
        infix("Q", "M", "DIV", "A", "/"),
        infix("QW", "M", "DIVW", "A", "/"),
        ("M", "Q", lambda x: x, 0.0),
        ("M", "N TIMES OF? A", lambda n, x: apply("*", n, x), 0.4),
        ("M", "N OF A", lambda n, x: apply("*", n, x) if "." in n.text else None, 0.5),
        ("M", "QW", lambda x: x, 0.0),
        infix("M", "M", "MUL", "A", "*"),
        ("M", "M DIV WAGG", binary_own("/"), 0.6),
        ("M", "M DIVW WAGG", binary_own("/"), 0.6),
        ("S", "SUBTRACT A FROM A", lambda x, y: apply("-", y, x), 0.8),
        ("S", "FROM A ,? SUBTRACT A", binary("-"), 0.8),
        ("S", "DIVV A BY A", binary("/"), 0.8),
        ("S", "DIVV A SUB A BY A", lambda x, y, z: apply("/", apply("-", x, y), z), 0.8),
        ("S", "DIVV A BY WAGG", binary_own("/"), 0.6),
        ("S", "MULV A BY A", binary("*"), 0.8),
        ("S", "S ,? SIGNED", change_sign, 0.5),
        ("A", "SUB N", lambda n: apply("neg", n), 0.1),
        ("M", "SUB M", negative, 1.2),
        infix("S", "S", "ADD", "M", "+"),
        infix("S", "S", "SUB", "M", "-"),
        ("S", "M SUB WAGG", binary_own("-"), 0.6),
        # in prose "A less B divided by C" says either; both are kept, and the reader tells that they differ
        infix("S", "S", "DIVW", "A", "/"),
        ("S", "S , THEN? DIVW A", binary("/"), 0.5),
        ("S", "S THEN DIVW A", binary("/"), 0.5),
        ("S", "S , THEN? DIVW S", binary("/"), 1.8),
        *(("S", f"S {joint} {word} {right}", binary(symbol), 0.5)
          for joint in (", THEN?", "THEN")
          for word, right, symbol in (("SUB", "M", "-"), ("ADD", "M", "+"), ("MUL", "A", "*"))),
    ), (
        ("0.6 × 20日收益率 + 0.4 × 5日收益率",
         "0.6 * TS_PCTCHANGE($close, 20) + 0.4 * TS_PCTCHANGE($close, 5)"),
        ("0.6 × RANK(the 20-day volatility) + 0.4 × RANK(the 5-day average volume)",
         "0.6 * RANK(TS_STD($return, 20)) + 0.4 * RANK(TS_MEAN($volume, 5))"),
        ("0.7倍的60日收益率加上0.3倍的5日收益率",
         "0.7 * TS_PCTCHANGE($close, 60) + 0.3 * TS_PCTCHANGE($close, 5)"),
        ("收盘价减开盘价, 再除以开盘价", "($close - $open) / $open"),
        ("日振幅(最高价减最低价, 再除以收盘价)的20日均值", "TS_MEAN(($high - $low) / $close, 20)"),
    )),
    Pattern("step: what is done next with what was said", (
        ("STEP", "DIVV IT? BY A", lambda x: apply("/", SELF, x), 0.5),
        ("STEP", "DIVV IT? BY S", lambda x: apply("/", SELF, x), 1.4),
        ("STEP", "SMOOTH IT? OVER WAGG", lambda x: x, 0.2),
        ("STEP", "SMOOTH IT? BY WAGG", lambda x: x, 0.2),
        ("STEP", "SMOOTH IT? OW", lambda w: apply("TS_MEAN", SELF, w), 0.3),
        ("STEP", "IT TAKE? NEG", lambda: apply("neg", SELF), 0.3),
        ("STEP", "DIVV IT? BY WAGG", lambda x: apply("/", SELF, x), 0.3),
        ("STEP", "DIVV IT? BY U", lambda x: apply("/", SELF, x), 2.0),
        ("STEP", "DIVW A", lambda x: apply("/", SELF, x), 0.5),
        ("STEP", "SUBTRACT A", lambda x: apply("-", SELF, x), 0.5),
        ("STEP", "SUBTRACT A FROM IT", lambda x: apply("-", SELF, x), 0.5),
        ("STEP", "SUB A", lambda x: apply("-", SELF, x), 0.8),
        ("STEP", "MULV IT? BY A", lambda x: apply("*", SELF, x), 0.5),
        ("STEP", "MUL A", lambda x: apply("*", SELF, x), 0.8),
        ("STEP", "MULV IT? BY SUB N", lambda n: times(SELF, n), 0.2),
        ("STEP", "MUL SUB N", lambda n: times(SELF, n), 0.2),
        ("STEP", "AGGV IT? OW", lambda op, w: apply(op, SELF, w), 0.5),
        ("STEP", "AGGED OW", lambda op, w: apply(op, SELF, w), 0.5),
        ("STEP", "OW TAKE? AGG", lambda w, op: apply(op, SELF, w), 0.6),
        ("STEP", "TAKE WAGG", lambda x: x, 0.5),
        ("STEP", "TAKE? IT OW OF? AGG", lambda w, op: apply(op, SELF, w), 0.3),
        ("STEP", "TAKE WAGG OF IT", lambda x: x, 0.3),
        ("STEP", "WAGG", lambda x: x, 1.0),
        ("STEP", "IT OF? TAKE WAGG", lambda x: x, 0.2),
        ("STEP", "TAKE IT WAGG", lambda x: x, 0.2),
        ("STEP", "TAKE ITS FN", lambda op: apply(op, SELF), 0.3),
        ("STEP", "TAKE FN", lambda op: apply(op, SELF), 0.5),
        ("STEP", "TAKE FN OF IT", lambda op: apply(op, SELF), 0.3),
        ("STEP", "IT TAKE FN", lambda op: apply(op, SELF), 0.3),
        ("STEP", "TAKE? NEG", lambda: apply("neg", SELF), 0.8),
        ("STEP", "STEP ,? AND? THEN? STEP", lambda first, then: own(then, first), 0.3),
        ("S", "S , AND? THEN? STEP", then, 0.6),
        ("S", "S AND? THEN STEP", then, 0.6),
        ("S", "S AND STEP", then, 0.8),
    ), (
        ("the closing price, divide it by its 20-day moving average and subtract one",
         "$close / TS_MEAN($close, 20) - 1"),
        ("the high less the low, and average it over 20 days", "TS_MEAN($high - $low, 20)"),
        ("当日最高价减最低价, 再除以收盘价, 然后取20日均值", "TS_MEAN(($high - $low) / $close, 20)"),
    )),
    Pattern("a name and its formula in brackets", (
        ("A", "NAMED ( S )", in_brackets, 0.3),
        ("B", "NAMED ( S )", in_brackets, 0.3),
        ("A", "A ( S )", in_brackets, 1.5),
    )),
)  # fmt: skip


def _expanded(parts: str) -> list[tuple[str, ...]]:
    """The rule with and without each part that may be absent."""
    choices = [(part[:-1], "") if part.endswith("?") else (part,) for part in parts.split()]
    return [tuple(part for part in picked if part) for picked in product(*choices)]


@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """The table, ready to parse with."""
    return Grammar(
        Rule(result, parts, build, cost)
        for pattern in PATTERNS
        for result, written, build, cost in pattern.rules
        for parts in _expanded(written)
    )
