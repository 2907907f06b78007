"""FactorSpec: what a report says of a factor, with the quotes that say it."""

from assay.spec._declare import DeclarationIssue, declaration_issues
from assay.spec._evidence import EvidenceSpan, SpecField
from assay.spec._expr import ReportExpr, Whitelist, read_expr, same_formula, whitelist, windows_in
from assay.spec._gated import GATE_CHECKS, GateCheck, GatedSpec, GateFinding, GateVerdict, Reading
from assay.spec._parse import parse_spec
from assay.spec._spec import (
    HOUSE_DEFAULTS,
    UNDECLARED,
    Direction,
    FactorSpec,
    Frequency,
    Neutralization,
    UniverseName,
    spec_schema,
    with_defaults,
)
from assay.spec._universe import (
    BACKTESTED,
    UniverseMention,
    require_backtest,
    universe_of,
    universes_in,
)

__all__ = [
    "BACKTESTED",
    "GATE_CHECKS",
    "HOUSE_DEFAULTS",
    "UNDECLARED",
    "DeclarationIssue",
    "Direction",
    "EvidenceSpan",
    "FactorSpec",
    "Frequency",
    "GateCheck",
    "GateFinding",
    "GateVerdict",
    "GatedSpec",
    "Neutralization",
    "Reading",
    "ReportExpr",
    "SpecField",
    "UniverseMention",
    "UniverseName",
    "Whitelist",
    "declaration_issues",
    "parse_spec",
    "read_expr",
    "require_backtest",
    "same_formula",
    "spec_schema",
    "universe_of",
    "universes_in",
    "whitelist",
    "windows_in",
    "with_defaults",
]
