from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple

from assay.expr import Call, Node, edit_distance, fingerprint, signature, walk
from assay.library._factor import Factor
from assay.library._sets import reference_factors, sets

Match = Literal["fingerprint", "signature", "distance"]


class Neighbour(NamedTuple):
    """A reference factor near a formula.

    ``match`` says how: the same values up to rounding (``fingerprint``), up to sign and scale
    (``signature``), or neither; ``distance`` is the tree edit distance of the written formulas.
    """

    factor: Factor
    match: Match
    distance: int


def nearest(node: Node, set: str | None = None, *, limit: int = 5) -> tuple[Neighbour, ...]:
    """The reference factors nearest to a formula, best first.

    Parameters
    ----------
    node : typed tree of the formula.
    set : name of a set of reference factors; None searches all.
    limit : how many to return.

    Returns
    -------
    Equal fingerprints first, then equal signatures, then by tree edit distance; ties by id.

    Raises
    ------
    Refusal
        ``unknown_factor``: no set has this name.
    """
    names = sets() if set is None else (set,)
    candidates = [f for name in names for f in reference_factors(name)]
    found = [*_same(node, candidates), *_near(node, candidates, limit)]
    best: dict[str, Neighbour] = {}
    for neighbour in sorted(found, key=_order):
        best.setdefault(neighbour.factor.id, neighbour)
    return tuple(best.values())[:limit]


_RANK: dict[Match, int] = {"fingerprint": 0, "signature": 1, "distance": 2}


def _order(neighbour: Neighbour) -> tuple[int, int, str]:
    return _RANK[neighbour.match], neighbour.distance, neighbour.factor.id


def _same(node: Node, candidates: Iterable[Factor]) -> Iterable[Neighbour]:
    exact, loose = fingerprint(node), signature(node)
    for f in candidates:
        if f.expression.signature != loose:
            continue
        match: Match = "fingerprint" if f.expression.fingerprint == exact else "signature"
        yield Neighbour(f, match, edit_distance(node, f.node))


def _near(node: Node, candidates: Iterable[Factor], limit: int) -> list[Neighbour]:
    """The ``limit`` nearest by distance; a tree whose labels alone differ by more is not compared."""
    own = _labels(node)
    bounds = sorted((_least_distance(own, _labels(f.node)), f.id, f) for f in candidates)
    kept: list[Neighbour] = []
    for bound, _, f in bounds:
        if len(kept) >= limit and bound > kept[limit - 1].distance:
            break
        kept.append(Neighbour(f, "distance", edit_distance(node, f.node)))
        kept.sort(key=_order)
    return kept[:limit]


def _labels(node: Node) -> Counter[Hashable]:
    return Counter((n.op, n.params) if isinstance(n, Call) else n for n in walk(node))


def _least_distance(a: Counter[Hashable], b: Counter[Hashable]) -> int:
    """Each edit changes one node, so whatever labels two trees do not share must be paid for."""
    return max(a.total(), b.total()) - (a & b).total()
