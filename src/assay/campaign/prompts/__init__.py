"""What the models of a campaign are told, and the forms of what they reply."""

from assay.campaign.prompts._replies import (
    MemoryReply,
    PlanReply,
    ProposeReply,
    ReviewReply,
    read_candidates,
    read_directions,
    read_reviews,
)

__all__ = [
    "MemoryReply",
    "PlanReply",
    "ProposeReply",
    "ReviewReply",
    "read_candidates",
    "read_directions",
    "read_reviews",
]
