"""Which readings the text allows: as formulas and settings, before anything is evaluated."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from assay.expr import Call, Constant, Field, Node, fingerprint, to_text, walk
from assay.reports._document import Document, Numeral
from assay.reports._lexicon import Words, says
from assay.reports._sections import asides, varies
from assay.reports._settings import REBALANCE_CUES, neutralizations, periods
from assay.spec import HOUSE_DEFAULTS, UNDECLARED, FactorSpec, read_expr

MOST_READINGS: Final = 24
"""Readings that are evaluated at most; each is a trial."""

AS_WRITTEN: Final = "as written"

Neutralize = Literal["none", "industry", "size", "industry_size"]
Rebalance = Literal["daily", "weekly", "monthly"]

_FIELDS_OF_FORMULA: Final = ("expr", "windows")
_PRICES: Final = ("open", "high", "low", "close", "vwap")
_TRADED: Final = ("open", "high", "low", "close", "volume")
_SPEED: Final[Mapping[str, int]] = {"daily": 0, "weekly": 1, "monthly": 2}
_REBALANCES: Final[tuple[Rebalance, ...]] = ("daily", "weekly", "monthly")
_NEUTRALIZED: Final[tuple[Neutralize, ...]] = ("industry", "industry_size")

_UNADJUSTED: Final = Words(
    zh=("不复权", "未复权", "除权价"),
    en=("unadjusted price", "unadjusted prices", "raw price", "raw prices", "not adjusted for"),
)
_ADJUSTED: Final = Words(
    zh=("前复权", "后复权", "复权价", "复权收盘", "复权后"),
    en=(
        "adjusted price", "adjusted prices", "adjusted close", "adjusted closes", "adjusted closing prices",
        "split adjusted", "dividend adjusted", "adjusted for splits", "adjusted for dividends",
    ),
)  # fmt: skip

_TRADING_DAYS: Final = Words(
    zh=("交易日", "工作日"),
    en=("trading day", "trading days", "business day", "business days", "trading sessions"),
)
_TRADED_OF_CALENDAR: Final = 5 / 7

_DIFFERENCE: Final = Words(
    zh=("减", "之差", "差值", "价差", "绝对变化", "元"),
    en=("minus", "difference", "less", "subtract", "absolute change", "in dollars", "in yuan", "points"),
)
"""A text with one of these says itself that the change of a price is an amount, not a share."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One reading, ready to be evaluated.

    Parameters
    ----------
    name : what it takes the text to say; ``as written`` for the spec as it stands.
    expr : its formula in the report dialect, which has no word for unadjusted prices.
    node : what is evaluated.
    neutralize : what is taken out of the signal besides what the formula takes out.
    rebalance : how often positions change; labels are as long.
    """

    name: str
    expr: str
    node: Node
    neutralize: Neutralize
    rebalance: Rebalance


@dataclass(frozen=True, slots=True)
class Variants:
    """The readings in order, the spec as it stands first; ``left_out`` says how many more there would be."""

    chosen: tuple[Variant, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class _Change:
    """One way in which a reading differs from the spec as it stands."""

    label: str
    windows: tuple[tuple[int, int], ...] = ()
    relative: bool = False
    raw_prices: bool = False
    neutralize: Neutralize | None = None
    rebalance: Rebalance | None = None


def variants_of(document: Document, spec: FactorSpec, *, most: int = MOST_READINGS) -> Variants:
    """The readings of a spec that its text allows, each once.

    - A number of weeks, months or years that the cited text states has as many trading days as
      :attr:`Numeral.days` lists, the same convention for every number of one unit.
    - Days are trading days or calendar days (5 of 7 are traded), where the report never speaks of trading
      days.
    - The change of a price is an amount or a share of the price, where the cited text does not say which.
    - Prices are adjusted or as traded, where the report does not say which.
    - The factor is neutralised or not, and positions change daily, weekly or monthly, where the spec leaves
      it undeclared; never more often than the factor is computed.
    - What the report itself tries under a heading such as *Robustness*: another neutralisation, another
      rebalancing, and another window where the formula has only one.

    Readings with fewer differences come first, in the order of this list. A formula that cannot run has none.
    """
    expression = read_expr(spec).expression
    if expression is None or not read_expr(spec).runnable:
        return Variants((), 0)
    choices = [choice for choice in _choices(document, spec, expression.node) if choice]
    base = _base(document, spec, expression.node)
    found: dict[tuple[str, str, str], Variant] = {_key(base): base}
    for changes in _combinations(choices):
        variant = _changed(base, changes)
        if variant is not None:
            found.setdefault(_key(variant), variant)
    listed = tuple(found.values())
    return Variants(listed[:most], max(0, len(listed) - most))


def _base(document: Document, spec: FactorSpec, node: Node) -> Variant:
    evaluated = _with_raw_prices(node) if says(_UNADJUSTED, document.text) else node
    return Variant(AS_WRITTEN, spec.expr, evaluated, _neutralize(spec, node), _rebalance(spec))


def _neutralize(spec: FactorSpec, node: Node) -> Neutralize:
    if spec.neutralization == "undeclared" or (spec.neutralization == "industry" and _in_industry(node)):
        return "none"
    return spec.neutralization


def _in_industry(node: Node) -> bool:
    return any(isinstance(part, Call) and part.op == "group_zscore" for part in walk(node))


def _rebalance(spec: FactorSpec) -> Rebalance:
    """The declared one, or the default, where that is not faster than the factor itself."""
    wanted = spec.rebalance if spec.rebalance != UNDECLARED else HOUSE_DEFAULTS["rebalance"]
    floor = 0 if spec.rebalance != UNDECLARED else _SPEED.get(spec.frequency, 0)
    return _REBALANCES[max(_SPEED[wanted], floor)]


def _choices(document: Document, spec: FactorSpec, node: Node) -> Iterator[list[_Change]]:
    numerals, windows = _cited_numerals(document, spec), _windows(node)
    yield from _window_choices(numerals, windows)
    if not says(_TRADING_DAYS, document.text):
        yield _calendar_choice(numerals, windows)
    yield _relative_choice(document, spec, node)
    spoken = says(_ADJUSTED, document.text) or says(_UNADJUSTED, document.text)
    yield [] if spoken else [_Change("prices as traded, not adjusted", raw_prices=True)]
    neutral = spec.neutralization == UNDECLARED and not _in_industry(node)
    yield [
        _Change(f"neutralised by {name.replace('_', ' and ')}", neutralize=name)
        for name in _NEUTRALIZED
        if neutral
    ]
    yield [
        _Change(f"rebalanced {name}", rebalance=name)
        for name in _REBALANCES
        if spec.rebalance == UNDECLARED
        and name != _rebalance(spec)
        and _SPEED[name] >= _SPEED.get(spec.frequency, 0)
    ]
    yield from _tried(document, spec, node)


_PIECE: Final = re.compile(r"[^。；;！？!?\n]+?(?=[。；;！？!?\n]|\.(?=\s)|$)")
_NEUTRAL: Final[Mapping[str, Neutralize]] = {
    "none": "none",
    "industry": "industry",
    "size": "size",
    "industry_size": "industry_size",
}


def _tried(document: Document, spec: FactorSpec, node: Node) -> Iterator[list[_Change]]:
    """What the report tries beside the factor, one choice for each kind of change."""
    stretches = asides(document.text)
    pieces = [
        (piece.start(), piece.end(), piece.group())
        for stretch in stretches
        for piece in _PIECE.finditer(document.text, stretch.start, stretch.end)
        if varies(stretches, piece.start(), piece.group())
    ]
    neutral = {_NEUTRAL[v] for *_, words in pieces for v in neutralizations(words) if v in _NEUTRAL}
    yield [
        _Change(
            f"tried by the authors: {'not neutralised' if name == 'none' else f'neutralised by {name}'}",
            neutralize=name,
        )
        for name in sorted(neutral - {_neutralize(spec, node)})
    ]
    paced = {v for *_, words in pieces if says(REBALANCE_CUES, words) for v in periods(words)}
    yield [
        _Change(f"tried by the authors: rebalanced {name}", rebalance=name)
        for name in _REBALANCES
        if name in paced and name != _rebalance(spec) and _SPEED[name] >= _SPEED.get(spec.frequency, 0)
    ]
    windows = _windows(node)
    said = {
        numeral.days[0]
        for start, end, words in pieces
        if not says(REBALANCE_CUES, words)
        for numeral in document.numerals
        if start <= numeral.start < end and numeral.label == "parameter" and len(numeral.days) == 1
    }
    yield [
        _Change(f"tried by the authors: {windows[0]} bars as {days}", windows=((windows[0], days),))
        for days in sorted(said - set(windows) - {1})
        if len(windows) == 1
    ]


def _cited_numerals(document: Document, spec: FactorSpec) -> list[Numeral]:
    from assay.reports.documents import find_quote

    found: dict[int, Numeral] = {}
    for span in spec.evidence:
        if span.field in _FIELDS_OF_FORMULA:
            for place in find_quote(document, span.quote, chunk_id=span.chunk_id):
                inside = (n for n in document.numerals if place.start <= n.start and n.end <= place.end)
                found.update({numeral.start: numeral for numeral in inside if numeral.label == "parameter"})
    return [found[start] for start in sorted(found)]


def _windows(node: Node) -> tuple[int, ...]:
    found = [
        value
        for part in walk(node)
        if isinstance(part, Call)
        for name, value in part.params
        if name == "window" and isinstance(value, int)
    ]
    return tuple(dict.fromkeys(found))


def _window_choices(numerals: Sequence[Numeral], windows: Sequence[int]) -> Iterator[list[_Change]]:
    """For each unit of time one choice: which of its conventions holds, for all numbers in that unit."""
    exact = {item.days[0] for item in numerals if len(item.days) == 1}
    for unit in dict.fromkeys(item.unit for item in numerals):
        meant: dict[int, tuple[int, ...]] = {}
        for item in numerals:
            for window in windows:
                if item.unit == unit and window in item.days and window not in exact:
                    meant.setdefault(window, item.days)
        changes: list[_Change] = []
        for convention in range(max((len(days) for days in meant.values()), default=0)):
            moved = tuple(
                (window, days[convention])
                for window, days in meant.items()
                if convention < len(days) and days[convention] != window
            )
            if moved:
                shown = ", ".join(f"{old} bars as {new}" for old, new in moved)
                changes.append(_Change(f"{unit}: {shown}", windows=moved))
        yield changes


def _calendar_choice(numerals: Sequence[Numeral], windows: Sequence[int]) -> list[_Change]:
    """The windows that the text states in days, all of them as calendar days."""
    # a number of calendar days has other days than its value
    plain = {item.days[0] for item in numerals if item.unit == "day" and item.value == str(item.days[0])}
    pairs = ((window, round(window * _TRADED_OF_CALENDAR)) for window in windows if window in plain)
    moved = tuple((window, traded) for window, traded in pairs if traded != window)
    shown = ", ".join(f"{old} bars as {new}" for old, new in moved)
    return [_Change(f"calendar days: {shown}", windows=moved)] if moved else []


def _relative_choice(document: Document, spec: FactorSpec, node: Node) -> list[_Change]:
    cited = " ".join(span.quote for span in spec.evidence if span.field in _FIELDS_OF_FORMULA)
    if _with_relative_changes(node) == node or says(_DIFFERENCE, cited):
        return []
    return [_Change("change of the price as a share of it", relative=True)]


def _combinations(choices: Sequence[Sequence[_Change]]) -> Iterator[tuple[_Change, ...]]:
    for size in range(1, len(choices) + 1):
        for group in itertools.combinations(choices, size):
            yield from itertools.product(*group)


def _changed(base: Variant, changes: Sequence[_Change]) -> Variant | None:
    windows = dict(pair for change in changes for pair in change.windows)
    relative = any(change.relative for change in changes)
    node = _reworked(base.node, windows, relative=relative)
    expr = base.expr
    if windows or relative:
        plain = read_expr(base.expr).expression
        assert plain is not None  # the formula runs
        expr = to_text(_reworked(plain.node, windows, relative=relative), "report")
        if not read_expr(expr).runnable:
            return None
    if any(change.raw_prices for change in changes):
        raw = _with_raw_prices(node)
        if fingerprint(raw) == fingerprint(node):
            return None
        node = raw
    neutralize = next((c.neutralize for c in changes if c.neutralize is not None), base.neutralize)
    rebalance = next((c.rebalance for c in changes if c.rebalance is not None), base.rebalance)
    return Variant("; ".join(change.label for change in changes), expr, node, neutralize, rebalance)


def _key(variant: Variant) -> tuple[str, str, str]:
    return fingerprint(variant.node), variant.neutralize, variant.rebalance


def _with_windows(node: Node, windows: Mapping[int, int]) -> Node:
    if not windows or not isinstance(node, Call):
        return node
    params = tuple(
        (name, windows.get(value, value) if name == "window" and isinstance(value, int) else value)
        for name, value in node.params
    )
    return Call(node.op, tuple(_with_windows(arg, windows) for arg in node.args), params)


def _reworked(node: Node, windows: Mapping[int, int], *, relative: bool) -> Node:
    moved = _with_windows(node, windows)
    return _with_relative_changes(moved) if relative else moved


def _with_relative_changes(node: Node) -> Node:
    """The formula with the change of a price over so many bars as a share of the earlier price."""
    if not isinstance(node, Call):
        return node
    args = tuple(_with_relative_changes(arg) for arg in node.args)
    (of, *_) = args or (None,)
    if node.op == "delta" and isinstance(of, Field) and of.name.removeprefix("raw_") in _PRICES:
        return Call("ts_return", args, node.params)
    return Call(node.op, args, node.params)


def _with_raw_prices(node: Node) -> Node:
    """The formula on prices and volumes as traded."""
    if isinstance(node, Field):
        if node.name == "returns":
            close = Field("raw_close")
            before = Call("delay", (close,), (("window", 1),))
            return Call("sub", (Call("div", (close, before), ()), Constant(1.0)), ())
        return Field(f"raw_{node.name}") if node.name in _TRADED else node
    if isinstance(node, Call):
        return Call(node.op, tuple(_with_raw_prices(arg) for arg in node.args), node.params)
    return node
