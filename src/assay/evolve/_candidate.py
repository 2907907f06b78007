"""From what a policy sends to a candidate: merged onto the seed, held to what the spec fixes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pydantic import Field, model_validator

from assay.errors import ExpressionError, Refusal
from assay.evolve._terms import Terms, read
from assay.expr import Call, Expression, Node, signature, to_text
from assay.spec import EvidenceSpan, FactorSpec, declaration_issues, read_expr
from assay.tools import Arguments, FrozenFieldMutation

LONGEST_EXPR, LONGEST_NAME, MOST_WINDOWS = 4096, 200, 64
UNSTATED = ("expr", "windows", "name")
"""Fields for which a report's quotes say nothing any more once the formula has changed."""


class CandidateArguments(Arguments):
    """A new formula, alone or within a whole spec; what is left out is the seed's."""

    factor_expr: str | None = Field(
        None, min_length=1, max_length=LONGEST_EXPR, description="The new formula, in the report dialect."
    )
    factor_name: str | None = Field(None, min_length=1, max_length=LONGEST_NAME, description="A name for it.")
    expr: str | None = Field(
        None, min_length=1, max_length=LONGEST_EXPR, description="The same as factor_expr, in a whole spec."
    )
    name: str | None = Field(
        None, min_length=1, max_length=LONGEST_NAME, description="The same as factor_name, in a whole spec."
    )
    windows: list[int] | None = Field(
        None, max_length=MOST_WINDOWS, description="Those of the formula; read from it when left out."
    )
    universe: str | None = Field(None, max_length=100, description="Fixed: leave it out.")
    frequency: str | None = Field(None, max_length=100, description="Fixed: leave it out.")
    neutralization: str | None = Field(None, max_length=100, description="Fixed: leave it out.")
    rebalance: str | None = Field(None, max_length=100, description="Fixed: leave it out.")
    evidence: list[EvidenceSpan] | None = Field(
        None, max_length=200, description="Fixed: the report's quotes; leave it out."
    )

    @model_validator(mode="after")
    def _one_formula(self) -> CandidateArguments:
        if (self.factor_expr is None) == (self.expr is None):
            raise ValueError("send the formula as factor_expr, or as expr within a whole spec")
        if self.factor_name is not None and self.name is not None:
            raise ValueError("send the name once")
        return self

    @property
    def formula(self) -> str:
        """The formula as it was sent."""
        return str(self.factor_expr if self.factor_expr is not None else self.expr)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a candidate cannot be evaluated. ``windows``: only the declared windows are wrong."""

    code: str
    message: str
    fix: str
    windows: bool = False


@dataclass(frozen=True)
class Candidate:
    """A formula under the terms of the seed.

    Parameters
    ----------
    terms : those of the seed.
    expression : the formula as it was written.
    traded : with the sign that the direction says.
    name : given by the policy, or None.
    """

    terms: Terms
    expression: Expression
    traded: Expression
    name: str | None = None

    @cached_property
    def text(self) -> str:
        """The formula in the report dialect, in one spelling and without comments."""
        return to_text(self.expression.node, "report")

    @property
    def fingerprint(self) -> str:
        """Identifies it: equal for formulas that mean the same."""
        return self.traded.fingerprint

    @property
    def is_seed(self) -> bool:
        """Whether it is the seed up to its sign, a constant factor, and a rank around the whole."""
        return _order(self.traded.node) == _order(self.terms.traded.node)

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """The bars that the formula uses."""
        return tuple(dict.fromkeys(read_expr(self.text).windows))

    @property
    def spec(self) -> FactorSpec:
        """The seed's spec with this formula. It keeps those quotes that still support something."""
        seed = self.terms.spec
        return seed.model_copy(
            update={
                "name": self.name or f"{seed.name} (evolved)"[:LONGEST_NAME],
                "expr": self.text,
                "windows": self.windows,
                "evidence": tuple(span for span in seed.evidence if span.field not in UNSTATED),
            }
        )


def merge(terms: Terms, sent: CandidateArguments) -> Candidate | Fault:
    """The candidate that a payload makes of the seed, or what is wrong with it.

    Raises
    ------
    FrozenFieldMutation
        A fixed field is changed: by its name, or by a formula that neutralises where the spec does not.
    """
    _require_frozen(terms, sent)
    found = read_expr(sent.formula)
    if found.expression is None or not found.runnable:
        return _fault(found.refusal)
    try:
        expression = read(sent.formula, terms.fields)
        candidate = Candidate(terms, expression, terms.trade(expression), sent.factor_name or sent.name)
    except ExpressionError as error:
        return _fault(error)
    if len(candidate.text) > LONGEST_EXPR or len(candidate.windows) > MOST_WINDOWS:
        message = f"a spec takes {LONGEST_EXPR} characters, as it is printed, and {MOST_WINDOWS} windows"
        return Fault("too_long", message, "write a shorter formula")
    if sent.windows is not None and tuple(dict.fromkeys(sent.windows)) != candidate.windows:
        message = f"declared as {sent.windows}, the formula has {list(candidate.windows)}"
        return Fault("bad_windows", message, "leave windows out", windows=True)
    spec = candidate.spec
    if any(issue.code == "neutralized_undeclared" for issue in declaration_issues(spec)):
        raise FrozenFieldMutation(
            f"the formula neutralises by industry, and neutralization is fixed as {spec.neutralization}",
            fix="write the formula without INDUSTRY_NEUTRALIZE",
        )
    return candidate


def _order(node: Node) -> str:
    """Equal for formulas that order the names of a day in the same way, or the other way round."""
    while isinstance(node, Call) and node.op in ("rank", "neg"):
        node = node.args[0]
    return signature(node)


def _require_frozen(terms: Terms, sent: CandidateArguments) -> None:
    for name, value in terms.frozen.items():
        if getattr(sent, name) not in (None, value):
            raise FrozenFieldMutation(f"{name} is fixed in this episode")
    if sent.evidence is not None and tuple(sent.evidence) != terms.spec.evidence:
        raise FrozenFieldMutation("evidence is fixed in this episode: it is what the report says")


def _fault(refusal: Refusal | None) -> Fault:
    assert refusal is not None  # a formula that does not run says why
    return Fault(refusal.reason.code, refusal.message, refusal.fix or "")
