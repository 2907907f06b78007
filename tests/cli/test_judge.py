from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli._judge_request import JudgeRequest, judge_settings

Run = Callable[..., Any]
FORMULA = "-ts_return(close, 5)"
FAST = (
    "--set",
    "bootstrap=0",
    "--set",
    "robustness=quick",
    "--set",
    "leak_checks=quick",
    "--set",
    "quantiles=5",
)


def test_one_formula_is_a_table_with_units_and_the_data(run: Run, market: Path) -> None:
    done = run("judge", FORMULA, "--data", str(market), "--horizon", "3", *FAST)
    assert done.code == 0, done.err
    assert "small (SIMULATED data), all instruments" in done.out
    assert "signal from rows <= t-1, traded at the close of t+1, 3-bar label" in done.out
    assert "unrecorded, N unknown" in done.out
    assert " bp" in done.out
    assert "leak checks: prefix passed" in done.out


def test_json_page_and_certificate(run: Run, market: Path, tmp_path: Path) -> None:
    done = run(
        "judge",
        FORMULA,
        "--data",
        str(market),
        "--json",
        "--html",
        "a.html",
        "--certificate",
        "a.json",
        *FAST,
    )
    assert done.code == 0, done.err
    verdict = done.data["verdicts"][0]
    assert verdict["settings"]["horizon"] == 5
    assert verdict["data"]["simulated"] is True
    certificate = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert certificate == verdict["certificate"]
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Simulated data." in page
    assert certificate["content_hash"] in page


def test_several_formulas_are_ranked(run: Run, market: Path, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("rank(volume)\n# nothing\nts_std(returns, 10)\n", encoding="utf-8")
    done = run(
        "judge", FORMULA, "--file", "more.txt", "--data", str(market), "--html", "all.html",
        "--certificate", "all.json", *FAST,
    )  # fmt: skip
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert "small (SIMULATED data), all instruments" in lines[0]
    assert "costs 5 bp buying, 15 bp selling; unrecorded, N unknown" in lines[1]
    table = next(row for row, line in enumerate(lines) if line.startswith("#"))
    assert [line.split()[0] for line in lines[table + 1 : table + 4]] == ["1", "2", "3"]
    assert len(json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))) == 3
    assert "3 factors judged" in (tmp_path / "all.html").read_text(encoding="utf-8")


def test_a_refused_formula_does_not_stop_the_others(run: Run, market: Path) -> None:
    done = run("judge", FORMULA, "rnk(close)", "--data", str(market), *FAST)
    assert done.code == 2
    assert FORMULA in done.out
    assert "refused: rnk(close): there is no op 'rnk' in core" in done.err


def test_values_instead_of_a_formula(run: Run, market: Path, tmp_path: Path) -> None:
    import polars as pl

    from assay.market import open_panel

    panel = open_panel(market)
    wide = pl.DataFrame({"date": panel.dates.astype("datetime64[ms]")}).with_columns(
        pl.Series(name, panel.field("volume")[:, index]) for index, name in enumerate(panel.instruments)
    )
    wide.write_parquet(tmp_path / "shown.parquet")
    wide.write_csv(tmp_path / "shown.csv")
    found = [
        run("judge", "--values", f"shown.{kind}", "--data", str(market), "--json", *FAST).data
        for kind in ("parquet", "csv")
    ]
    formula = run("judge", "volume", "--data", str(market), "--json", *FAST).data
    for data in found:
        verdict = data["verdicts"][0]
        assert verdict["identity"]["name"] == "shown"
        assert verdict["identity"]["values_sha256"]
        assert verdict["summary"]["rank_ic"] == pytest.approx(formula["verdicts"][0]["summary"]["rank_ic"])


def test_a_benchmark_series(run: Run, market: Path, tmp_path: Path) -> None:
    import polars as pl

    from assay.market import open_panel

    dates = open_panel(market).dates.astype("datetime64[ms]")
    pl.DataFrame({"day": dates, "r": [0.01] * len(dates)}).write_csv(tmp_path / "flat.csv")
    plain = run("judge", FORMULA, "--data", str(market), "--json", *FAST).data["verdicts"][0]
    beaten = run("judge", FORMULA, "--data", str(market), "--benchmark", "flat.csv", "--json", *FAST).data
    assert beaten["verdicts"][0]["summary"]["net_excess"] < plain["summary"]["net_excess"]
    assert max(beaten["verdicts"][0]["book"]["benchmark"]) == pytest.approx(0.01)


