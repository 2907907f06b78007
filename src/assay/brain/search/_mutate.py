"""Mutations of an expression, by what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from assay.base import generator
from assay.brain._fingerprint import TrialId
from assay.brain._result import JobResult, Proposal
from assay.brain._settings import SimulationRequest, SimulationSettings
from assay.brain.search._diagnose import Finding
from assay.brain.search._rules import EXPRESSION_RULES
from assay.brain.search._settings_rules import SETTINGS_RULES
from assay.brain.search._space import MutationSpace
from assay.errors import ExpressionError, Refusal
from assay.expr import Node, default_limits, fields_of, kind_of, parse, to_text

RULE_NAMES: Final = (*EXPRESSION_RULES, *SETTINGS_RULES)
MODEL: Final = "model"

Suggest = Callable[[Proposal, Sequence[Finding]], Sequence[str]]
"""A model that is shown an expression and what is wrong with it, and writes others."""
Rejected = Callable[[str, str], None]
"""Told of each text of a model that is not taken, and why."""


def mutate(
    parent: Proposal | JobResult,
    findings: Sequence[Finding] = (),
    *,
    space: MutationSpace | None = None,
    most: int = 8,
    seen: Collection[TrialId] = (),
    seed: int = 0,
    suggest: Suggest | None = None,
    rejected: Rejected | None = None,
) -> tuple[Proposal, ...]:
    """At most ``most`` proposals one step from a parent, those that answer the findings first.

    The rules of the findings take turns, so that the first proposals try different remedies; with no
    findings all rules do, but for the flip of a result whose sign is right. Every expression is a typed tree,
    written, and read again to the same tree. None is a repeat: of the parent, of another proposal, or of
    ``seen``.

    Parameters
    ----------
    parent : what is changed. Proposals of a result replace its job.
    space : fields, choices and partners; the standard price and volume fields without it.
    seed : of random steps; equal arguments give equal proposals.
    suggest : a model; its expressions come first, those that are valid.

    Raises
    ------
    ExpressionError
        The parent cannot be read.
    """
    known = space or MutationSpace()
    start = parent.proposal if isinstance(parent, JobResult) else parent
    job = parent.job if isinstance(parent, JobResult) else start.replaces
    node = parse(start.request.regular, "fastexpr", fields=known.fields).node
    taken = {TrialId.of(start.request), *seen}
    # what the negative of a known alpha earns is known, too
    right = isinstance(parent, JobResult) and (parent.sharpe or 0.0) > 0
    spare = [name for name in RULE_NAMES if not (right and name == "flip")]
    made: list[Proposal] = []
    for origin, request in (
        *_suggested(start, findings, known, suggest, rejected),
        *_in_turns(
            start, node, findings, known, generator(seed, "brain-mutate", start.request.regular), spare
        ),
    ):
        if len(made) >= most:
            break
        key = TrialId.of(request)
        if key in taken:
            continue
        taken.add(key)
        why = _why(origin, findings)
        made.append(replace(start, request=request, rationale=why, replaces=job, origin=origin))
    return tuple(made)


def changes_of(
    rule: str, request: SimulationRequest, space: MutationSpace, seed: int = 0
) -> Iterator[SimulationRequest]:
    """What one rule makes of a request, the nearest first.

    Raises
    ------
    ExpressionError
        The request cannot be read.
    """
    node = parse(request.regular, "fastexpr", fields=space.fields).node
    yield from _changes(rule, request, node, space, generator(seed, "brain-mutate", request.regular))


def _in_turns(
    start: Proposal,
    node: Node,
    findings: Sequence[Finding],
    space: MutationSpace,
    rng: np.random.Generator,
    spare: Sequence[str],
) -> Iterator[tuple[str, SimulationRequest]]:
    """One change of each rule after another, until all are through; those of ``spare`` without findings.

    An expression that is good but for its sign is flipped first, and the rest start from there.
    """
    wanted = dict.fromkeys(rule for finding in findings for rule in finding.rules)
    request = start.request
    if any(f.name == "wrong_sign" and f.severity == "fail" for f in findings):
        flipped = next(_changes("flip", request, node, space, rng), None)
        if flipped is not None:
            yield "flip", flipped
            request, node = flipped, parse(flipped.regular, "fastexpr", fields=space.fields).node
            wanted.pop("flip")
    open_ = [(name, _changes(name, request, node, space, rng)) for name in wanted or spare]
    while open_:
        still = []
        for name, changes in open_:
            made = next(changes, None)
            if made is not None:
                yield name, made
                still.append((name, changes))
        open_ = still


def _changes(
    rule: str, request: SimulationRequest, node: Node, space: MutationSpace, rng: np.random.Generator
) -> Iterator[SimulationRequest]:
    if rule in SETTINGS_RULES:
        for settings in SETTINGS_RULES[rule](request.settings, space.choices):
            if _offered(settings, space):
                yield request.model_copy(update={"settings": settings})
        return
    for tree in EXPRESSION_RULES[rule](node, space, rng):
        text = _written(tree, space)
        if text is not None:
            yield request.model_copy(update={"regular": text})


def _offered(settings: SimulationSettings, space: MutationSpace) -> bool:
    return space.choices is None or not space.choices.problems(settings)


def _written(tree: Node, space: MutationSpace) -> str | None:
    """The tree as FASTEXPR that reads as the same tree within the limits, or None.

    A tree without a field, or of another kind than number, is no alpha.
    """
    limits = default_limits("fastexpr")
    if tree.size > limits.nodes or tree.depth > limits.depth:
        return None
    if not fields_of(tree) or kind_of(tree, space.fields) not in ("number", "any"):
        return None
    try:
        text = to_text(tree, "fastexpr")
        same = parse(text, "fastexpr", fields=space.fields).node == tree
    except Refusal:  # the dialect has no words for it, or it needs too many bars
        return None
    return text if same else None


def _suggested(
    start: Proposal,
    findings: Sequence[Finding],
    space: MutationSpace,
    suggest: Suggest | None,
    rejected: Rejected | None,
) -> Iterator[tuple[str, SimulationRequest]]:
    for text in () if suggest is None else suggest(start, findings):
        try:
            parse(text, "fastexpr", fields=space.fields)
        except ExpressionError as error:
            if rejected is not None:
                rejected(text, error.message)
        else:
            yield MODEL, start.request.model_copy(update={"regular": text})


def _why(origin: str, findings: Sequence[Finding]) -> str:
    """The first finding that the rule answers."""
    return next((f"{origin}: {f.message}" for f in findings if origin in f.rules), origin)
