"""From a page to its text, in time that grows with its length, whatever it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

_SILENT: Final = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "title"})
_BREAKS: Final = frozenset(
    {
        "p",
        "div",
        "br",
        "li",
        "tr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "section",
        "article",
        "pre",
        "dd",
        "dt",
    }
)
_TAG: Final = re.compile(r"</?([a-z][a-z0-9]*)")
_TITLE: Final = re.compile(r"<title[^<>]*>([^<]*)")
_LOWER: Final = {ord(letter): ord(letter) + 32 for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
# what a reader cannot see must not reach a model either
_HIDDEN: Final = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def page_text(body: str, kind: str) -> tuple[str, str]:
    """Title and text of a page of the media type ``kind``, without scripts, styles and invisible marks.

    Why not :mod:`html.parser`: a page of opened comments takes it minutes.
    """
    if "html" not in kind:
        return "", _tidied(body)
    lower = body.translate(_LOWER)  # of the same length, unlike lower()
    found = _TITLE.search(lower)
    title = "" if found is None else body[found.start(1) : found.end(1)]
    return _tidied(unescape(title)), _tidied(unescape("".join(_pieces(body, lower))))


def _pieces(body: str, lower: str) -> Iterator[str]:
    """The text between tags, with a line end for each tag that begins a line; what is left open ends it."""
    place = 0
    while (start := body.find("<", place)) >= 0:
        yield body[place:start]
        tag = _TAG.match(lower, start)
        if tag is None and body[start + 1 : start + 2] not in ("!", "?", "/"):
            yield "<"
            place = start + 1
            continue
        comment = body.startswith("<!--", start)
        end = body.find("-->" if comment else ">", start)
        if end < 0:
            return
        place = end + (3 if comment else 1)
        if tag is None:
            continue
        name = tag[1]
        if name in _SILENT and tag[0][1] != "/" and body[end - 1] != "/":
            place = lower.find(f"</{name}", end)
            if place < 0:
                return
        elif name in _BREAKS:
            yield "\n"
    yield body[place:]


def _tidied(text: str) -> str:
    lines = (" ".join(line.split()) for line in _HIDDEN.sub("", text).split("\n"))
    return "\n".join(line for line in lines if line)
