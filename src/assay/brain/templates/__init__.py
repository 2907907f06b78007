"""Templates: expressions with typed slots, probed first and expanded where the probes promise something."""

from assay.brain.templates._catalogue import catalogue, pick
from assay.brain.templates._instances import Expansion, Instance
from assay.brain.templates._inventory import OPERATORS_OF, Inventory
from assay.brain.templates._pattern import Pattern, PatternFault
from assay.brain.templates._read import parse_templates, read_templates, templates_of
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

__all__ = [
    "Constraints",
    "Expansion",
    "FieldSlot",
    "Instance",
    "Inventory",
    "OPERATORS_OF",
    "OperatorSlot",
    "Pattern",
    "PatternFault",
    "SearchDomain",
    "Slot",
    "Template",
    "ValueSlot",
    "catalogue",
    "parse_templates",
    "pick",
    "read_templates",
    "template_problems",
    "templates_of",
]
