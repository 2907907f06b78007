"""The formula of a factor, settled from all that the text says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.errors import Reason
from assay.reports._reasons import CONFLICTING_FIELD, CONFLICTING_WINDOW, UNREAD
from assay.reports.rules._cues import speaks_of_another
from assay.reports.rules._definition import AHEAD, Definition
from assay.reports.rules._factors import OWN, Analysis, Factor, alike, comparable, key_of, shape
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._parameters import ROLES, Parameter, names_window
from assay.reports.rules._tree import (
    HOLE,
    Apply,
    Tree,
    Window,
    fill,
    has_hole,
    substitute,
    text_of,
    walk,
    windows_of,
)

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Settled:
    """A formula with its evidence, or the reason why there is none.

    Parameters
    ----------
    places : the words of the definition; of a conflict, the contradicting places.
    windows : places that state a window apart from the definition.
    note : what else the words may mean, where a number of days has several readings.
    """

    tree: Tree | None
    reason: Reason | None
    places: tuple[Place, ...]
    windows: tuple[Place, ...] = ()
    note: str = ""


def settle(analysis: Analysis, factor: Factor) -> Settled:
    """The one formula that the text states for a factor."""
    read = factor.read
    chosen = _of_definitions(read)
    if isinstance(chosen, Settled):
        return chosen
    relevant = _relevant(analysis, factor)
    settled = _with_parameters(chosen, relevant)
    if settled.reason is not None or settled.tree is None:
        return settled
    other = _said_otherwise(analysis, factor, settled) if len(analysis.factors) == 1 else None
    if other is not None:
        return other
    named = _name_window(analysis, factor, settled.tree)
    if named is not None:
        place = (named.start, named.end)
        note = f"the name says {named.days[0]}, the formula {_days(settled.tree)}"
        return Settled(None, CONFLICTING_WINDOW, (*settled.places, place), (), note)
    return replace(settled, note=_alternatives(settled.tree))


def settle_core(analysis: Analysis, factor: Factor, tree: Tree) -> Settled:
    """A formula that the report dialect cannot write, with the windows that the text gives it."""
    return _with_parameters(replace(factor.first, tree=tree), _relevant(analysis, factor))


def _said_otherwise(analysis: Analysis, factor: Factor, settled: Settled) -> Settled | None:
    """The conflict with a sentence about the factor that says the same formula with other windows."""
    assert settled.tree is not None
    known = [(d.sentence.start, d.sentence.end) for d in factor.read]
    for sentence in analysis.trusted:
        inside = any(low <= sentence.start < high for low, high in known) or settled.windows
        if inside or sentence.table_row or not OWN.search(sentence.text) or ASIDE.search(sentence.text):
            continue
        tokens = analysis.scanner.tokens(sentence.start, sentence.end)
        for phrase in alike(tokens, shape(settled.tree), analysis.scanner.charts):
            place = (tokens[phrase.first].start, tokens[phrase.last - 1].end)
            before = sentence.text[: place[0] - sentence.start]
            if AHEAD.search(before[-14:]) or speaks_of_another(before):
                continue
            if _windows_differ(settled.tree, phrase.tree):
                note = f"{text_of(settled.tree)} and {text_of(phrase.tree)}"
                return Settled(None, CONFLICTING_WINDOW, (*settled.places, place), (), note)
    return None


def _of_definitions(read: Sequence[Definition]) -> Definition | Settled:
    """The definition that holds, or why none does."""
    final = [item for item in read if item.final]
    considered = [final[-1]] if final else list(read)
    first = considered[0]
    for other in considered[1:]:
        mine, theirs = first.tree, other.tree
        assert mine is not None
        assert theirs is not None
        if shape(mine) != shape(theirs):
            if _contains(mine, theirs):
                continue
            if _contains(theirs, mine):
                first = other
                continue
            note = f"{text_of(mine)} and {text_of(theirs)}"
            return Settled(None, CONFLICTING_FIELD, (_place(first), _place(other)), (), note)
        if _windows_differ(mine, theirs):
            note = f"{text_of(mine)} and {text_of(theirs)}"
            return Settled(None, CONFLICTING_WINDOW, (_place(first), _place(other)), (), note)
    return first


def _with_parameters(definition: Definition, parameters: Sequence[Parameter]) -> Settled:
    tree = definition.tree
    assert tree is not None
    used: list[Place] = []
    symbols: dict[str, Window] = {}
    parameters = [p for p in parameters if not p.old or p.final] + [
        p for p in parameters if p.old and not p.final
    ]
    wanted = {w.symbol for w in windows_of(tree) if w.symbol and w != HOLE}
    for symbol in sorted(wanted):
        said = [p for p in parameters if p.symbol == symbol]
        if not said and symbol not in ROLES:
            said = [p for p in parameters if not p.symbol][:1]
        said = _following(said, parameters)
        value = _one(said)
        if isinstance(value, Settled):
            return value
        if value is None:
            return Settled(None, UNREAD, _places(definition), (), f"the text gives no value of {symbol}")
        symbols[symbol] = value.window
        used.append((value.start, value.end))
    tree = substitute(tree, symbols)
    said = [p for p in parameters if not p.symbol or (p.symbol not in wanted and not symbols)]
    if has_hole(tree):
        value = _one(_following(said, parameters))
        if isinstance(value, Settled):
            return value
        if value is None:
            return Settled(None, UNREAD, _places(definition), (), "the text gives no window")
        return Settled(fill(tree, value.window), None, _places(definition), ((value.start, value.end),))
    if not symbols:
        changed = _changed(definition, tree, [p for p in said if not p.symbol or p.symbol in ROLES])
        if changed is not None:
            return changed
    return Settled(tree, None, _places(definition), tuple(used))


def _changed(definition: Definition, tree: Tree, parameters: Sequence[Parameter]) -> Settled | None:
    """What a window stated elsewhere does to a formula that has its own."""
    own = {w.days for w in windows_of(tree) if not w.implied}
    roles = [p for p in parameters if p.symbol in ROLES]
    parameters = [p for p in parameters if not p.symbol]
    contrary = _contrary(tree, roles)
    if contrary:
        places = (*_places(definition), *((p.start, p.end) for p in contrary))
        note = (
            f"the definition says {_days(tree)}, a table {', '.join(str(p.window.days[0]) for p in contrary)}"
        )
        return Settled(None, CONFLICTING_WINDOW, places, (), note)
    other = [p for p in parameters if not any(set(p.window.days) & set(days) for days in own)]
    if not other or not own:
        return None
    final = [p for p in other if p.final]
    for p in final:
        if p.old and any(set(p.old) & set(days) for days in own):
            days = next(days for days in own if set(p.old) & set(days))
            return Settled(_replaced(tree, days, p.window), None, _places(definition), ((p.start, p.end),))
    value = _one(final) if final else None
    if isinstance(value, Parameter) and len(own) == 1:
        replaced = _replaced(tree, next(iter(own)), value.window)
        return Settled(replaced, None, _places(definition), ((value.start, value.end),))
    if len(own) > 1 and not any(p.changed for p in other):
        return None
    places = (*_places(definition), *((p.start, p.end) for p in other))
    note = (
        f"the definition says {_days(tree)}, another place {', '.join(str(p.window.days[0]) for p in other)}"
    )
    return Settled(None, CONFLICTING_WINDOW, places, (), note)


def _contrary(tree: Tree, roles: Sequence[Parameter]) -> list[Parameter]:
    """Statements of a short or a long window that is not the shorter or longer one of the formula."""
    own = sorted({w.days for w in windows_of(tree) if not w.implied and w.days})
    if len(own) != 2:
        return []
    meant = dict(zip(ROLES, own, strict=True))
    return [p for p in roles if not set(p.window.days) & set(meant[p.symbol])]


def _following(said: Sequence[Parameter], parameters: Sequence[Parameter]) -> list[Parameter]:
    """With the statements that replace one of these."""
    later = [p for p in parameters if p.old and any(set(p.old) & set(s.window.days) for s in said)]
    return [*said, *(p for p in later if p not in said)]


def _one(parameters: Sequence[Parameter]) -> Parameter | Settled | None:
    """The statement that holds; None where there is none."""
    final = [p for p in parameters if p.final]
    considered = final or list(parameters)
    if not considered:
        return None
    first = considered[0]
    if any(p.window.days != first.window.days for p in considered):
        places = tuple((p.start, p.end) for p in considered)
        values = ", ".join(dict.fromkeys(str(p.window.days[0]) for p in considered))
        return Settled(None, CONFLICTING_WINDOW, places, (), f"windows: {values}")
    return first


def _relevant(analysis: Analysis, factor: Factor) -> list[Parameter]:
    """Statements about this factor: all of them where it is the only one, else those of its part."""
    tabled = _tabled(analysis, factor)
    inside = {(d.start, d.end) for d in factor.definitions}
    listed = [
        p
        for p in analysis.parameters
        if p.symbol in ROLES or not any(s <= p.window.start < e for s, e in inside)
    ]
    if len(analysis.factors) == 1:
        return [*listed, *tabled]
    low, high = analysis.block(factor)
    near = [p for p in listed if low <= p.start < high or factor.name in p.sentence]
    return [*(near or [p for p in listed if p.symbol]), *tabled]


def _tabled(analysis: Analysis, factor: Factor) -> list[Parameter]:
    """The window in a table row that begins with the factor's name, under a header of windows."""
    found = []
    header = ""
    for sentence in analysis.trusted:
        if not sentence.table_row:
            header = ""
            continue
        header = header or sentence.text
        first_cell = sentence.text.strip("| ").split("|")[0]
        if not key_of(first_cell) or key_of(first_cell) != key_of(factor.name) or not names_window(header):
            continue
        for numeral in analysis.scanner.numerals(sentence.start, sentence.end):
            if numeral.label == "parameter" and numeral.days:
                window = Window(numeral.days, numeral.start, numeral.end)
                found.append(
                    Parameter(
                        window,
                        "",
                        sentence.start,
                        sentence.end,
                        sentence.paragraph,
                        sentence.text,
                        False,
                        False,
                    )
                )
                break
    return found


