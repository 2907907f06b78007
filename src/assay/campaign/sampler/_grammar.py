"""Fills the holes of forms; every result is a checked, adjustment-invariant formula within the limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np

from assay.campaign._vocabulary import used_ops
from assay.campaign.sampler._forms import FORMS, WRAPS, Behaviour, behaviours
from assay.campaign.sampler._space import SamplerSpace
from assay.errors import Refusal
from assay.expr import Call, Constant, Expression, Node, fingerprint, parse, to_text, walk

_HOLE: Final = re.compile(r"\b([PVMRLEGFswk])(\d?)\b")
_DRAWS: Final = 40
_PLAIN: Final = 0.6
"""Share of new formulas that are a form as it stands, once something may be put around it."""
_OWN_RETURN: Final = 0.75
_WINDOWS: Final = {"s": (1, 15), "w": (5, 60), "k": (20, 100_000)}
_USUAL: Final = frozenset({"5", "10", "20", "60", "120", "close"})
"""Windows of a week, two weeks, a month, a quarter and half a year, and the price that most people mean."""
_FIRST_WEIGHT: Final = 10.0
_LATER_WEIGHT: Final = 3.0
"""How much likelier the usual fillings are in the first tries of a form, and after."""
_VECTOR_OPS: Final = ("vec_avg", "vec_sum", "vec_max", "vec_min", "vec_count")

_T = TypeVar("_T")


class Unfit(Exception):
    """A form that this space cannot fill: it lacks a field, an op or room."""


@dataclass(frozen=True)
class Grammar:
    """The forms of a space."""

    space: SamplerSpace

    @cached_property
    def usable(self) -> frozenset[str]:
        """Forms that the space can fill."""
        rng = np.random.Generator(np.random.PCG64(0))
        found = []
        for form in dict.fromkeys(form for forms in FORMS.values() for form in forms):
            try:
                self._any(rng, form)
            except Unfit:
                continue
            found.append(form)
        return frozenset(found)

    def forms(self, mechanism: str, description: str = "") -> tuple[str, ...]:
        """Usable forms of a mechanism type; all usable ones where it has none."""
        wanted = behaviours(mechanism, description)
        own = self._of(wanted)
        return own or self._of(tuple(FORMS))

    def _of(self, wanted: Sequence[Behaviour]) -> tuple[str, ...]:
        return tuple(form for name in wanted for form in FORMS[name] if form in self.usable)

    def draw(
        self, rng: np.random.Generator, form: str, others: Sequence[str], *, plain: bool = False
    ) -> Expression:
        """A formula of a form; unless ``plain``, now and then with something around it.

        Raises
        ------
        Unfit
            Nothing that may run was drawn.
        """
        if plain:
            return self._any(rng, form, _FIRST_WEIGHT)
        if rng.random() < _PLAIN:
            return self._any(rng, form)
        for _ in range(_DRAWS):
            wrap = pick(rng, WRAPS)
            try:
                inner = self._any(rng, form)
                other = self._any(rng, pick(rng, others or (form,)))
                text = _substituted(wrap, {"F": f"({inner.text})", "F2": f"({other.text})"})
                return self._once(rng, text)
            except Unfit:
                continue
        return self._any(rng, form)

    def checked(self, node: Node) -> Expression | None:
        """The formula of a tree where it may run and says something; else None."""
        try:
            return self._checked(to_text(node, "core"))
        except Unfit:
            return None

    def _any(self, rng: np.random.Generator, form: str, weight: float = _LATER_WEIGHT) -> Expression:
        for _ in range(_DRAWS):
            try:
                return self._once(rng, form, weight)
            except Unfit as error:
                unfit = error
        raise unfit

    def _once(self, rng: np.random.Generator, form: str, weight: float = _LATER_WEIGHT) -> Expression:
        holes: dict[str, str] = {}
        for match in _HOLE.finditer(form):
            kind, name = match.group(1), match.group()
            if name not in holes:
                taken = [text for other, text in holes.items() if other[0] == kind]
                holes[name] = self._filling(rng, kind, taken, weight)
        _require_order(holes)
        return self._checked(_substituted(form, holes))

    def _filling(self, rng: np.random.Generator, kind: str, taken: Sequence[str], weight: float) -> str:
        if kind in _WINDOWS:
            low, high = _WINDOWS[kind]
            return usual(rng, [str(w) for w in self.space.windows if low <= w <= high], weight)
        return usual(rng, [text for text in self._choices(rng, kind) if text not in taken], weight)

    def _choices(self, rng: np.random.Generator, kind: str) -> Sequence[str]:
        classes, fields = self.space.classes, self.space.fields
        activity = classes.get("activity", ())
        if kind == "P":
            return classes.get("price", ())
        if kind == "V":
            return activity
        if kind == "M":
            steady = [name for name in activity if fields[name].exponent == 0]
            return steady or [
                f"({price} * volume)" for price in classes.get("price", ()) if "volume" in activity
            ]
        if kind == "R":
            own = classes.get("return", ())
            if own and rng.random() < _OWN_RETURN:
                return own
            prices = classes.get("price", ())
            return [f"({one} / delay({two}, 1) - 1)" for one in prices for two in prices] or own
        if kind == "E":
            ops = [op for op in _VECTOR_OPS if op in self.space.ops]
            return [f"fill_missing({op}({name}))" for name in classes.get("event", ()) for op in ops]
        return classes.get("level" if kind == "L" else "group", ())

    def _checked(self, text: str) -> Expression:
        try:
            found = parse(text, "core", fields=self.space.fields, limits=self.space.limits)
        except Refusal as error:
            raise Unfit(str(error)) from error
        fitting = found.kind == "number" and self.space.trees.allows(found.node)
        known_ops = set(used_ops([found.node])) <= set(self.space.ops)
        if not fitting or not known_ops or idle(found.node) or sparse(found.node):
            raise Unfit(text)
        return parse(to_text(found.node, "core"), "core", fields=self.space.fields)


def pick(rng: np.random.Generator, items: Sequence[_T]) -> _T:
    """One of the items, all equally likely.

    Raises
    ------
    Unfit
        There is none.
    """
    if not items:
        raise Unfit("nothing to draw from")
    return items[int(rng.integers(len(items)))]


def usual(rng: np.random.Generator, items: Sequence[str], weight: float) -> str:
    """One of the items, those that are usual ``weight`` times likelier.

    Raises
    ------
    Unfit
        There is none.
    """
    if not items:
        raise Unfit("nothing to draw from")
    weights = np.array([weight if item in _USUAL else 1.0 for item in items])
    return items[int(rng.choice(len(items), p=weights / weights.sum()))]


def idle(node: Node) -> bool:
    """Whether a part says nothing: it joins a value with itself, or is made of constants alone."""
    calls = [part for part in walk(node) if isinstance(part, Call) and part.args]
    return any(
        (len(part.args) == 2 and fingerprint(part.args[0]) == fingerprint(part.args[1]))
        or all(isinstance(arg, Constant) for arg in part.args)
        for part in calls
    )


def sparse(node: Node) -> bool:
    """Whether a number of events stands where it is missing on all days without events."""
    return any(
        isinstance(arg, Call) and arg.op in _VECTOR_OPS and part.op != "fill_missing"
        for part in [Call("neg", (node,)), *walk(node)]
        if isinstance(part, Call)
        for arg in part.args
    )


def _substituted(form: str, holes: dict[str, str]) -> str:
    return _HOLE.sub(lambda match: holes.get(match.group(), match.group()), form)


def _require_order(holes: dict[str, str]) -> None:
    """A short window is shorter than a middle one, and that than a long one."""
    windows = [int(holes[name]) for name in ("s", "w", "k") if name in holes]
    if windows != sorted(set(windows)):
        raise Unfit("windows out of order")
