"""Sets that are typed in, from the tables in ``_data``: tab-separated, one factor a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from assay.library._factor import Factor, Gap

_PAPER_101 = "Kakushadze (2016), 101 Formulaic Alphas, Wilmott 84, arXiv:1601.00991, no. {}"
_REPORT_191 = (
    "Guotai Junan Securities (2017), Multi-Factor Stock Selection Based on Short-Period "
    "Price-Volume Features, no. {}"
)
_PART = re.compile(r"@[A-Z0-9]+")


def alpha101() -> tuple[Factor, ...]:
    """The 101 alphas in ``core`` notation.

    As the paper's glossary says, windows are floored to whole days and ``adv{d}`` is the mean traded value.
    """
    return tuple(
        Factor(
            id=f"alpha101-{int(row['number']):03d}",
            set="alpha101",
            name=row["name"],
            text=row["formula"],
            dialect="core",
            citation=_PAPER_101.format(row["number"]),
            notes=row["note"],
        )
        for row in _rows("alpha101.tsv")
    )


def alpha191() -> tuple[Factor, ...]:
    """190 of the 191 alphas, in ``core`` notation; :func:`alpha191_gaps` has the one left out."""
    rows = _rows("alpha191.tsv")
    parts = {row["number"]: row["formula"] for row in rows if row["number"].startswith("@")}
    return tuple(
        Factor(
            id=f"alpha191-{int(row['number']):03d}",
            set="alpha191",
            name=f"short-period alpha {row['number']}",
            text=_written_out(row["formula"], parts),
            dialect="core",
            citation=_REPORT_191.format(row["number"]),
            notes=row["note"],
        )
        for row in rows
        if not row["number"].startswith("@")
    )


def alpha191_gaps() -> tuple[Gap, ...]:
    """The formulas of the report that cannot be stated."""
    return (
        Gap(
            "alpha191-030",
            _REPORT_191.format(30),
            "WMA((REGRESI(CLOSE/DELAY(CLOSE)-1,MKT,SMB,HML,60))^2,20)",
            "regresses on three factor-return series at once, which neither a panel nor the language holds",
        ),
    )


def classics() -> tuple[Factor, ...]:
    """Textbook factors, signed so that most studies expect high values to do better."""
    return tuple(
        Factor(
            id=f"classic-{row['id']}",
            set="classics",
            name=row["name"],
            text=row["formula"],
            dialect="core",
            citation=row["source"],
        )
        for row in _rows("classics.tsv")
    )


def _rows(name: str) -> list[dict[str, str]]:
    lines = files("assay.library").joinpath("_data", name).read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    empty = dict.fromkeys(columns, "")
    return [{**empty, **dict(zip(columns, line.split("\t"), strict=False))} for line in lines[1:]]


def _written_out(text: str, parts: Mapping[str, str]) -> str:
    """``text`` with each named part (``@TR``) replaced by its formula, which may name parts itself."""
    while _PART.search(text):
        text = _PART.sub(lambda match: f"({parts[match.group()]})", text)
    return text
