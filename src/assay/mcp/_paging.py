from __future__ import annotations

import base64
import binascii
import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar

from assay.mcp._faults import BAD_CURSOR, protocol_fault

Item = TypeVar("Item")

PAGE = 50
_DIGEST = 8


def page_of(
    listed: str, items: Sequence[tuple[str, Item]], cursor: str | None, size: int
) -> tuple[list[Item], str | None]:
    """A page of ``items``, which are sorted by their keys, and the cursor of the next one.

    A cursor names the last key that was given, so a list that changes meanwhile doubles nothing and leaves
    out nothing that stayed. ``listed`` says which list it belongs to.

    Raises
    ------
    MCPError
        The cursor was not given out for this list.
    """
    start = 0 if cursor is None else bisect_right([key for key, _ in items], _read(listed, cursor))
    page = items[start : start + size]
    following = _cursor(listed, page[-1][0]) if start + size < len(items) else None
    return [item for _, item in page], following


def _cursor(listed: str, key: str) -> str:
    text = f"{listed}\n{key}"
    return base64.urlsafe_b64encode(f"{_digest(text)}{text}".encode()).decode()


def _read(listed: str, cursor: str) -> str:
    try:
        text = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        text = ""
    digest, rest = text[:_DIGEST], text[_DIGEST:]
    name, mark, key = rest.partition("\n")
    if not mark or name != listed or digest != _digest(rest):
        raise protocol_fault(BAD_CURSOR)
    return key


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]
