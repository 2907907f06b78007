"""What goes over the wire: tool names and text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import AssayError

# what every service takes as the name of a function
_WIRE_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def wire_name(tool_id: str) -> str:
    """A canonical tool id as services accept it: ``panel.field`` is sent as ``panel__field``.

    Raises
    ------
    AssayError
        The id cannot be sent so that it reads back: it holds ``__`` or other characters, or is too long.
    """
    name = tool_id.replace(".", "__")
    if "__" in tool_id or not _WIRE_NAME.fullmatch(name):
        raise AssayError(
            f"the tool id {tool_id!r} cannot be sent to a model",
            where="tools",
            fix="use letters, digits, single '_', '-' and '.', at most 64 characters with each '.' as two",
        )
    return name


def tool_ids(ids: Iterable[str]) -> dict[str, str]:
    """Canonical ids by the names that they are sent under."""
    return {wire_name(tool_id): tool_id for tool_id in ids}


def past_name(name: str) -> str:
    """The name of a past call in a form that services take back, also if the model invented the tool."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name.replace(".", "__"))[:64] or "_"


def canonical_name(name: str, known: Mapping[str, str]) -> str:
    """The tool that a model means by ``name``; a name that was never offered comes back as it is."""
    return known.get(name, name)


def sendable(value: Any) -> Any:
    """JSON data in which each lone surrogate, which has no UTF-8, is the replacement character U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("�", joined(value)) if _SURROGATE.search(value) else value
    if isinstance(value, Mapping):
        return {sendable(key): sendable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    return value


def joined(text: str) -> str:
    r"""``text`` with surrogate pairs as the characters that they stand for; lone ones stay.

    A stream cut inside an emoji gives its two halves; joined they hash and print like the whole.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
