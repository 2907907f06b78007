"""Downloads against stand-ins for the client packages, with faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.errors import DataError, ProviderBadReply, ProviderTransient, Refusal
from assay.market import (
    BaoStockClient,
    Bars,
    Panel,
    YahooClient,
    download,
    open_panel,
    update,
    write_dataset,
)
from assay.market._sources import baostock_symbol

_SPAN = np.arange(np.datetime64("2020-01-06"), np.datetime64("2020-03-28"))
DAYS = _SPAN[np.is_busday(_SPAN)].astype(str).tolist()
FIELDS = ["date", "open", "high", "low", "close", "volume", "amount", "turn", "tradestatus", "isST"]


class Answer:
    """A result set in the package's manner."""

    def __init__(
        self, fields: Sequence[str], rows: Sequence[Sequence[str]], *, fails_after: int | None = None
    ) -> None:
        self.fields = list(fields)
        self.error_code = "0"
        self.error_msg = "success"
        self._rows = list(rows)
        self._fails_after = fails_after
        self._given = 0

    def next(self) -> bool:
        if self._fails_after is not None and self._given >= self._fails_after:
            self.error_code, self.error_msg = "10002007", "network"
            return False
        return self._given < len(self._rows)

    def get_row_data(self) -> list[str]:
        self._given += 1
        return list(self._rows[self._given - 1])


@dataclass
class FakeBaoStock:
    """Three symbols; the second pays a dividend, the third is suspended at times. Tests set the faults."""

    login_code: str = "0"
    failures: dict[str, int] = field(default_factory=dict)
    torn: dict[str, int] = field(default_factory=dict)
    lacking: str | None = None
    logged_out: bool = False
    asked: list[str] = field(default_factory=list)
    ex_day: str = DAYS[20]

    def login(self) -> Any:
        return SimpleNamespace(error_code=self.login_code, error_msg="no")

    def logout(self) -> None:
        self.logged_out = True

    def query_history_k_data_plus(
        self, code: str, fields: str, start_date: str, end_date: str, **rest: str
    ) -> Answer:
        assert rest == {"frequency": "d", "adjustflag": "3"}
        self.asked.append(code)
        if self.failures.get(code, 0) > 0:
            self.failures[code] -= 1
            answer = Answer(FIELDS, [])
            answer.error_code, answer.error_msg = "10002007", "network"
            return answer
        wanted = fields.split(",")
        rows = [self._row(code, day, wanted) for day in DAYS if start_date <= day <= end_date]
        names = [name for name in wanted if name != self.lacking]
        return Answer(names, rows, fails_after=self.torn.get(code))

    def _row(self, code: str, day: str, wanted: Sequence[str]) -> list[str]:
        place = DAYS.index(day)
        price = 10.0 + 0.1 * place
        if code == "sh.600001" and day >= self.ex_day:
            price *= 0.98
        paused = code == "sz.000001" and 5 <= place < 9
        values = {
            "date": day,
            "open": f"{price:.4f}",
            "high": f"{price:.4f}",
            "low": f"{price:.4f}",
            "close": f"{price:.4f}",
            "volume": "" if paused else "1000",
            "amount": "" if paused else f"{1000 * price:.2f}",
            "turn": "" if paused else "1.5",
            "tradestatus": "0" if paused else "1",
            "isST": "0",
        }
        return [values[name] for name in wanted]

    def query_adjust_factor(self, code: str, start_date: str, end_date: str) -> Answer:
        rows = (
            []
            if code != "sh.600001" or end_date < self.ex_day
            else [[code, self.ex_day, "1.0", f"{1 / 0.98:.6f}"]]
        )
        return Answer(["code", "dividOperateDate", "foreAdjustFactor", "backAdjustFactor"], rows)


SYMBOLS = ("SH600000", "SH600001", "SZ000001")


def day(place: int) -> date:
    return date.fromisoformat(DAYS[place])


