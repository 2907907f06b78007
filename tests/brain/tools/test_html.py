"""From a page to its text."""

from __future__ import annotations

import pytest

from assay.brain.tools._html import page_text


@pytest.mark.parametrize(
    ("body", "title", "text"),
    [
        ("<html><head><TITLE>A &amp; b</TITLE></head><body>c</body>", "A & b", "c"),
        ("<p>one<p>two<br>three", "", "one\ntwo\nthree"),
        ("a <b>bold</b> word", "", "a bold word"),
        ("1 < 2 and 3 > 2", "", "1 < 2 and 3 > 2"),
        ("a<!-- hidden --> b", "", "a b"),
        ("a<script>if (1 < 2) {}</script>b", "", "ab"),
        ("a<SCRIPT>x</Script >b", "", "ab"),
        ("a<style>p {}</style>b<svg/>c", "", "abc"),
        ("a<script>never closed", "", "a"),
        ("a<!-- never closed", "", "a"),
        ("a<b never closed", "", "a"),
        ("<!DOCTYPE html><?xml version='1'?>x", "", "x"),
        ("İ<script>x</script>y", "", "İy"),
        ("&lt;script&gt; &#x4e2d;", "", "<script> 中"),
        ("in\u200bvis\u202eible\ufeff", "", "invisible"),
        ("", "", ""),
    ],
)
def test_text_of_a_page(body: str, title: str, text: str) -> None:
    assert page_text(body, "text/html") == (title, text)


def test_what_is_no_markup_is_taken_as_it_is() -> None:
    assert page_text("a <b>\n\n  c", "text/plain") == ("", "a <b>\nc")


@pytest.mark.parametrize(
    "piece",
    ["<", "<!--", "<a ", "&", "</", "<?", "<script>", "<script></scrip", "<div>", "\u2003", "<title>"],
)
def test_hostile_pages_are_read_to_their_end(piece: str) -> None:
    page_text(piece * (2_000_000 // len(piece)), "text/html")
