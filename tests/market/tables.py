"""Long tables as text, for the importers."""

from __future__ import annotations

from pathlib import Path

HEADER = "date,symbol,open,high,low,close,volume,factor"
ROWS = (
    "2020-01-02,A,10,10.5,9.9,10,100,1",
    "2020-01-02,B,20,20.5,19.9,20,50,1",
    "2020-01-03,A,10,11.2,9.9,11,100,1",
    "2020-01-03,B,20,20.5,19.9,20.2,60,1",
    "2020-01-06,A,5.5,6.1,5.4,6,200,2",
    "2020-01-06,B,20,20.5,19.9,20.3,70,1",
)


def write(folder: Path, name: str, *lines: str, encoding: str = "utf-8") -> Path:
    """A text file of these lines."""
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return path


def bars(folder: Path, *changes: str, name: str = "bars.csv") -> Path:
    """The six sound rows, and what is added to them."""
    return write(folder, name, HEADER, *ROWS, *changes)