def _name_window(analysis: Analysis, factor: Factor, tree: Tree) -> Window | None:
    """A number of days in the factor's name that its formula does not have."""
    first = factor.first
    if not first.name:
        return None
    stated = [w.days for w in windows_of(tree)]
    for numeral in analysis.scanner.numerals(first.name_start, first.name_start + len(first.name)):
        if (
            numeral.days
            and numeral.label == "parameter"
            and not any(set(numeral.days) & set(d) for d in stated)
        ):
            return Window(numeral.days, numeral.start, numeral.end)
    return None


def _places(definition: Definition) -> tuple[Place, ...]:
    return _place(definition), *definition.steps


def _place(definition: Definition) -> Place:
    return definition.start, definition.end


def _contains(whole: Tree, part: Tree) -> bool:
    return any(isinstance(n, Apply) and comparable(n) == comparable(part) for n in walk(comparable(whole)))


def _windows_differ(first: Tree, second: Tree) -> bool:
    mine, theirs = windows_of(comparable(first)), windows_of(comparable(second))
    return [(w.days, w.symbol) for w in mine] != [(w.days, w.symbol) for w in theirs]


def _replaced(tree: Tree, days: tuple[int, ...], window: Window) -> Tree:
    if isinstance(tree, Window):
        return window if tree.days == days and not tree.implied else tree
    if isinstance(tree, Apply):
        return Apply(tree.op, tuple(_replaced(arg, days, window) for arg in tree.args))
    return tree


def _days(tree: Tree) -> str:
    return ", ".join(dict.fromkeys(str(w.days[0]) for w in windows_of(tree) if w.days))


def _alternatives(tree: Tree) -> str:
    """The other numbers of trading days that the windows of the text may mean."""
    several: Iterable[tuple[int, ...]] = dict.fromkeys(w.days for w in windows_of(tree) if len(w.days) > 1)
    parts = [f"{days[0]} may be {', '.join(map(str, days[1:]))}" for days in several]
    return f"trading days of a window: {'; '.join(parts)}" if parts else ""
