"""``assay features`` and ``assay strategy``: what they print, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FEATURE = "classic-reversal-5"


def test_lists_and_values_as_json(run: Run, desk: Path) -> None:
    (desk / "features.toml").write_text('[mine]\nexpression = "rank(close)"\n', encoding="utf-8")
    rows = run("features", "list", "--data", "small", "--json").data
    assert {"close", "fwd_ret_5", FEATURE, "mine"} <= {row["name"] for row in rows}
    told = run("features", "materialize", "mine", "--data", "small", "--rows", "2", "--json").data
    assert (len(told["rows"]), told["slug"]) == (2, "mine")
    assert told["last_date"] < told["as_of"]
    assert list((desk / ".cache" / "features").iterdir())


def test_a_strategy_from_birth_to_trial(run: Run, desk: Path) -> None:
    made = run(
        "strategy", "new", "mine", "--feature", FEATURE, "--set", "alpha=3", "--set", "expanding=false",
        "--json",
    )  # fmt: skip
    assert made.code == 0, made.err
    assert (made.data["parameters"], made.data["cv"]["expanding"]) == ({"alpha": 3}, False)
    assert [item["slug"] for item in run("strategy", "list", "--json").data] == ["mine", "ridge_default"]
    assert 'features = ["classic-reversal-5"]' in run("strategy", "show", "mine").out
    report = run("strategy", "backtest", "mine", "--data", "small", "--json").data
    assert (report["subject"], report["n"]) == ("mine", None if report["n"] is None else 1)
    assert report["folds_total"] == len(report["folds"]) > 0


def test_outside_a_workspace_nothing_is_recorded(run: Run, market: Path) -> None:
    done = run("strategy", "backtest", "ridge_default", "--feature", FEATURE, "--data", str(market), "--json")
    assert done.code == 0, done.err
    assert done.data["n"] is None
    assert "was not recorded" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("features", "materialize", "clos"), "did you mean close, raw_close?"),
        (("features", "materialize", "close", "--as-of", "yesterday"), "as_of is no ISO-8601 date-time"),
        (("features", "materialize", "close", "--as-of", "2999-01-01"), "as_of lies after the clock"),
        (("strategy", "backtest", "ridge_default"), "ridge_default names no features"),
        (("strategy", "backtest", "ridge_default", "--feature", "fwd_ret_5"), "fwd_ret_5 is a label"),
        (("strategy", "backtest", "riddle", "--feature", FEATURE), "no strategy has this slug"),
        (("strategy", "backtest", "Ridge!", "--feature", FEATURE), "strategy_slug: string should match"),
        (
            ("strategy", "backtest", "ridge_default", "--feature", FEATURE, "--max-bars", "9"),
            "there are 9 bars",
        ),
    ],
)
def test_bad_input_is_told(run: Run, desk: Path, words: tuple[str, ...], told: str) -> None:
    done = run(*words, "--data", "small")
    assert done.code == 2, done.out
    assert told in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("../x",), "slug: is '../x'"),
        (("ridge_default",), "there is a strategy 'ridge_default'"),
        (("x", "--model", "rigde"), "did you mean ridge?"),
        (("x", "--set", "alpha"), "'alpha' is no setting"),
        (("x", "--set", "alpha=much"), "'much' is no number"),
        (("x", "--set", "beta=1"), "parameters.beta"),
        (("x", "--feature", "a", "--feature", "a"), "names 'a' twice"),
    ],
)
def test_a_bad_strategy_is_not_written(run: Run, desk: Path, words: tuple[str, ...], told: str) -> None:
    done = run("strategy", "new", *words)
    assert done.code == 2
    assert told in done.err
    assert not list((desk / "strategies").glob("*"))


def test_a_damaged_file_is_named(run: Run, desk: Path) -> None:
    (desk / "features.toml").write_text("[a\n", encoding="utf-8")
    done = run("features", "list", "--data", "small")
    assert (done.code, "cannot read features.toml" in done.err) == (2, True)
    (desk / "strategies").mkdir()
    (desk / "strategies" / "torn.toml").write_text("model =", encoding="utf-8")
    for words in (("strategy", "list"), ("strategy", "show", "torn")):
        done = run(*words)
        assert (done.code, "'torn' cannot be read" in done.err) == (2, True)
