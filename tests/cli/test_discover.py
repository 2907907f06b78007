"""``assay discover``: what it prints, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FEATURE = "classic-reversal-5"


def test_leaderboards_as_json(run: Run, desk: Path) -> None:
    done = run("discover", "mine", "close", "volume", "--candidates", "30", "--data", "small", "--json")
    assert done.code == 0, done.err
    assert (done.data["evaluated"], len(done.data["rows"])) == (30, 20)
    report = done.data["rows"][0]["report"]
    assert report["provenance"]["data"] == "small"
    assert report["folds"] == []


def test_a_strategy_of_the_workspace_is_varied(run: Run, desk: Path) -> None:
    made = run("strategy", "new", "short", "--target", "fwd_ret_1", "--set", "train_bars=60")
    assert made.code == 0, made.err
    done = run(
        "discover", "select", FEATURE, "turn", "--strategy", "short", "--model", "linear", "--seed", "4",
        "--set", "embargo_bars=0", "--data", "small", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    report = done.data["rows"][0]["report"]
    assert (report["target"], report["provenance"]["seed"]) == ("fwd_ret_1", 4)
    assert done.data["method"] == "feature_search:greedy"


def test_outside_a_workspace_nothing_is_recorded(run: Run, market: Path) -> None:
    done = run("discover", "events", "--pre", "5d", "--data", str(market))
    assert done.code == 0, done.err
    assert "were not recorded" in done.err
    assert "trials on the data set: not known" in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("mine", "colse"), "did you mean close"),
        (("mine", "close", "--target", "close"), "the target is no label of returns"),
        (("mine", "close", "--depth", "11"), "max_depth: is 11"),
        (("mine", "close", "--candidates", "0", "--objective", "best"), "2 problems"),
        (("select", FEATURE, "--method", "genetic"), "use greedy, exhaustive"),
        (("select", "fwd_ret_5"), "fwd_ret_5 is a label"),
        (("select", FEATURE, "--model", "forest"), "model: is 'forest'"),
        (("select", FEATURE, "--set", "train_bars=90000"), "a fold needs"),
        (("sweep", "alpha"), "write it as alpha=1,10"),
        (("sweep", "alhpa=1,2"), "did you mean alpha?"),
        (("sweep", "alpha=1,x"), "is no number"),
        (("sweep", "alpha=1,2", "--max-configs", "1"), "the grid has 2 configurations"),
        (("events", "--pre", "1mo"), "'1mo' is no duration"),
        (("events", "--pre", "1d", "--reduction", "sum"), "'sum'"),
        (("events", "--pre", "1d", "--events", "earnings"), "no events of this name"),
        (("events", "--pre", "1d", "--bars", "minutes"), "no bars inside the day"),
    ],
)
def test_bad_input_is_refused_with_exit_code_2(
    run: Run, desk: Path, words: tuple[str, ...], told: str
) -> None:
    done = run("discover", *words, "--data", "small")
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err
