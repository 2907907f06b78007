"""What stands behind the tools of the group ``brain``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from assay.base import did_you_mean
from assay.brain.tools._reasons import NO_KNOWLEDGE_BASE, NO_PLATFORM, UNKNOWN_DATA_SET
from assay.errors import Reason, Refusal

if TYPE_CHECKING:
    from assay.brain._platform import Platform
    from assay.brain._wire import DataFieldInfo, DataSetInfo
    from assay.brain.agent import KnowledgeEntry
    from assay.brain.tools._web import WebProvider

T = TypeVar("T")


class KnowledgeStore(Protocol):
    """What the tools want of a knowledge base."""

    def search(self, keyword: str = "", tags: Sequence[str] = ()) -> Sequence[KnowledgeEntry]:
        """The entries that hold the keyword and have one of the tags, the most relevant first."""
        ...

    def add(self, entry: KnowledgeEntry) -> bool:
        """Whether the entry was kept: not if it is known already, or no more may be added now."""
        ...

    def topics(self) -> Sequence[str]: ...

    def tags(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class BrainDesk:
    """The backends of the tools. What is absent is refused by name; without ``web`` there are no web tools.

    Parameters
    ----------
    platform : lists data, operators and settings.
    knowledge : what earlier sessions learned.
    web : reads pages of the hosts that are allowed.
    """

    platform: Platform | None = None
    knowledge: KnowledgeStore | None = None
    web: WebProvider | None = None

    def need_platform(self) -> Platform:
        """The platform; refuses ``no_platform``."""
        if self.platform is None:
            raise Refusal(NO_PLATFORM)
        return self.platform

    def need_knowledge(self) -> KnowledgeStore:
        """The knowledge base; refuses ``no_knowledge_base``."""
        if self.knowledge is None:
            raise Refusal(NO_KNOWLEDGE_BASE)
        return self.knowledge

    def data_set(self, data_set: str) -> DataSetInfo:
        """A data set by its id; refuses ``unknown_data_set``."""
        found = {info.id: info for info in self.need_platform().data_sets()}
        return picked(found, data_set, UNKNOWN_DATA_SET)

    def fields_of(self, data_set: str) -> tuple[DataFieldInfo, ...]:
        """The fields of a data set; refuses ``unknown_data_set``."""
        return self.need_platform().data_fields(self.data_set(data_set).id)


def picked(known: Mapping[str, T], name: str, reason: Reason) -> T:
    """The entry of that name, or a refusal that says which names are near."""
    if name in known:
        return known[name]
    near = did_you_mean(name, known)
    fix = f"did you mean {near[0]}?" if near else None
    raise Refusal(reason, fix=fix, details={"did_you_mean": list(near)})
