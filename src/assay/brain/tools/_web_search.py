"""Searches that hosts offer without a key: MediaWiki and arXiv."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from html import unescape
from typing import Final, TypeAlias
from urllib.parse import quote, quote_plus
from xml.etree import ElementTree

from assay.brain.tools._reasons import NO_SEARCH, UNREADABLE_PAGE
from assay.brain.tools._text import shortened
from assay.brain.tools._web import WebHit
from assay.errors import Refusal

Get: TypeAlias = Callable[[str], tuple[str, str, str]]

_TAG: Final = re.compile(r"<[^>]*>")
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_SNIPPET: Final = 400


def find(hosts: Sequence[str], scheme: str, get: Get, query: str, most: int) -> tuple[WebHit, ...]:
    """Ask the first host whose search is known.

    Raises
    ------
    Refusal
        ``no_search``; ``unreadable_page`` where its answer is not what it should be.
    """
    for host in hosts:
        if _is_of(host, "arxiv.org"):
            return _arxiv(f"{scheme}://{host}", get, query, most)
        if _is_of(host, "wikipedia.org"):
            return mediawiki(f"{scheme}://{host}", get, query, most)
    raise Refusal(NO_SEARCH)


def _is_of(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")


def mediawiki(base: str, get: Get, query: str, most: int) -> tuple[WebHit, ...]:
    """Search a MediaWiki site."""
    asked = (
        f"{base}/w/api.php?action=query&list=search&format=json&srlimit={most}&srsearch={quote_plus(query)}"
    )
    _, _, body = get(asked)
    try:
        rows = json.loads(body)["query"]["search"]
        return tuple(
            WebHit(
                f"{base}/wiki/{quote(str(row['title']).replace(' ', '_'))}",
                shortened(str(row["title"]), _SNIPPET),
                shortened(unescape(_TAG.sub("", str(row.get("snippet", "")))), _SNIPPET),
            )
            for row in rows[:most]
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Refusal(UNREADABLE_PAGE, "the search answered in a form that is not known") from error


def _arxiv(base: str, get: Get, query: str, most: int) -> tuple[WebHit, ...]:
    _, _, body = get(f"{base}/api/query?max_results={most}&search_query=all:{quote_plus(query)}")
    if "<!DOCTYPE" in body or "<!ENTITY" in body:  # entities may grow without end
        raise Refusal(UNREADABLE_PAGE, "the search answered in a form that is not known")
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - without a DTD nothing can grow
        entries = root.findall(f"{_ATOM}entry")
    except ElementTree.ParseError as error:
        raise Refusal(UNREADABLE_PAGE, "the search answered in a form that is not known") from error
    return tuple(
        WebHit(
            (item.findtext(f"{_ATOM}id") or "").replace("http://", "https://"),
            shortened(item.findtext(f"{_ATOM}title") or "", _SNIPPET),
            shortened(item.findtext(f"{_ATOM}summary") or "", _SNIPPET),
        )
        for item in entries[:most]
    )