def test_baostock_bars_become_a_panel() -> None:
    client = BaoStockClient(FakeBaoStock())
    panel = Panel(download(client, SYMBOLS, day(0), day(39)))
    assert panel.shape == (40, 3)
    assert panel.manifest.limits.rule == "cn"
    assert panel.manifest.source.detail["symbols"] == dict.fromkeys(SYMBOLS, 40)
    # the factor steps on the ex-date, and takes the fall out of the return
    assert panel.raw("factor")[[19, 20], 1] == pytest.approx([1, 1 / 0.98], rel=1e-5)
    assert abs(panel.field("returns")[20, 1]) < 0.02
    assert panel.trading().suspended[:, 2].sum() == 4
    assert np.isnan(panel.raw("close")[5:9, 2]).all()
    assert panel.raw("turn")[0, 0] == pytest.approx(0.015)


def test_a_symbol_is_tried_three_times() -> None:
    paused: list[int] = []
    fake = FakeBaoStock(failures={"sh.600001": 2})
    data = download(BaoStockClient(fake), SYMBOLS, day(0), day(9), pause=paused.append)
    assert data.shape == (10, 3)
    assert paused == [1, 2]
    assert fake.asked.count("sh.600001") == 3


def test_one_failing_symbol_fails_the_download_after_the_others_were_tried() -> None:
    fake = FakeBaoStock(failures={"sh.600000": 9})
    seen: list[str] = []
    with pytest.raises(ProviderTransient, match="1 of 3 symbols failed, nothing was written: SH600000"):
        download(BaoStockClient(fake), SYMBOLS, day(0), day(9), progress=seen.append)
    assert seen == ["SH600001", "SZ000001"]


def test_a_torn_page_is_no_end_of_data() -> None:
    with pytest.raises(ProviderTransient, match="10002007"):
        BaoStockClient(FakeBaoStock(torn={"sh.600000": 4})).fetch("SH600000", day(0), day(9))


def test_a_refused_login_and_an_answer_of_another_shape() -> None:
    with pytest.raises(ProviderTransient, match="refuses the login"):
        BaoStockClient(FakeBaoStock(login_code="10001001"))
    with pytest.raises(ProviderBadReply, match="lacks turn"):
        BaoStockClient(FakeBaoStock(lacking="turn")).fetch("SH600000", day(0), day(9))


def test_no_bars_at_all() -> None:
    client = BaoStockClient(FakeBaoStock())
    with pytest.raises(ProviderBadReply, match="no symbol has a bar"):
        download(client, SYMBOLS, date(1999, 1, 1), date(1999, 2, 1))


def test_the_session_ends() -> None:
    fake = FakeBaoStock()
    BaoStockClient(fake).close()
    assert fake.logged_out


@pytest.mark.parametrize("text", ["SH600000", "sh.600000", "600000.SH", "600000.XSHG", " sh600000 "])
def test_symbols(text: str) -> None:
    assert baostock_symbol(text) == "sh.600000"


@pytest.mark.parametrize("text", ["600000", "AAPL", "SH60000", ""])
def test_symbols_that_are_none(text: str) -> None:
    with pytest.raises(ProviderBadReply):
        baostock_symbol(text)


@dataclass
class FakeYahoo:
    """Two symbols with dividends; the factor ends at 1 on the day of the download."""

    last: int = 39
    dividend_at: tuple[int, ...] = (10,)
    split_at: int | None = None
    empty: tuple[str, ...] = ()
    error: Exception | None = None
    exceptions: Any = field(default_factory=lambda: SimpleNamespace(YFException=LookupError))

    def Ticker(self, symbol: str) -> Any:
        return SimpleNamespace(history=lambda **arguments: self._history(symbol, **arguments))

    def _history(self, symbol: str, *, start: str, end: str, auto_adjust: bool, **_: Any) -> pd.DataFrame:
        assert auto_adjust is False
        if self.error is not None:
            raise self.error
        close = 50 + 0.1 * np.arange(self.last + 1)
        adjust = np.ones(self.last + 1)
        for place in self.dividend_at:
            if place <= self.last:
                adjust[:place] *= 0.99
        if self.split_at is not None:
            close = close / 2
        days = [DAYS[place] for place in range(self.last + 1)]
        frame = pd.DataFrame(
            {
                "Open": close,
                "High": close,
                "Low": close,
                "Close": close,
                "Adj Close": close * adjust,
                "Volume": 1000,
            },
            index=pd.DatetimeIndex(days).tz_localize("America/New_York"),
        )
        inside = [start <= text < end for text in days]
        frame = frame[inside]
        return frame.iloc[:0] if symbol in self.empty else frame


