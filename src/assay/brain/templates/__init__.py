"""Templates: expressions with typed slots, probed first and expanded where the probes promise something."""

from assay.brain.templates._catalogue import catalogue, pick
from assay.brain.templates._idea import templates_from_idea
from assay.brain.templates._instances import Expansion, Instance
from assay.brain.templates._inventory import OPERATORS_OF, Inventory
from assay.brain.templates._model import templates_by_model
from assay.brain.templates._pattern import Pattern, PatternFault
from assay.brain.templates._pipeline import Pipeline, PipelineReport, Planned
from assay.brain.templates._read import parse_templates, read_templates, templates_of
from assay.brain.templates._report import report_data
from assay.brain.templates._template import (
    Constraints,
    FieldSlot,
    OperatorSlot,
    SearchDomain,
    Slot,
    Template,
    ValueSlot,
    template_problems,
)
from assay.brain.templates._verdict import Decision, Verdict, decide
from assay.brain.templates._write import toml_text

__all__ = [
    "Constraints",
    "Decision",
    "Expansion",
    "FieldSlot",
    "Instance",
    "Inventory",
    "OPERATORS_OF",
    "OperatorSlot",
    "Pattern",
    "PatternFault",
    "Pipeline",
    "PipelineReport",
    "Planned",
    "SearchDomain",
    "Slot",
    "Template",
    "ValueSlot",
    "Verdict",
    "catalogue",
    "decide",
    "parse_templates",
    "pick",
    "read_templates",
    "report_data",
    "template_problems",
    "templates_by_model",
    "templates_from_idea",
    "templates_of",
    "toml_text",
]
