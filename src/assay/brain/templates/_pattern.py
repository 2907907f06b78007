"""Regular expressions whose cost is bounded, for patterns that come from files and models.

They are matched by stepping through all possibilities at once, so no pattern takes longer than its length
times that of the text; there are no back references and no look-around, which would need more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

MAX_PATTERN: Final = 200
_MAX_STEPS: Final = 400
_MAX_DEPTH: Final = 20
_CLASSES: Final = {
    "d": str.isdigit,
    "w": lambda character: character.isalnum() or character == "_",
    "s": str.isspace,
}
_POSITIONS: Final = {"^": "start", "$": "end"}
_UNLIMITED: Final = -1

_Test = Callable[[str], bool]
_Where = Literal["start", "end", "edge"]


class PatternFault(ValueError):
    """A pattern cannot be used; the message says why and at which character, counted from 1."""


class _Step(NamedTuple):
    """Take a character, look at the position, or go on at one or two other steps (relative)."""

    test: _Test | None = None
    where: _Where | None = None
    jumps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern; case is ignored."""

    text: str
    _steps: tuple[_Step, ...] = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Compile literals, ``.``, classes, ``\\d \\w \\s \\b``, groups, ``|``, ``^ $``, ``* + ? {m,n}``.

        Raises
        ------
        PatternFault
            Anything else is in it, or it is too long.
        """
        if len(text) > MAX_PATTERN:
            raise PatternFault(f"is longer than {MAX_PATTERN} characters")
        return cls(text, tuple(_Compiler(text).compiled()))

    def found_in(self, text: str) -> bool:
        """Whether the pattern fits anywhere in the text."""
        lowered = text.lower()
        alive: set[int] = set()
        for place in range(len(lowered) + 1):
            alive.add(0)
            reached = self._reached(alive, lowered, place)
            if len(self._steps) in reached:
                return True
            if place < len(lowered):
                alive = {at + 1 for at in reached if self._takes(at, lowered[place])}
        return False

    def _takes(self, at: int, character: str) -> bool:
        test = self._steps[at].test
        return test is not None and test(character)

    def _reached(self, alive: set[int], text: str, place: int) -> set[int]:
        """All steps that can be come to without taking a character."""
        reached, waiting = set(alive), list(alive)
        while waiting:
            at = waiting.pop()
            if at == len(self._steps):
                continue
            step = self._steps[at]
            jumps = step.jumps if step.where is None or _holds(step.where, text, place) else ()
            new = {at + jump for jump in jumps} - reached
            reached |= new
            waiting += new
        return reached


def _holds(where: _Where, text: str, place: int) -> bool:
    if where == "start":
        return place == 0
    if where == "end":
        return place == len(text)
    word = _CLASSES["w"]
    before = place > 0 and word(text[place - 1])
    after = place < len(text) and word(text[place])
    return before != after


class _Compiler:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def compiled(self) -> list[_Step]:
        steps = self._either(0)
        if self.at < len(self.text):
            raise self._fault("closes a group that is not open")
        return steps

    def _either(self, depth: int) -> list[_Step]:
        if depth > _MAX_DEPTH:
            raise self._fault("is nested too deeply")
        steps = self._sequence(depth)
        while self._take("|"):
            other = self._sequence(depth)
            steps = [
                _Step(jumps=(1, len(steps) + 2)), *steps, _Step(jumps=(len(other) + 1,)), *other,
            ]  # fmt: skip
        return steps

    def _sequence(self, depth: int) -> list[_Step]:
        steps: list[_Step] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            steps += self._repeated(self._atom(depth))
            if len(steps) > _MAX_STEPS:
                raise self._fault("makes the pattern too large")
        return steps

    def _repeated(self, atom: list[_Step]) -> list[_Step]:
        bounds = self._bounds()
        if bounds is None:
            return atom
        self._take("?")  # greedy or not: whether it fits is the same
        least, most = bounds
        if len(atom) * max(least, most, 1) > _MAX_STEPS:
            raise self._fault("makes the pattern too large")
        if most == _UNLIMITED:
            loop = [_Step(jumps=(1, len(atom) + 2)), *atom, _Step(jumps=(-len(atom) - 1,))]
            return atom * least + loop
        optional: list[_Step] = []
        for _ in range(most - least):
            optional = [_Step(jumps=(1, len(atom) + len(optional) + 1)), *atom, *optional]
        return atom * least + optional

    def _bounds(self) -> tuple[int, int] | None:
        for mark, bounds in (("*", (0, _UNLIMITED)), ("+", (1, _UNLIMITED)), ("?", (0, 1))):
            if self._take(mark):
                return bounds
        if not self._take("{"):
            return None
        inside, closed, _ = self.text[self.at :].partition("}")
        low, comma, high = inside.partition(",")
        numbers = [low] if not comma else [low or "0", high or "0"]
        if not closed or not all(part.isascii() and part.isdigit() and len(part) < 4 for part in numbers):
            raise self._fault("is no count such as {2} or {1,3}")
        self.at += len(inside) + 1
        least = int(numbers[0])
        most = least if not comma else (int(high) if high else _UNLIMITED)
        if most != _UNLIMITED and most < least:
            raise self._fault("ends a count whose end is before its start")
        return least, most

    def _atom(self, depth: int) -> list[_Step]:
        character = self.text[self.at]
        self.at += 1
        if character == "(":
            return self._group(depth)
        if character == "[":
            return [_Step(test=self._class())]
        if character in _POSITIONS:
            return [_Step(where="start" if character == "^" else "end", jumps=(1,))]
        if character == "\\":
            return [self._escaped()]
        if character == ".":
            return [_Step(test=lambda _: True)]
        if character in "*+?{":
            raise self._fault("repeats nothing", back=1)
        return [_Step(test=_one_of(character.lower()))]

    def _group(self, depth: int) -> list[_Step]:
        if self._take("?") and not self._take(":"):
            raise self._fault("begins a kind of group that is not supported; use ( or (?:")
        steps = self._either(depth + 1)
        if not self._take(")"):
            raise self._fault("leaves a group open")
        return steps

    def _escaped(self) -> _Step:
        name = self._next("ends with a backslash")
        if name == "b":
            return _Step(where="edge", jumps=(1,))
        return _Step(test=self._named(name))

    def _named(self, name: str) -> _Test:
        """What a backslash with this character stands for."""
        known = _CLASSES.get(name.lower())
        if known is not None:
            return known if name.islower() else _not(known)
        if name.isalnum():
            raise self._fault(f"uses \\{name}, which is not supported", back=1)
        return _one_of(name)

    def _class(self) -> _Test:
        negated = self._take("^")
        tests: list[_Test] = []
        while not tests or not self._take("]"):
            tests.append(self._member())
        return _not(_any_of(tests)) if negated else _any_of(tests)

    def _member(self) -> _Test:
        first = self._next("leaves a class open")
        if first == "\\":
            return self._named(self._next("leaves a class open"))
        rest = self.text[self.at : self.at + 2]
        if len(rest) < 2 or rest[0] != "-" or rest[1] in "]\\":
            return _one_of(first.lower())
        self.at += 2
        if rest[1] < first:
            raise self._fault("is a range whose end is before its start")
        return _between(first, rest[1])

    def _take(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found

    def _next(self, otherwise: str) -> str:
        if self.at >= len(self.text):
            raise self._fault(otherwise)
        self.at += 1
        return self.text[self.at - 1]

    def _fault(self, message: str, *, back: int = 0) -> PatternFault:
        return PatternFault(f"{message} (character {min(self.at - back, len(self.text) - 1) + 1})")


def _one_of(characters: str) -> _Test:
    return lambda character: character in characters


def _between(low: str, high: str) -> _Test:
    return lambda character: low <= character <= high or low <= character.upper() <= high


def _not(test: _Test) -> _Test:
    return lambda character: not test(character)


def _any_of(tests: Sequence[_Test]) -> _Test:
    return lambda character: any(test(character) for test in tests)
