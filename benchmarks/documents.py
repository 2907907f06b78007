"""How long a report takes from the bytes of its PDF to chunks, numerals and maps.

    python benchmarks/documents.py                   15 rounds
    python benchmarks/documents.py --rounds 31

Prints Markdown: medians of wall and CPU time in one process that is already running. The process that reads
the PDF is started anew in each round, and its start is part of the time. The PDF is made here: 30 pages of
Chinese text with running header, page number and a table, its font inside.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from assay.reports.documents import Limits, find_quote, read_document, search
from assay.reports.documents._pdf import pdf_pages

PAGES = 30
LINES = 40
LIMIT_S = 1.0
BODY = (
    "我们以过去二十个交易日的累计涨跌幅刻画短期反转，取值越高，随后一个月的平均收益越低，",
    "该结论在沪深300与中证500成分股内都成立，因子先做行业中性处理，再按周调仓，多空组合的",
    "年化收益在2013年至2023年间各年份都为正，RankIC均值为0.045，十组的单调性良好，具体参数",
    "见下表。窗口改为一百二十日时换手率下降约三分之一，收益也随之下降，因此以下都用基准参数。",
)
TABLE = (("平均长度", "RankIC", "ICIR"), ("20", "0.038", "2.3"), ("60", "0.044", "2.9"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    data = report()
    document = read_document(data)
    text = "\f".join(page.text for page in document.pages).encode()
    cases: list[tuple[str, Callable[[], object], float | None]] = [
        (f"{PAGES} pages of PDF to chunks", lambda: read_document(data), LIMIT_S),
        ("of that, the process that reads the PDF", lambda: pdf_pages(data, Limits(), "report"), None),
        ("the same pages as text to chunks", lambda: read_document(text), None),
        ("one search for 20", lambda: search(document, "20"), None),
        ("one quote", lambda: find_quote(document, BODY[1]), None),
    ]
    wall: dict[str, list[float]] = {title: [] for title, _, _ in cases}
    cpu: dict[str, list[float]] = {title: [] for title, _, _ in cases}
    for _ in range(rounds):
        for title, work, _ in cases:
            start, start_cpu = time.perf_counter(), cpu_seconds()
            work()
            wall[title].append(time.perf_counter() - start)
            cpu[title].append(cpu_seconds() - start_cpu)
    print(
        f"{len(document.pages)} pages, {len(document.text):,} characters, {len(document.chunks)} chunks, ",
        end="",
    )
    print(f"{len(document.numerals):,} numerals, {len(data):,} bytes; {machine()}. ", end="")
    print(f"Medians of {rounds} rounds.\n")
    print("| reading a report | wall ms | CPU ms | limit |\n|---|---:|---:|---:|")
    for title, _, limit in cases:
        allowed = f"{1000 * limit:,.0f}" if limit else ""
        shown = [f"{1000 * statistics.median(times[title]):,.1f}" for times in (wall, cpu)]
        print(f"| {title} | {shown[0]} | {shown[1]} | {allowed} |")


def cpu_seconds() -> float:
    """Processor time of this process and of those it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def report() -> bytes:
    """The PDF that is read."""
    pdfs = writer()

    def draw(canvas: object, number: int) -> None:
        canvas.drawString(60, 810, "乌有证券 · 多因子系列（十二）")  # type: ignore[attr-defined]
        pdfs.lines(*(f"{BODY[row % 4]}" for row in range(LINES)), left=40)(canvas, number)
        for row, cells in enumerate(TABLE):
            for column, cell in enumerate(cells):
                canvas.drawString(60 + 120 * column, 120 - 16 * row, cell)  # type: ignore[attr-defined]
        canvas.drawCentredString(300, 30, f"- {number} -")  # type: ignore[attr-defined]

    made: bytes = pdfs.pdf(draw, pages=PAGES)
    return made


def writer() -> ModuleType:
    """The maker of PDFs of the tests."""
    path = Path(__file__).parents[1] / "tests" / "reports" / "documents" / "pdfs.py"
    spec = importlib.util.spec_from_file_location("assay_test_pdfs", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} is missing: run this from a checkout")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("pypdfium2", "numpy"))
    return f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {packages}"


if __name__ == "__main__":
    main()
