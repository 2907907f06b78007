from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from assay.reports.documents import read_document

SENTENCES = st.lists(
    st.sampled_from(["过去20日收益率。", "短句。", "a" * 300, "\n\n", "长" * 200 + "。", "。"]), min_size=1
)


@given(SENTENCES.map(lambda parts: "".join(parts) * 8))
def test_chunks_cover_the_text_and_resolve(raw: str) -> None:
    document = read_document(("x" + raw).encode())
    chunks = document.chunks
    assert chunks[0].start == 0
    assert chunks[-1].end == len(document.text)
    for number, chunk in enumerate(chunks):
        assert 0 < chunk.end - chunk.start <= 1200
        assert re.fullmatch(r"p\d+-c\d{4}", chunk.chunk_id)
        assert chunk.chunk_id == f"p{chunk.page_start}-c{number:04d}"
        assert document.chunk(chunk.chunk_id) is chunk
        assert chunk.page_start == document.page_of[chunk.start]
        assert chunk.page_end == document.page_of[chunk.end - 1]
    for left, right in itertools.pairwise(chunks):
        assert left.start < right.start < left.end < right.end
        assert 50 <= left.end - right.start <= 300


def test_chunks_are_cut_at_sentence_ends() -> None:
    document = read_document(("过去20日的收益率先做行业中性处理。" * 400).encode())
    assert len(document.chunks) > 4
    for left, right in zip(document.chunks, document.chunks[1:], strict=False):
        assert document.text[left.end - 1] == "。"
        assert document.text[right.start - 1] == "。"
