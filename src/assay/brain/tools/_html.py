"""From a page to its text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

_SILENT: Final = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe"})
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
_SPACES: Final = re.compile(r"[ \t\r\f\v\u00a0]+")
_GAPS: Final = re.compile(r"\s*\n\s*")
# what a reader cannot see must not reach a model either
_HIDDEN: Final = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def page_text(body: str, kind: str) -> tuple[str, str]:
    """Title and text of a page of the media type ``kind``, without scripts, styles and invisible marks."""
    if "html" not in kind:
        return "", _tidied(body)
    reader = _Reader()
    reader.feed(body)
    reader.close()
    return _tidied("".join(reader.title)), _tidied("".join(reader.parts))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._silent: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = True
        elif tag == "body":
            self._silent.clear()  # a head that is not closed ends here
        elif tag in _SILENT:
            self._silent.append(tag)
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in self._silent:
            while self._silent.pop() != tag:
                pass
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._silent:
            self.parts.append(data)


def _tidied(text: str) -> str:
    shown = _HIDDEN.sub("", text)
    return _GAPS.sub("\n", _SPACES.sub(" ", shown)).strip()
