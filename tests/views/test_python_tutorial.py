"""The Python tutorial is run as it stands, and on the real US panel where that is at hand."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "python.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_runs_and_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "python_tutorial"}
    printed, compared = "", 0
    for language, body in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "text":
            assert printed.strip() == body.strip()
            compared += 1
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(body, str(PAGE), "exec"), space)
        printed = out.getvalue()
    assert compared == 9
    for name in ("groups.png", "ic.svg", "factor.html", "batch.html"):
        assert (tmp_path / name).stat().st_size > 1000


def test_the_us_example_on_the_real_panel(shared: Path, tmp_path: Path) -> None:
    import assay
    from assay.market import TableOptions

    source = shared / "data" / "market" / "us_sp500_top150_2012_2017.parquet"
    imported = assay.import_table(source, TableOptions(market="US", start="2015-01-01"), name="us")
    panel = assay.write_dataset(imported.data, tmp_path / "us")
    settings = assay.JudgeSettings(horizon=5, quantiles=5, robustness="quick", leak_checks="quick")
    verdict = assay.judge("-ts_return(close, 5)", panel, settings)[0]
    assert verdict.data.simulated is False
    assert verdict.data.market == "US"
    assert verdict.certificate["body"]["costs"] == {"buy_bp": 5.0, "sell_bp": 5.0}
    assert abs(verdict.summary["rank_ic"]) < 0.06
    assert verdict.summary["days"] > 600