def test_yahoo_bars_become_a_panel() -> None:
    panel = Panel(download(YahooClient(FakeYahoo()), ("AAA", "BBB"), day(0), day(39)))
    assert panel.shape == (40, 2)
    assert str(panel.dates[0]) == DAYS[0]
    assert panel.raw("factor")[[9, 10], 0] == pytest.approx([0.99, 1.0])
    assert panel.manifest.market == "US"


@pytest.mark.parametrize(
    "fake",
    [FakeYahoo(empty=("AAA",)), FakeYahoo(error=OSError("down")), FakeYahoo(error=LookupError("rate limit"))],
)
def test_yahoo_without_an_answer(fake: FakeYahoo) -> None:
    with pytest.raises(ProviderTransient):
        YahooClient(fake).fetch("AAA", day(0), day(9))


def test_an_update_continues_the_stored_factors(tmp_path: Path) -> None:
    folder = tmp_path / "us"
    fake = FakeYahoo(last=29)
    write_dataset(download(YahooClient(fake), ("AAA", "BBB"), day(0), day(29), name="us"), folder)
    before = open_panel(folder).manifest
    # a dividend after the last stored date: the source lowers all earlier factors
    fake.last, fake.dividend_at = 39, (10, 35)
    panel = update(folder, YahooClient(fake), day(39))
    assert panel.shape == (40, 2)
    factor = panel.raw("factor")[:, 0]
    assert factor[[9, 10, 34, 35]] == pytest.approx([0.99, 1, 1, 1 / 0.99], rel=1e-5)
    assert panel.manifest.fingerprint != before.fingerprint
    assert panel.manifest.source.detail["end"] == DAYS[39]


def test_an_update_after_a_split_of_split_adjusted_prices_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "us"
    fake = FakeYahoo(last=29)
    write_dataset(download(YahooClient(fake), ("AAA", "BBB"), day(0), day(29), name="us"), folder)
    before = open_panel(folder).manifest
    fake.last, fake.split_at = 39, 35
    with pytest.raises(Refusal, match="raw close"):
        update(folder, YahooClient(fake), day(39))
    assert open_panel(folder).manifest == before


def test_a_failed_update_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cn"
    write_dataset(download(BaoStockClient(FakeBaoStock()), SYMBOLS, day(0), day(29), name="cn"), folder)
    before = open_panel(folder).manifest
    with pytest.raises(ProviderTransient):
        update(folder, BaoStockClient(FakeBaoStock(failures={"sz.000001": 9})), day(39))
    assert open_panel(folder).manifest == before
    assert [path.name for path in tmp_path.iterdir()] == ["cn"]
    assert update(folder, BaoStockClient(FakeBaoStock()), day(39)).shape == (40, 3)


def test_an_update_holds_the_data_set_while_it_downloads(tmp_path: Path) -> None:
    folder = tmp_path / "cn"
    write_dataset(download(BaoStockClient(FakeBaoStock()), SYMBOLS, day(0), day(29), name="cn"), folder)
    asked: list[str] = []

    def second(symbol: str) -> None:
        asked.append(symbol)
        with pytest.raises(DataError, match="is being updated by another process"):
            update(folder, BaoStockClient(FakeBaoStock()), day(35))

    assert update(folder, BaoStockClient(FakeBaoStock()), day(39), progress=second).shape == (40, 3)
    assert asked


def test_an_update_asks_the_source_it_came_from(tmp_path: Path) -> None:
    folder = tmp_path / "cn"
    write_dataset(download(BaoStockClient(FakeBaoStock()), SYMBOLS, day(0), day(29), name="cn"), folder)
    with pytest.raises(DataError, match="comes from baostock, not from yahoo"):
        update(folder, YahooClient(FakeYahoo()), day(39))


def test_a_client_is_anything_that_fetches() -> None:
    class Own:
        name = "yahoo"
        market = "US"
        rules: tuple[str, ...] = ()

        def fetch(self, symbol: str, start: date, end: date) -> Bars:
            return Bars(symbol, np.array([start], dtype="datetime64[D]"), {"close": np.array([1.0])})

        def close(self) -> None:
            return None

    assert download(Own(), ("A",), day(0), day(0)).shape == (1, 1)  # type: ignore[arg-type]
