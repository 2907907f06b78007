"""The CSI 300 panel, where it is on the machine: known RankICs and a book held to its accounts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.metrics import (
    ADMISSION_MIN_NAMES,
    Neutralizer,
    Scorer,
    Tape,
    forward_returns,
    lag_rows,
    neutral_rank_ic,
    shuffle_test,
    simulate,
    styles_of,
    top_k_weights,
)


class Market:
    """The panel as plain arrays; prices of paused days are missing."""

    def __init__(self, folder: Path) -> None:
        frame = pd.read_parquet(folder / "market" / "cn_csi300_daily_2017_2024.parquet")
        frame = frame[(frame["volume"] > 0) & ~frame["paused"]]
        columns = {
            f: frame.pivot(index="date", columns="symbol", values=f) for f in ("close", "factor", "volume")
        }
        close, factor = columns["close"].astype(float), columns["factor"].astype(float)
        self.dates = pd.DatetimeIndex(close.index)
        self.symbols = list(close.columns)
        self.close = (close * factor).to_numpy()
        self.volume = (columns["volume"] / factor).to_numpy()
        self.amount = (close * columns["volume"]).to_numpy()
        self.members = self._members(folder / "index" / "csi300_history.csv")
        self.groups = self._groups(folder / "market" / "cn_industry_sw_l1_20231030.csv")

    def _members(self, path: Path) -> np.ndarray:
        spans = pd.read_csv(path, encoding="utf-8-sig")
        out = np.zeros(self.close.shape, bool)
        for span in spans.itertuples(index=False):
            if span[0] in self.symbols:
                start, end = (
                    pd.Timestamp(span[2]),
                    pd.Timestamp(span[3]) if isinstance(span[3], str) else pd.Timestamp.max,
                )
                out[(self.dates >= start) & (self.dates < end), self.symbols.index(span[0])] = True
        return out

    def _groups(self, path: Path) -> np.ndarray:
        table = pd.read_csv(path, encoding="utf-8-sig").set_index("symbol")["sw_l1"]
        codes = pd.Categorical(table.reindex(self.symbols)).codes
        return np.asarray(codes, dtype=np.int32)

    def formula(self, name: str) -> np.ndarray:
        close, volume = pd.DataFrame(self.close), pd.DataFrame(self.volume)
        returns = close / close.shift(1) - 1
        made = {
            "price-volume": lambda: -close.rolling(10).corr(volume),
            "low volatility": lambda: -returns.rolling(20).std(),
            "momentum": lambda: close.shift(21) / close.shift(252) - 1,
            "reversal": lambda: -(close / close.shift(20) - 1),
        }[name]()
        return lag_rows(made.to_numpy())


@pytest.fixture(scope="module")
def market(shared: Path) -> Market:
    return Market(shared / "data")


@pytest.fixture(scope="module")
def scorer(market: Market) -> Scorer:
    label = forward_returns(market.close, 5)
    return Scorer(label, universe=market.members, min_names=ADMISSION_MIN_NAMES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("price-volume", 0.034), ("low volatility", 0.038), ("momentum", 0.034), ("reversal", 0.0145)],
)
def test_known_rank_ics(market: Market, scorer: Scorer, name: str, expected: float) -> None:
    summary = scorer.score(market.formula(name)).rank_ic.summary()
    assert summary.mean == pytest.approx(expected, abs=0.002)
    assert summary.mean_names > 250


def test_low_volatility_is_a_style_and_leaves_nothing(market: Market, scorer: Scorer) -> None:
    styles = styles_of(market.close, market.amount)
    lagged = type(styles)(
        lag_rows(styles.volatility), lag_rows(styles.traded_value), lag_rows(styles.momentum)
    )
    neutralizer = Neutralizer(lagged, market.groups, market.members, ADMISSION_MIN_NAMES)
    assert neutral_rank_ic(-lagged.volatility, scorer, neutralizer).summary().days == 0
    own = neutral_rank_ic(market.formula("price-volume"), scorer, neutralizer).summary()
    raw = scorer.score(market.formula("price-volume")).rank_ic.summary()
    assert 0 < own.mean < raw.mean


def test_shuffled_cross_sections_score_nothing(market: Market, scorer: Scorer) -> None:
    assert shuffle_test(market.formula("reversal"), scorer, seeds=(0, 1)).inside


def test_low_volatility_of_2022_to_2024_as_published(market: Market) -> None:
    # an independent evaluation of these years: IC .0376, RankIC .0752, RankICIR .327; for 30 names every
    # fifth day +10.7% a year over all members, IR .85, turnover 13 (it knew the price limits too)
    first = int(np.flatnonzero(market.dates >= pd.Timestamp("2022-01-04"))[0])
    signal, members = market.formula("low volatility")[first:], market.members[first:]
    label = forward_returns(market.close[first:], 5)
    score = Scorer(label, universe=members, min_names=ADMISSION_MIN_NAMES).score(signal)
    assert score.ic.summary().mean == pytest.approx(0.0376, abs=1e-4)
    assert score.rank_ic.summary().mean == pytest.approx(0.0752, abs=1e-4)
    assert score.rank_ic.summary().icir == pytest.approx(0.327, abs=1e-3)
    tape = Tape(market.close[first:])
    simulation = simulate(
        top_k_weights(signal, 30, allowed=members),
        tape,
        every=5,
        offsets=range(5),
        benchmark=tape.equal_weight(members),
    )
    for book in simulation.books:
        assert (book.curve.net == book.curve.gross - book.curve.cost).all()
        assert book.invested.max() <= 1 + 1e-9
    summary = simulation.mean_summary()
    assert summary.annual_excess == pytest.approx(0.107, abs=0.01)
    assert summary.ir == pytest.approx(0.85, abs=0.06)
    assert summary.turnover == pytest.approx(13, abs=0.5)
