from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Refusal
from assay.reports.documents import chunk_of, read_document, read_pages, search

TEXT = "过去二十个交易日。\f2018年；120日；20 日；廿日。\f２０个 Trading Days，百分之五与5%。"


def found(query: str, text: str = TEXT) -> list[str]:
    document = read_document(text.encode())
    return [document.text[hit.start : hit.end] for hit in search(document, query, limit=20).hits]


@pytest.mark.parametrize("query", ["20", "二十", "廿", "２０"])
def test_a_number_is_found_in_any_script_and_only_whole(query: str) -> None:
    assert found(query) == ["二十", "20", "廿", "20"]


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("20日", ["20日", "廿日"]),
        ("二十个交易日", ["二十个交易日"]),
        ("20个交易日", ["二十个交易日"]),
        ("trading days", ["Trading Days"]),
        ("5%", ["百分之五", "5%"]),
        ("201", []),
        ("2018", ["2018"]),
        ("12", []),
        ("120日", ["120日"]),
        ("没有", []),
    ],
)
def test_queries(query: str, hits: list[str]) -> None:
    assert found(query) == hits


def test_hits_say_where_they_are() -> None:
    document = read_document(TEXT.encode())
    answer = search(document, "20", limit=2)
    assert (answer.query, answer.total, len(answer.hits)) == ("20", 4, 2)
    assert [hit.page for hit in answer.hits] == [1, 2]
    for hit in answer.hits:
        assert hit.chunk_ids == ("p1-c0000",)
        assert document.text[hit.start : hit.end] in hit.snippet


@pytest.mark.parametrize(
    ("query", "limit", "where"),
    [("", 5, "query"), (" \n", 5, "query"), ("x" * 201, 5, "query"), ("20", 0, "limit"), ("20", 21, "limit")],
)
def test_bad_queries(query: str, limit: int, where: str) -> None:
    with pytest.raises(Refusal) as caught:
        search(read_document(TEXT.encode()), query, limit)
    assert (caught.value.reason.code, caught.value.where) == ("document.bad_query", where)


@given(st.text(alphabet="过去二十日0123456789. %", min_size=1, max_size=6))
def test_search_never_fails_on_text(query: str) -> None:
    document = read_document(TEXT.encode())
    if query.strip():
        assert search(document, query).total >= 0


def test_pages() -> None:
    document = read_document(TEXT.encode())
    answer = read_pages(document, 2, 3)
    assert (answer.first, answer.last, answer.pages) == (2, 3, 3)
    assert [page.number for page in answer.read] == [2, 3]
    for page in answer.read:
        assert document.text[page.start : page.end].strip() == page.text
        assert page.chunk_ids == ("p1-c0000",)
    assert answer.read[0].text == "2018年；120日；20日；廿日。"


def test_pages_of_a_file_without_marks_can_be_read() -> None:
    document = read_document(("过去20日收益率。\n" * 500).encode())
    answer = read_pages(document, 1, 2)
    assert "过去20日收益率" in answer.read[0].text
    assert answer.read[0].chunk_ids[0] == "p1-c0000"


@pytest.mark.parametrize(("first", "last"), [(0, 1), (1, 4), (3, 2), (-1, 2), (4, 4)])
def test_bad_page_ranges(first: int, last: int) -> None:
    with pytest.raises(Refusal) as caught:
        read_pages(read_document(TEXT.encode()), first, last)
    assert caught.value.reason.code == "document.bad_page_range"
    assert caught.value.details == {"pages": 3}


def test_too_many_pages_at_a_time() -> None:
    document = read_document("\f".join(f"第{n}段。" for n in range(30)).encode())
    assert len(read_pages(document, 1, 10).read) == 10
    with pytest.raises(Refusal, match="at most 10"):
        read_pages(document, 1, 11)


def test_an_unknown_chunk() -> None:
    document = read_document(TEXT.encode())
    assert chunk_of(document, "p1-c0000") is document.chunks[0]
    with pytest.raises(Refusal) as caught:
        chunk_of(document, "p0-c0000")
    assert caught.value.reason.code == "document.unknown_chunk"
