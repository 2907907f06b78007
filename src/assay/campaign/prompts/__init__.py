"""What the models of a campaign are told, and the forms of what they reply.

``NAME.md`` in the folder ``en`` or ``zh`` is the template of that name; a workspace may replace each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names

# pydantic and jinja2 are slow to import, and a campaign without models needs neither
_HOMES = {
    "._brief": ("MarketFacts", "make_brief"),
    "._compose": ("Prompts",),
    "._replies": (
        "MemoryReply",
        "PlanReply",
        "ProposeReply",
        "ReviewReply",
        "read_candidates",
        "read_directions",
        "read_reviews",
    ),
    "._templates": ("PLACEHOLDERS", "TEMPLATES", "check_templates", "packaged_templates"),
}

__all__ = [
    "PLACEHOLDERS",
    "TEMPLATES",
    "MarketFacts",
    "MemoryReply",
    "PlanReply",
    "Prompts",
    "ProposeReply",
    "ReviewReply",
    "check_templates",
    "make_brief",
    "packaged_templates",
    "read_candidates",
    "read_directions",
    "read_reviews",
]

__getattr__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:
    from assay.campaign.prompts._brief import MarketFacts, make_brief
    from assay.campaign.prompts._compose import Prompts
    from assay.campaign.prompts._replies import (
        MemoryReply,
        PlanReply,
        ProposeReply,
        ReviewReply,
        read_candidates,
        read_directions,
        read_reviews,
    )
    from assay.campaign.prompts._templates import (
        PLACEHOLDERS,
        TEMPLATES,
        check_templates,
        packaged_templates,
    )
