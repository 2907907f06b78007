from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import AssayError, Refusal
from assay.features import FeatureStore
from assay.models import Strategy, StrategyBook, StrategyProblems, WalkForward, strategy_toml

WHOLE = Strategy(
    "mine",
    'A "title"\nof two lines',
    "elastic_net",
    {"alpha": 0.001, "l1_ratio": 0.25},
    ("reversal", "traded"),
    "fwd_ret_10",
    WalkForward(100, 30, 40, 2, expanding=False),
    seed=7,
)


def test_a_strategy_is_read_as_it_was_written(tmp_path: Path) -> None:
    book = StrategyBook(tmp_path / "strategies")
    assert book.slugs() == ("ridge_default",)
    book.add(WHOLE)
    assert book.slugs() == ("mine", "ridge_default")
    assert book.get("mine") == WHOLE
    with pytest.raises(AssayError, match="there is a strategy 'mine'"):
        book.add(WHOLE)
    with pytest.raises(AssayError, match="there is a strategy 'ridge_default'"):
        book.add(Strategy("ridge_default"))
    with pytest.raises(AssayError, match="strategies need a workspace"):
        StrategyBook().add(WHOLE)


def test_the_default_is_always_there() -> None:
    assert StrategyBook().get("ridge_default").model == "ridge"


@pytest.mark.parametrize("slug", ["riddle", "../mine", "", "a" * 70, "mine.toml", "MINE"])
def test_what_is_no_strategy_is_refused(tmp_path: Path, slug: str) -> None:
    (tmp_path / "mine.toml").write_text(strategy_toml(WHOLE), encoding="utf-8")
    with pytest.raises(Refusal) as caught:
        StrategyBook(tmp_path / "strategies").get(slug)
    assert caught.value.reason.code == "unknown_strategy"


@pytest.mark.parametrize(
    "text",
    [
        b"model = ",
        b"\xff\xfe",
        b"colour = 'red'",
        b"model = 'forest'",
        b"features = 'close'",
        b"features = [1]",
        b"cv = 3",
        b"parameters = []",
        b"title = 4",
        b"seed = 1.5",
        b"[cv]\nmonths = 3",
        b"[cv]\ntrain_bars = '9'",
        b"[cv]\nexpanding = 1",
        b"[parameters]\nalpha = nan",
        b"[parameters]\nalpha = true",
        b"# " + b"x" * (1 << 20),
        b"seed = " + b"9" * 5000,
        b"seed = " + b"[" * 5000 + b"]" * 5000,
    ],
)
def test_a_file_that_cannot_be_right_is_damaged_state(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "torn.toml").write_bytes(text)
    book = StrategyBook(tmp_path)
    assert "torn" in book.slugs()
    with pytest.raises(Refusal, match="the strategy 'torn' cannot be read") as caught:
        book.get("torn")
    assert caught.value.reason.code == "damaged_state"
    assert str(tmp_path) not in caught.value.message


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(Refusal, match="is no file") as caught:
        StrategyBook(tmp_path).get("pipe")
    assert caught.value.reason.code == "damaged_state"


def test_all_problems_at_once() -> None:
    with pytest.raises(StrategyProblems) as caught:
        Strategy(
            "No Slug",
            model="ridge",
            parameters={"alpha": -1.0, "beta": 2},
            features=("a", "a", "fwd_ret_5"),
            cv=WalkForward(5, 10, 5, -1),
            seed=-1,
        )
    assert {problem.where for problem in caught.value.problems} == {
        "slug", "parameters.alpha", "parameters.beta", "features", "cv.train_bars", "cv.embargo_bars",
        "cv.step_bars", "seed",
    }  # fmt: skip


def test_varied_settings() -> None:
    other = WHOLE.varied(alpha=0.5, train_bars=90, seed=3)
    assert (other.parameter("alpha"), other.parameter("l1_ratio")) == (0.5, 0.25)
    assert (other.cv.train_bars, other.cv.test_bars, other.seed) == (90, 30, 3)
    with pytest.raises(StrategyProblems, match=r"parameters\.nonsense"):
        WHOLE.varied(nonsense=1)


def test_the_fingerprint_is_of_what_is_learnt(store: FeatureStore) -> None:
    graph = store.graph
    first = WHOLE.fingerprint(graph)
    assert first == WHOLE.varied(slug="other", title="", features=("traded", "reversal")).fingerprint(graph)
    changed = [
        {"alpha": 0.002}, {"seed": 8}, {"train_bars": 101}, {"features": ("traded",)},
        {"target": "fwd_ret_5"}, {"model": "lasso", "parameters": {}},
    ]  # fmt: skip
    assert len({first, *(WHOLE.varied(**change).fingerprint(graph) for change in changed)}) == 7
    spelt = Strategy("a", parameters={"alpha": 1})
    assert spelt.fingerprint(graph) == Strategy("a").fingerprint(graph)
