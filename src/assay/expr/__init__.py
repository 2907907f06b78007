"""The factor language: typed tree, op table, parsers, checks, canonical form, sampling."""

from assay.expr._canonical import canonical
from assay.expr._check import Check, Expression, Policy, check, parse, require_runnable
from assay.expr._convert import Conversion, convert, to_text
from assay.expr._distance import edit_distance
from assay.expr._explain import explain
from assay.expr._exponent import Exponent, exponent, exponent_of_call, exponents
from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._fingerprint import fingerprint, signature
from assay.expr._grammar import DIALECTS
from assay.expr._limits import Limits, default_limits
from assay.expr._lookback import added_bars, lookback
from assay.expr._lower import Notice, kind_of
from assay.expr._names import REPORT_FIELDS
from assay.expr._op import Arg, Composite, DialectName, Example, Form, Kind, Op, Param
from assay.expr._parser import parse_syntax
from assay.expr._plugins import listed_problems, load_plugins, plugin_error
from assay.expr._print import write
from assay.expr._random import Space, crossover, mutate, sample
from assay.expr._reasons import REASONS
from assay.expr._syntax import Apply, Name, Number, Program, Text, Unary, parts_of
from assay.expr._table import build_table, op_table
from assay.expr._tree import Call, Constant, Field, Node, Params, ParamValue, distinct, fields_of, walk
from assay.expr._validate import validate
from assay.expr._words import LEGACY, UNSUPPORTED, Word, words

__all__ = [
    "DIALECTS",
    "REASONS",
    "REPORT_FIELDS",
    "STANDARD_FIELDS",
    "Apply",
    "Arg",
    "Call",
    "Check",
    "Composite",
    "Constant",
    "Conversion",
    "DialectName",
    "Example",
    "Exponent",
    "Expression",
    "Field",
    "FieldInfo",
    "Form",
    "Kind",
    "LEGACY",
    "Limits",
    "Name",
    "Node",
    "Notice",
    "Number",
    "Op",
    "Param",
    "ParamValue",
    "Params",
    "Policy",
    "Program",
    "Space",
    "Text",
    "Unary",
    "UNSUPPORTED",
    "Word",
    "added_bars",
    "build_table",
    "canonical",
    "check",
    "convert",
    "crossover",
    "default_limits",
    "distinct",
    "edit_distance",
    "explain",
    "exponent",
    "exponent_of_call",
    "exponents",
    "fields_of",
    "fingerprint",
    "kind_of",
    "listed_problems",
    "load_plugins",
    "lookback",
    "mutate",
    "op_table",
    "parse",
    "parse_syntax",
    "parts_of",
    "plugin_error",
    "require_runnable",
    "sample",
    "signature",
    "to_text",
    "validate",
    "walk",
    "words",
    "write",
]
