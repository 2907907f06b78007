"""The commands of the README's tour run, on a table such as a reader has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

PAGE = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMES = tuple(f"U{number:02d}" for number in range(40))
DAYS = 300


def _write_tables(folder: Path) -> None:
    """``prices.csv`` with columns as vendors call them, and ``scores.parquet`` of the same names and days."""
    rng = np.random.default_rng(4)
    days = np.busday_offset("2021-01-04", np.arange(DAYS), roll="forward")
    close = 40 * np.exp(np.cumsum(rng.normal(0.0003, 0.015, (DAYS, len(NAMES))), axis=0))
    opened = close * (1 + rng.normal(0, 0.003, close.shape))
    long = pl.DataFrame(
        {
            "Date": np.repeat(days, len(NAMES)),
            "Ticker": list(NAMES) * DAYS,
            "Open": opened.ravel(),
            "High": (np.maximum(opened, close) * 1.004).ravel(),
            "Low": (np.minimum(opened, close) * 0.996).ravel(),
            "Close": close.ravel(),
            "Vol": rng.integers(100_000, 900_000, close.size),
            "AdjFactor": np.ones(close.size),
        }
    )
    long.write_csv(folder / "prices.csv")
    scores = rng.normal(size=close.size)
    long.select("Date", "Ticker").with_columns(pl.Series("score", scores)).write_parquet(
        folder / "scores.parquet"
    )


def test_scores_are_taken_from_csv_too_long_or_wide(run: Callable[..., Any], tmp_path: Path) -> None:
    _write_tables(tmp_path)
    assert run("data", "import", "prices.csv", "--name", "mine", "--market", "US").code == 0
    long = pl.read_parquet(tmp_path / "scores.parquet").rename({"Date": "date", "Ticker": "symbol"})
    long.write_csv(tmp_path / "long.csv")
    long.pivot("symbol", index="date", values="score").write_csv(tmp_path / "wide.csv")
    asked = ("--data", "mine", "--json")
    told = [
        run("judge", "--values", name, *asked).data for name in ("scores.parquet", "long.csv", "wide.csv")
    ]
    (first, *others) = [found["verdicts"][0]["summary"] for found in told]
    assert isinstance(first["rank_ic"], float)
    assert [other["rank_ic"] for other in others] == [pytest.approx(first["rank_ic"])] * 2


SMALL = ("--instruments", "80", "--days", "400")


@pytest.mark.parametrize(
    "size", [pytest.param(SMALL, id="small"), pytest.param((), id="whole", marks=pytest.mark.slow)]
)
def test_the_commands_of_the_tour(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[str, ...]
) -> None:
    _write_tables(tmp_path)
    told: dict[str, str] = {}
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("pip ") or "pytest" in line or "assay demo" in line:
                continue
            words = shlex.split(line.replace("\\$", "$"))
            if words[0] == "cd":
                monkeypatch.chdir(words[1])
                continue
            assert words[0] == "assay", line
            done = run(*words[1:], *(size if words[1:3] == ["data", "simulate"] else ()))
            # the tour shows a misspelt field on purpose
            assert done.code == (2 if "clsoe" in line else 0), (line, done.out, done.err)
            told[line] = done.out + done.err
    assert len(told) >= 10
    (imported,) = [text for line, text in told.items() if line.startswith("assay data import")]
    assert "date=Date, symbol=Ticker" in imported
    assert "volume=Vol" in imported
    assert "factor=AdjFactor" in imported
    assert "serious" not in imported
    assert (tmp_path / "factor.html").stat().st_size > 1000
    assert (tmp_path / "factor.json").stat().st_size > 1000
    workspace = tmp_path / "my-research"
    assert (workspace / "assay.toml").is_file()
    assert (workspace / "report.html").stat().st_size > 1000
    assert (tmp_path / "assay-brain" / "runs" / "brain-1" / "report.html").stat().st_size > 1000
    assert "equal" in next(text for line, text in told.items() if line.startswith("assay agent replay"))
