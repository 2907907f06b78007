"""The factor language: typed tree, op table, parsers, checks, canonical form, sampling."""

from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._op import Arg, Composite, Example, Form, Kind, Op, Param
from assay.expr._table import build_table, op_table
from assay.expr._tree import Call, Constant, Field, Node, Params, ParamValue, distinct, fields_of, walk

__all__ = [
    "STANDARD_FIELDS",
    "Arg",
    "Call",
    "Composite",
    "Constant",
    "Example",
    "Field",
    "FieldInfo",
    "Form",
    "Kind",
    "Node",
    "Op",
    "Param",
    "ParamValue",
    "Params",
    "build_table",
    "distinct",
    "fields_of",
    "op_table",
    "walk",
]
