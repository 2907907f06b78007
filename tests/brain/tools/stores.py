"""A knowledge base in memory."""

from __future__ import annotations

from collections.abc import Sequence

from assay.brain.agent._types import KnowledgeEntry


class Memory:
    def __init__(self, most: int = 2) -> None:
        self.kept: dict[str, KnowledgeEntry] = {}
        self._most = most

    def search(self, keyword: str = "", tags: Sequence[str] = ()) -> Sequence[KnowledgeEntry]:
        found = (item for item in self.kept.values() if keyword in f"{item.topic} {item.insight}")
        return [item for item in found if not tags or set(tags) & set(item.tags)]

    def add(self, entry: KnowledgeEntry) -> bool:
        if entry.id in self.kept or len(self.kept) >= self._most:
            return False
        self.kept[entry.id] = entry
        return True

    def topics(self) -> Sequence[str]:
        return sorted({item.topic for item in self.kept.values()})

    def tags(self) -> Sequence[str]:
        return sorted({tag for item in self.kept.values() for tag in item.tags})
