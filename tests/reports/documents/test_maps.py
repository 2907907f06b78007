"""The one coordinate system: each character of the text is tied to the original, and quotes hold in both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay.reports
from assay.errors import Refusal
from assay.reports import Document
from assay.reports.documents import find_quote, read_document
from assay.reports.documents._characters import fold
from assay.reports.documents._normalise import _BLANKS

WORDS = st.sampled_from(
    [
        *("过去", "二十", "20", "个", "交易日", "日", "的", "收益率", "，", "。", "、"),
        *("（", "）", "２０", "％", "volatil-", "ity", "past", "days", "a", "|", "ﬁ"),
        *("\u200b", "**x**", "<!--h-->", "1.", "#", "-", " ", "\n", "\n\n", "\t", "　"),
    ]
)
BODIES = st.lists(WORDS, max_size=60).map("".join)
PAGES = st.lists(BODIES, min_size=1, max_size=5)


def with_furniture(pages: list[str]) -> str:
    return "\f".join(
        f"乌有证券 · 系列\n\n{page}\n\n- {number} -\n" for number, page in enumerate(pages, start=1)
    )


def read(pages: list[str], name: str) -> Document | None:
    try:
        return read_document(with_furniture(pages).encode(), name=name)
    except Refusal as refusal:
        if refusal.reason.code != "document.empty":
            raise
        return None


def left_out(document: Document, page: int) -> np.ndarray:
    out = np.zeros(len(document.pages[page - 1].text), dtype=bool)
    for part in document.dropped:
        if part.page == page:
            out[part.char_start : part.char_end] = True
    return out


def check_maps(document: Document) -> None:
    """Every character comes from its place in the original; between two places all is left out or blank."""
    last = (1, -1)
    outs = {page.number: left_out(document, page.number) for page in document.pages}
    for place, char in enumerate(document.text):
        page, offset = int(document.page_of[place]), int(document.offset_of[place])
        original = document.pages[page - 1].text
        if not char.isspace() and char != "|":
            assert fold(char) in fold(original[offset])
            assert not outs[page][offset]
        assert (page, offset) >= last
        for number in range(last[0], page + 1):
            start = last[1] + 1 if number == last[0] else 0
            end = offset if number == page else len(document.pages[number - 1].text)
            skipped = document.pages[number - 1].text[start:end]
            kept = [c for c, out in zip(skipped, outs[number][start:end], strict=True) if not out]
            assert "".join(kept).strip() == ""
        last = (page, offset)


@given(PAGES, st.sampled_from(["a.md", "a.txt"]))
def test_every_character_is_tied_to_the_original(pages: list[str], name: str) -> None:
    document = read(pages, name)
    if document is not None:
        assert len(document.text) == len(document.page_of) == len(document.offset_of)
        check_maps(document)


@given(PAGES, st.sampled_from(["a.md", "a.txt"]), st.data())
def test_a_span_and_its_original_are_the_same_text(pages: list[str], name: str, data: st.DataObject) -> None:
    document = read(pages, name)
    if document is None:
        return
    start = data.draw(st.integers(0, len(document.text) - 1))
    end = data.draw(st.integers(start + 1, len(document.text)))
    # a blank at an end has no character of its own where it joins two lines
    span = document.text[start:end].strip()
    if not span:
        return
    start += document.text[start:end].index(span)
    location = document.locate(start, start + len(span))
    kept = []
    for number in range(location.page_start, location.page_end + 1):
        page = document.pages[number - 1].text
        low = location.char_start if number == location.page_start else 0
        high = location.char_end if number == location.page_end else len(page)
        out = left_out(document, number)
        kept += [page[offset] for offset in range(low, high) if not out[offset]]
    # a bar is set for a tab; a span can begin or end inside the spelling of a ligature
    original, normalised = fold("".join(kept)).replace("|", ""), fold(span).replace("|", "")
    assert normalised in original
    assert len(original) - len(normalised) <= 2 * span.count("i") + 2 * span.count("f")


@given(PAGES, st.sampled_from(["a.md", "a.txt"]), st.data())
def test_a_faithful_quote_is_found(pages: list[str], name: str, data: st.DataObject) -> None:
    document = read(pages, name)
    if document is None:
        return
    start = data.draw(st.integers(0, len(document.text) - 1))
    end = data.draw(st.integers(start + 1, len(document.text)))
    quote = document.text[start:end]
    if quote.strip():
        found = [(place.start, place.end) for place in find_quote(document, quote)]
        lead, trail = len(quote) - len(quote.lstrip()), len(quote) - len(quote.rstrip())
        assert (start + lead, end - trail) in found
    original = document.original(start, end)
    place = document.locate(start, end)
    hidden = any(part.kind == "hidden" for part in document.dropped)
    if quote.strip() and original.strip() and place.page_start == place.page_end and not hidden:
        assert find_quote(document, original)


@given(PAGES, st.text(alphabet="过去二十日days 0123", min_size=1, max_size=8))
def test_what_is_found_says_the_same(pages: list[str], quote: str) -> None:
    document = read(pages, "a.txt")
    if document is None:
        return
    for place in find_quote(document, quote):
        assert fold(document.text[place.start : place.end]) == fold(quote)


def test_blanks_are_those_of_python() -> None:
    assert _BLANKS.tolist() == [code for code in range(0x110000) if chr(code).isspace()]


GOLD = sorted((Path(assay.reports.__file__).parent / "gold" / "reports").glob("*.*"))


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.name)
def test_maps_of_the_shipped_reports(path: Path) -> None:
    document = read_document(path)
    check_maps(document)
    for line in document.pages[0].text.split("\n"):
        hidden = any(part.kind == "furniture" for part in document.dropped)
        if line.strip() and not hidden:
            assert find_quote(document, line)


def test_a_quote_is_not_forgiven_anything_else() -> None:
    document = read_document("过去二十日的 RankIC 均值，Past 20 days。".encode())
    assert find_quote(document, "过去 二十日\n的RankIC")
    assert find_quote(document, "均值,Ｐast")
    for wrong in ("过去20日", "过去二十天", "rankic", "past 20 days", "过去二十日 RankIC", "", " "):
        assert find_quote(document, wrong) == ()


def test_a_quote_inside_a_chunk() -> None:
    document = read_document(("过去20日收益率。" * 300).encode())
    everywhere = find_quote(document, "过去20日收益率。")
    assert len(everywhere) == 300
    first = document.chunks[0]
    inside = find_quote(document, "过去20日收益率。", first.chunk_id)
    assert inside == tuple(place for place in everywhere if place.end <= first.end)
    assert 0 < len(inside) < 300
    assert find_quote(document, "过去20日收益率。", "p9-c9999") == ()


def test_locations_count_as_a_person_does() -> None:
    document = read_document("第一页。\f  过去\n20日收益率。".encode())
    (place,) = find_quote(document, "20日")
    location = document.locate(place.start, place.end)
    assert (location.page_start, location.char_start, location.page_end, location.char_end) == (2, 5, 2, 8)
    assert document.original(place.start, place.end) == "20日"
