"""What sessions learned: ``add_knowledge``, ``search_knowledge``, and the lists of topics and tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field

from assay.brain.agent import KnowledgeEntry, knowledge_id
from assay.brain.tools._desk import BrainDesk
from assay.brain.tools._operators import NoArguments
from assay.brain.tools._reasons import NO_KNOWLEDGE_BASE
from assay.tools import Arguments, Context, Result, Tool

MOST_FOUND: Final = 20

Tag = Annotated[str, Field(min_length=1, max_length=40)]


class AddArguments(Arguments):
    topic: str = Field(description="What it is about, in a few words.", min_length=1, max_length=120)
    insight: str = Field(description="What was learned, with figures.", min_length=1, max_length=1000)
    source: str = Field("agent", description="Where it comes from.", min_length=1, max_length=120)
    tags: list[Tag] = Field(
        default_factory=list,
        description="Such as operator, universe, dataset, turnover, dead_end.",
        max_length=8,
    )


class SearchArguments(Arguments):
    keyword: str = Field("", description="A word of topic or insight; empty: all.", max_length=120)
    tags: list[Tag] | None = Field(None, description="Only entries with one of these.", max_length=8)


class KnowledgeRow(Result):
    id: str
    topic: str
    insight: str
    tags: list[str]
    source: str


class AddResult(Result):
    id: str
    kept: bool = Field(description="False where it is known already, or no more may be added now.")


class FoundResult(Result):
    total: int
    entries: list[KnowledgeRow] = Field(description=f"The first {MOST_FOUND}.")


class NamesResult(Result):
    names: list[str]


def knowledge_tools(desk: BrainDesk) -> Iterator[Tool]:
    """The four tools of the knowledge base."""

    def add_knowledge(arguments: AddArguments, context: Context) -> AddResult:
        entry = knowledge_entry(arguments.topic, arguments.insight, arguments.tags, arguments.source)
        return AddResult(id=entry.id, kept=desk.need_knowledge().add(entry))

    def search_knowledge(arguments: SearchArguments, context: Context) -> FoundResult:
        found = desk.need_knowledge().search(arguments.keyword, tuple(arguments.tags or ()))
        rows = [
            KnowledgeRow(
                id=item.id, topic=item.topic, insight=item.insight, tags=list(item.tags), source=item.source
            )
            for item in found[:MOST_FOUND]
        ]
        return FoundResult(total=len(found), entries=rows)

    def list_knowledge_topics(arguments: NoArguments, context: Context) -> NamesResult:
        return NamesResult(names=list(desk.need_knowledge().topics()))

    def list_knowledge_tags(arguments: NoArguments, context: Context) -> NamesResult:
        return NamesResult(names=list(desk.need_knowledge().tags()))

    yield Tool(
        "brain.add_knowledge",
        "Keeps something that later sessions should know; few entries are kept in a round.",
        AddArguments,
        AddResult,
        (NO_KNOWLEDGE_BASE,),
        add_knowledge,
    )
    yield Tool(
        "brain.search_knowledge",
        "Finds what earlier sessions learned.",
        SearchArguments,
        FoundResult,
        (NO_KNOWLEDGE_BASE,),
        search_knowledge,
    )
    yield Tool(
        "brain.list_knowledge_topics",
        "Lists the topics of the knowledge base.",
        NoArguments,
        NamesResult,
        (NO_KNOWLEDGE_BASE,),
        list_knowledge_topics,
    )
    yield Tool(
        "brain.list_knowledge_tags",
        "Lists the tags of the knowledge base.",
        NoArguments,
        NamesResult,
        (NO_KNOWLEDGE_BASE,),
        list_knowledge_tags,
    )


def knowledge_entry(topic: str, insight: str, tags: Sequence[str], source: str) -> KnowledgeEntry:
    """An entry under the id that the knowledge base gives it."""
    return KnowledgeEntry(knowledge_id(topic, insight), topic, insight, tuple(tags), source)
