"""The forms of what a model replies in each phase."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Short = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=2000)]
Needed = Annotated[str, Field(min_length=1, max_length=2000)]
Formula = Annotated[str, Field(min_length=1, max_length=4096)]


class Reply(BaseModel):
    """Base of all of them: keys that nobody asked for are left aside."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)


class Idea(Reply):
    """An idea that is worth a session."""

    hypothesis: Needed
    source: Text = Field("", description="data sets and knowledge that it comes from")
    expression: Annotated[str, Field(max_length=4096)] = ""
    family: Short = ""
    confidence: float = Field(0.5, ge=0, le=1)
    rationale: Text = ""


class DiscoveryReply(Reply):
    """The answer of the discovery phase."""

    type: Literal["discovery_complete", "discovery_failed"] = "discovery_complete"
    ideas: list[Idea] = Field(min_length=1, max_length=20)


class ResearchReply(Reply):
    """The answer of the research phase."""

    type: Literal["research"] = "research"
    summary: Needed
    hypotheses: list[Needed] = Field(min_length=1, max_length=20)
    fields: list[Short] = Field(default_factory=list, max_length=100, description="ids of fields")


class Expression(Reply):
    """An expression to simulate."""

    expression: Formula
    settings: dict[str, Any] = Field(
        default_factory=dict, description="only those that differ from the session's", max_length=20
    )
    rationale: Text = ""


class DirectionItem(Reply):
    """A direction to open."""

    hypothesis: Needed
    target_check: Short = Field("", description="the check that it is to pass")
    approach: Text = ""
    expressions: list[Expression] = Field(min_length=1, max_length=20)


class CreativeReply(Reply):
    """The answer of the creative phase."""

    type: Literal["submit"] = "submit"
    reasoning: Text = ""
    directions: list[DirectionItem] = Field(min_length=1, max_length=20)


class ImprovementItem(Expression):
    """An expression that improves a direction."""

    direction_id: Short = Field(description="id of a direction, such as d1")
    replace_job_id: Short | None = Field(None, description="job that it improves, such as j0003")


class KnowledgeItem(Reply):
    """Something that later sessions should know."""

    topic: Annotated[str, Field(min_length=1, max_length=120)]
    insight: Annotated[str, Field(min_length=1, max_length=1000)]
    tags: list[Short] = Field(default_factory=list, max_length=8)


class ImprovementReply(Reply):
    """The answer of the improvement phase."""

    type: Literal["analyze", "done"] = "analyze"
    reasoning: Text = ""
    converged: bool = Field(False, description="whether the best alpha is good enough")
    improvements: list[ImprovementItem] = Field(default_factory=list, max_length=40)
    abandoned_directions: list[Short] = Field(default_factory=list, max_length=40)
    knowledge: list[KnowledgeItem] = Field(default_factory=list, max_length=10)
