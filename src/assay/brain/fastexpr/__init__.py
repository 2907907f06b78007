"""FASTEXPR before any call: checks in the words of the platform, its operators, units."""

from assay.brain.fastexpr._known import as_listed, field_infos
from assay.brain.fastexpr._listed import Listed, read_listed
from assay.brain.fastexpr._on_platform import ProgramCheck
from assay.brain.fastexpr._operators import operators
from assay.brain.fastexpr._problem import Problem, ProblemKind
from assay.brain.fastexpr._program import check_program, expression
from assay.brain.fastexpr._units import unit_warnings

__all__ = [
    "Listed",
    "Problem",
    "ProblemKind",
    "ProgramCheck",
    "as_listed",
    "check_program",
    "expression",
    "field_infos",
    "operators",
    "read_listed",
    "unit_warnings",
]
