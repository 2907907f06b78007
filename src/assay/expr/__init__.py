"""The factor language: typed tree, op table, parsers, checks, canonical form, sampling."""

from assay.expr._canonical import canonical, fingerprint, signature
from assay.expr._check import Check, Expression, Policy, check, parse, require_runnable
from assay.expr._exponent import Exponent, exponent, exponents
from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._grammar import DIALECTS
from assay.expr._limits import Limits, default_limits
from assay.expr._lookback import lookback
from assay.expr._lower import Notice, kind_of
from assay.expr._op import Arg, Composite, DialectName, Example, Form, Kind, Op, Param
from assay.expr._parser import parse_syntax
from assay.expr._print import write
from assay.expr._reasons import REASONS
from assay.expr._table import build_table, op_table
from assay.expr._tree import Call, Constant, Field, Node, Params, ParamValue, distinct, fields_of, walk

__all__ = [
    "DIALECTS",
    "REASONS",
    "STANDARD_FIELDS",
    "Arg",
    "Call",
    "Check",
    "Composite",
    "Constant",
    "DialectName",
    "Example",
    "Exponent",
    "Expression",
    "Field",
    "FieldInfo",
    "Form",
    "Kind",
    "Limits",
    "Node",
    "Notice",
    "Op",
    "Param",
    "ParamValue",
    "Params",
    "Policy",
    "build_table",
    "canonical",
    "check",
    "default_limits",
    "distinct",
    "exponent",
    "exponents",
    "fields_of",
    "fingerprint",
    "kind_of",
    "lookback",
    "op_table",
    "parse",
    "parse_syntax",
    "require_runnable",
    "signature",
    "walk",
    "write",
]