def test_the_workspace_names_the_data_and_hides_dates(run: Run, desk: Path) -> None:
    search = run("judge", FORMULA, "--data", "small", "--json", *FAST)
    assert search.code == 0, search.err
    assert search.data["verdicts"][0]["data"]["period"] == "search"
    hidden = run("judge", FORMULA, "--data", "small", "--period", "score", "--json", *FAST)
    assert hidden.code == 2
    assert hidden.data["reason"] == "hidden_period"
    assert "--yes" in hidden.data["fix"]
    opened = run("judge", FORMULA, "--data", "small", "--period", "score", "--yes", "--json", *FAST)
    assert opened.code == 0
    assert opened.data["verdicts"][0]["data"]["hidden_opened"] == ["score"]
    assert "hidden" in opened.err


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_a_person_is_asked_before_hidden_dates_open(
    run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    import io

    stdin = io.StringIO(answer)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stdin)
    done = run("judge", FORMULA, "--data", "small", "--period", "score", *FAST)
    assert done.code == code
    assert "meets the hidden period score" in done.err
    assert bool(done.out) == (code == 0)


def test_a_misspelt_data_set_is_answered_with_what_there_is(run: Run, desk: Path) -> None:
    done = run("judge", FORMULA, "--data", "smal", "--json")
    assert done.code == 2
    assert done.data["fix"] == "did you mean small? there are: small"


def _request(settings: dict[str, Any], options: tuple[str, ...] = ()) -> JudgeRequest:
    return JudgeRequest((), None, None, None, None, "core", settings, options, None, None, False, False)


def test_settings_of_the_command_line_win_over_the_workspace() -> None:
    from assay.config import DataSettings

    own = DataSettings(universe="csi300", horizons=(1, 5), lag=0, fill="open")
    chosen = judge_settings(_request({"lag": 1, "horizon": 10}), own, threads=1)
    assert (chosen.universe, chosen.lag, chosen.fill, chosen.horizon) == ("csi300", 1, "open", 10)


@pytest.mark.parametrize(
    ("text", "pair"), [("cn", (5.0, 15.0)), ("US", (5.0, 5.0)), ("3/8", (3.0, 8.0)), ("4", (4.0, 4.0))]
)
def test_costs(text: str, pair: tuple[float, float]) -> None:
    costs = judge_settings(_request({"costs": text}), None, threads=1).costs
    assert costs is not None
    assert (costs.buy_bp, costs.sell_bp) == pair


def test_nested_options() -> None:
    options = (
        "thresholds.min_t=2.5",
        "thresholds.leaks=false",
        "horizons=[1, 2]",
        "book=top_k",
        "trials=null",
    )
    chosen = judge_settings(_request({}, options), None, threads=1)
    assert chosen.thresholds.min_t == 2.5
    assert chosen.thresholds.leaks is False
    assert chosen.horizons == (1, 2)
    assert chosen.book == "top_k"


def test_untouched_costs_of_a_workspace_leave_the_market_its_own() -> None:
    from assay.config import Costs, DataSettings

    assert judge_settings(_request({}), DataSettings(), threads=1).costs is None
    written = DataSettings(costs=Costs(buy_bp=1.0, sell_bp=2.0))
    costs = judge_settings(_request({}), written, threads=1).costs
    assert costs is not None
    assert costs.sell_bp == 2.0


def test_the_size_of_a_top_k_book_chooses_it() -> None:
    assert judge_settings(_request({"top_k": 30}), None, threads=1).book == "top_k"
    assert judge_settings(_request({"top_k": 30, "book": "decile"}), None, threads=1).book == "decile"


