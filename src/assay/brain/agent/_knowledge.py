"""What sessions learned, kept in one file of the workspace."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.base import DAMAGED_STATE, atomic_write_json, folder_lock
from assay.brain._codec import as_json, from_json
from assay.brain.agent._reasons import KNOWLEDGE_BUSY
from assay.brain.agent._types import KnowledgeEntry
from assay.errors import Refusal

TAGS: Final = (
    "signal_direction", "operator", "normalization", "neutralization", "universe", "dataset", "field_choice",
    "construction", "combination", "turnover", "parameter_tuning", "dead_end", "technical",
    "successful_factor",
)  # fmt: skip
"""The words that an entry is filed under; others are dropped."""

_WAIT: Final = 10.0
_VERSION: Final = 1
_WORDS: Final = re.compile(r"[a-z0-9_]+")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]+")


def knowledge_id(topic: str, insight: str) -> str:
    """The id of an entry: equal for texts that differ in case and white space alone."""
    text = "\n".join(" ".join(part.split()).casefold() for part in (topic, insight))
    return "k" + hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def tokens(text: str) -> frozenset[str]:
    """Words of a text, and the pairs of characters of what is Chinese in it."""
    lower = text.casefold()
    found = set(_WORDS.findall(lower))
    for part in _CHINESE.findall(lower):
        found |= {part[at : at + 2] for at in range(max(1, len(part) - 1))}
    return frozenset(found)


def relevance(entry: KnowledgeEntry, wanted: frozenset[str]) -> float:
    """Share of the wanted tokens that an entry has; a token of its topic or tags counts twice."""
    if not wanted:
        return 0.0
    head = tokens(f"{entry.topic} {' '.join(entry.tags)}")
    body = tokens(entry.insight)
    return sum(2 * (token in head) + (token in body) for token in wanted) / (3 * len(wanted))


class KnowledgeBase:
    """The file ``knowledge_base.json``: written whole, under a lock, each entry once.

    Raises
    ------
    Refusal
        ``damaged_state`` where the file cannot be read; it is left as it is. ``knowledge_busy``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> tuple[KnowledgeEntry, ...]:
        """All entries in the order in which they were added."""
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if data["version"] != _VERSION:
                raise ValueError(f"version {data['version']!r}")
            return tuple(from_json(KnowledgeEntry, item) for item in data["entries"])
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise Refusal(
                DAMAGED_STATE,
                f"{self.path.name} cannot be read",
                where=str(self.path),
                fix="mend it, or move it away to begin anew; nothing was changed",
            ) from error

    def add(self, entries: Iterable[KnowledgeEntry]) -> tuple[KnowledgeEntry, ...]:
        """Add what is not known yet; gives what was added."""
        wanted = [_filed(entry) for entry in entries]
        if not wanted:
            return ()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.path.parent, _WAIT, KNOWLEDGE_BUSY):
            known = self.entries()
            ids = {entry.id for entry in known}
            new = [entry for entry in {item.id: item for item in wanted}.values() if entry.id not in ids]
            if new:
                listed = [as_json(KnowledgeEntry, entry) for entry in (*known, *new)]
                atomic_write_json(self.path, {"version": _VERSION, "entries": listed})
        return tuple(new)

    def search(
        self, keyword: str = "", tags: Sequence[str] = (), limit: int | None = None
    ) -> tuple[KnowledgeEntry, ...]:
        """Entries with one of the tags (none given: all), the most relevant to the keyword first."""
        return ranked(self.entries(), keyword, tags, limit)

    def topics(self) -> tuple[str, ...]:
        """Topics, each once, sorted."""
        return tuple(sorted({entry.topic for entry in self.entries()}))

    def tags(self) -> tuple[str, ...]:
        """Tags in use, sorted."""
        return tuple(sorted({tag for entry in self.entries() for tag in entry.tags}))


def ranked(
    entries: Iterable[KnowledgeEntry], keyword: str = "", tags: Sequence[str] = (), limit: int | None = None
) -> tuple[KnowledgeEntry, ...]:
    """Entries by their relevance, the earlier of equals first; without a keyword in their order."""
    found = [entry for entry in entries if not tags or set(tags) & set(entry.tags)]
    wanted = tokens(keyword)
    if wanted:
        scored = [(relevance(entry, wanted), entry) for entry in found]
        found = [entry for score, entry in sorted(scored, key=lambda item: -item[0]) if score > 0]
    return tuple(found[:limit])


def _filed(entry: KnowledgeEntry) -> KnowledgeEntry:
    tags = tuple(tag for tag in TAGS if tag in entry.tags)
    topic, insight = " ".join(entry.topic.split()), " ".join(entry.insight.split())
    return replace(entry, id=knowledge_id(topic, insight), topic=topic, insight=insight, tags=tags)


class SessionKnowledge:
    """The knowledge base as one session uses it: few entries a round, few in all.

    What is added waits until the engine has recorded it (:meth:`take`), and is then written
    (:meth:`commit`). The tools ``add_knowledge`` and ``search_knowledge`` work on this.
    """

    def __init__(self, base: KnowledgeBase, per_round: int, per_session: int) -> None:
        self.base = base
        self._per_round, self._per_session = per_round, per_session
        self._kept: dict[str, KnowledgeEntry] = {}
        self._pending: dict[str, KnowledgeEntry] = {}

    def restore(self, entries: Iterable[KnowledgeEntry]) -> None:
        """Entries that the session has added before; with it the round begins anew."""
        self._kept = {entry.id: entry for entry in entries}
        self._pending = {}

    def add(self, entry: KnowledgeEntry) -> bool:
        """Whether the entry is kept: not if it is known, or no more may be added now."""
        filed = _filed(entry)
        if not filed.topic or not filed.insight:
            return False
        full = len(self._pending) >= self._per_round
        full |= len(self._kept) + len(self._pending) >= self._per_session
        known = filed.id in self._kept or filed.id in self._pending
        if full or known or any(filed.id == old.id for old in self.base.entries()):
            return False
        self._pending[filed.id] = filed
        return True

    def take(self, more: Iterable[KnowledgeEntry] = ()) -> tuple[KnowledgeEntry, ...]:
        """The entries of this round, with ``more`` as far as the limits allow."""
        for entry in more:
            self.add(entry)
        return tuple(self._pending.values())

    def commit(self, entries: Iterable[KnowledgeEntry]) -> None:
        """Write entries that are recorded; those that the file has are passed over."""
        self.base.add(entries)
        self.restore((*self._kept.values(), *entries))

    def search(self, keyword: str = "", tags: Sequence[str] = ()) -> tuple[KnowledgeEntry, ...]:
        """See :meth:`KnowledgeBase.search`; what this session added is among it."""
        own = {entry.id: entry for entry in (*self.base.entries(), *self._kept.values())}
        return ranked(own.values(), keyword, tags)

    def topics(self) -> tuple[str, ...]:
        """See :meth:`KnowledgeBase.topics`."""
        return self.base.topics()

    def tags(self) -> tuple[str, ...]:
        """The tags that an entry may have."""
        return TAGS
