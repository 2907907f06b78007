"""Keeps what is sent to a model within a size, without losing how the conversation began."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from assay.llm import Client, Message, Reply, ToolSpec

MOST_CHARACTERS: Final = 200_000
MOST_OF_ONE: Final = 50_000
_LEFT_OUT: Final = "[left out for want of room; call the tool again if it is needed]"


def bounded(
    messages: Sequence[Message], most: int = MOST_CHARACTERS, most_of_one: int = MOST_OF_ONE
) -> tuple[Message, ...]:
    """The conversation with long messages cut, and the oldest answers of tools left out until all has room.

    The opening system and user messages stay whole, and so does the order: each call keeps its answer.
    """
    opening = next((place for place, item in enumerate(messages) if item.role == "assistant"), len(messages))
    kept = [
        item if place < opening or len(item.content) <= most_of_one else _cut(item, most_of_one)
        for place, item in enumerate(messages)
    ]
    over = sum(len(item.content) for item in kept) - most
    for place in range(opening, len(kept) - 1):
        if over <= 0:
            break
        item = kept[place]
        if item.role != "assistant" and len(item.content) > len(_LEFT_OUT):
            over -= len(item.content) - len(_LEFT_OUT)
            kept[place] = replace(item, content=_LEFT_OUT)
    return tuple(kept)


def _cut(item: Message, most: int) -> Message:
    return replace(item, content=f"{item.content[:most]} [cut]")


@dataclass(frozen=True)
class BoundedClient:
    """A client whose conversations are kept within a size."""

    client: Client
    most: int = MOST_CHARACTERS

    def complete(
        self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...] = (), **parameters: Any
    ) -> Reply:
        """See :meth:`assay.llm.Client.complete`."""
        return self.client.complete(bounded(messages, self.most), tools, **parameters)
