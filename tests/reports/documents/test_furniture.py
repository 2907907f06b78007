from __future__ import annotations

import pytest

from assay.reports.documents import read_document
from assay.reports.documents._furniture import furniture_spans

BODY = ["动量一节。", "反转一节。", "波动一节。", "换手一节。", "结论一节。"]


def text_of(*pages: str) -> str:
    return read_document("\f".join(pages).encode(), name="a.txt").text


@pytest.mark.parametrize(
    "footer",
    [
        "- {n} -",
        "{n}",
        "{n} / 5",
        "第{n}页",
        "第 {n} 页 共 5 页",
        "Page {n} of 5",
        "p. {n}",
        "第{c}页",
        "请阅读免责声明 {n}",
    ],
)
def test_page_numbers(footer: str) -> None:
    pages = [f"{body}\n{footer.format(n=n, c='一二三四五'[n - 1])}" for n, body in enumerate(BODY, start=1)]
    assert text_of(*pages) == "\n".join(BODY)


def test_headers_and_footers_with_dates() -> None:
    pages = [
        f"乌有证券 · 系列\n2024-01-05\n\n{body}\n\n请务必阅读正文之后的免责声明\n{n + 10}"
        for n, body in enumerate(BODY)
    ]
    document = read_document("\f".join(pages).encode())
    assert document.text == "\n".join(BODY)
    assert document.flags == ("furniture_removed",)
    assert "乌有证券" in document.pages[2].text
    assert {part.kind for part in document.dropped} == {"furniture"}


def test_a_header_that_changes_sides() -> None:
    pages = [f"{'乌有证券' if n % 2 else '因子手册'}\n\n{body}" for n, body in enumerate(BODY + BODY)]
    assert text_of(*pages) == "\n".join(BODY + BODY)


def test_a_header_from_the_second_page_on() -> None:
    pages = ["首页标题", *(f"乌有证券\n\n{body}" for body in BODY)]
    assert text_of(*pages) == "\n".join(["首页标题", *BODY])


def test_both_pages_of_two() -> None:
    assert text_of("乌有证券\n\n动量。", "乌有证券\n\n反转。") == "动量。\n反转。"


@pytest.mark.parametrize("numbers", [(5, 20, 60, 120, 250), (20, 20, 60, 60, 60)])
def test_lines_that_differ_by_their_numbers_are_text(numbers: tuple[int, ...]) -> None:
    pages = [f"窗口为{number}日的结果。\n{body}" for number, body in zip(numbers, BODY, strict=True)]
    if len(set(numbers)) == len(numbers):
        assert "窗口为20日的结果。" in text_of(*pages)
    else:
        # the same line on three of five pages is furniture, the other two are not
        assert text_of(*pages).count("窗口为20日") == 2


def test_a_lone_number_that_does_not_move_with_the_page_is_text() -> None:
    pages = [f"{body}\n20" for body in BODY]
    assert text_of(*pages).count("20") == 5


def test_rows_of_tables_are_text() -> None:
    pages = [f"| 窗口 | IC |\n{body}" for body in BODY]
    assert text_of(*pages).count("| 窗口 | IC |") == 5


def test_what_repeats_inside_the_page_is_text() -> None:
    pages = [f"{body}\n{body}\n过去20日。\n{body}\n{body}" for body in BODY]
    assert text_of(*pages).count("过去20日。") == 5


def test_equal_pages_are_text() -> None:
    assert furniture_spans(["the 20-day return"] * 5) == [[]] * 5
    repeated = "\n".join(["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"])
    assert furniture_spans([f"{repeated}\n{number}" for number in "ABCDE"]) == [[]] * 5


def test_one_page_has_no_furniture() -> None:
    assert text_of("乌有证券\n\n动量。\n1") == "乌有证券\n动量。\n1"