def _without_market(folder: Path) -> Path:
    """The small market as a table: no market, no adjustment factor."""
    from dataclasses import replace

    from assay.market import simulate, write_dataset

    data = simulate(3, instruments=60, days=400, name="plain").data
    kept = ("open", "high", "low", "close", "volume")
    bare = replace(
        data,
        market=None,
        fields={name: data.fields[name] for name in kept},
        infos={name: data.infos[name] for name in kept},
    )
    write_dataset(bare, folder)
    return folder


def test_without_a_market_costs_are_asked_for_and_never_made_up(run: Run, tmp_path: Path) -> None:
    plain = str(_without_market(tmp_path / "plain"))
    done = run("judge", FORMULA, "--data", plain, *FAST)
    assert done.code == 2
    assert "`--costs us` or `--market us`, or import again with `--market US`" in done.err
    assert "nothing was written" not in done.err
    assert "1 problem" not in done.err
    chosen = run("judge", FORMULA, "--data", plain, "--market", "us", *FAST)
    assert chosen.code == 0, chosen.err
    assert "costs 5 bp buying, 5 bp selling" in chosen.out
    assert "warning: no adjustment factor: splits and dividends look like returns" in chosen.out
    given = run("judge", FORMULA, "--data", plain, "--costs", "3/8", "--html", "page.html", *FAST)
    assert "costs 3 bp buying, 8 bp selling" in given.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "3 bp buying, 8 bp selling" in page
    assert "no adjustment factor" in page


def test_trials_and_their_variance(run: Run, market: Path) -> None:
    unknown = run("judge", FORMULA, "--data", str(market), *FAST)
    assert "no DSR: N unknown" in unknown.out
    half = run("judge", FORMULA, "--data", str(market), "--trials", "50", *FAST)
    assert "unrecorded, N 50 (given)" in half.out
    assert "no DSR: V[SR] unknown, give --sharpe-variance" in half.out
    whole = run(
        "judge", FORMULA, "--data", str(market), "--trials", "50", "--sharpe-variance", "0.001", *FAST
    )
    assert re.search(r"^DSR +[\d.]+%.*V\[SR\] given", whole.out, re.MULTILINE)
    assert re.search(r"^PSR +[\d.]+%", whole.out, re.MULTILINE)
    batch = run("judge", FORMULA, "volume", "--data", str(market), "--trials", "50", *FAST)
    assert "N 50 (given), V[SR] of this batch" in batch.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--horizon", "5,10"), "--horizon takes one whole number, not '5,10'"),
        (("--horizon", "0"), "--horizon is 0"),
        (("--from", "2020-13-01"), "--from: '2020-13-01' is not a date"),
        (("--market", "uk"), "--market is 'UK'"),
        (("--set", "thresholds.min_t=x"), "--set thresholds.min_t is 'x'"),
        (("--lag", "99", "--top-k", "0"), "--lag is 99"),
        (("--set", "judge.foo=1"), "what to do: use one of adjustment, allow_hidden, benchmark,"),
        (("--set", "min_nams=1"), "what to do: did you mean min_names?"),
    ],
)
def test_wrong_settings_are_named_as_typed(
    run: Run, market: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = run("judge", FORMULA, "--data", str(market), *arguments)
    assert done.code == 2
    assert said in done.err
    assert "nothing was written" not in done.err
    assert "problem" not in done.err


def test_several_hidden_periods_are_plural(run: Run, desk: Path) -> None:
    done = run("judge", FORMULA, "--data", "small", "--period", "all", "--json", *FAST)
    assert "meets the hidden periods score and eval" in done.data["message"]


def test_a_judge_that_was_killed_is_told_with_what_to_do(run: Run, desk: Path) -> None:
    from assay.base import Operator
    from assay.ledger import Ledger

    ledger = Ledger.create(desk / "ledger")
    ledger.run("judge-killed").start("judge", Operator.human(), "c" * 64, {"data:small": "d"})
    judged = ("judge", "rank(volume)", "--data", "small", "--set", "robustness=off", "--set", "bootstrap=0")
    done = run(*judged)
    assert (done.code, "1 run not stopped: judge-killed" in done.out) == (0, True)
    assert "resume what was killed, or end it: assay ledger close RUN" in done.err
    assert run("ledger", "close", "judge-killed").code == 0
    assert "cannot be counted" not in run(*judged).err
