"""Yahoo's chart API against a server on the loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError, ProviderAuth, ProviderBadReply, ProviderTransient
from assay.market import Pace, YahooClient
from assay.market._yahoo_chart import bars_of

from .yahoo_server import DAYS, NOW, Stock, YahooExchange, YahooServer


class StoppedClock:
    """A clock that shows one time."""

    def __init__(self, now: datetime = NOW) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now


def quick() -> Pace:
    return Pace(per_second=50.0, sleep=lambda _: None, draw=lambda: 0.0)


@pytest.fixture
def server() -> Iterator[YahooServer]:
    with YahooServer() as running:
        yield running


@pytest.fixture
def client(server: YahooServer) -> Iterator[YahooClient]:
    made = YahooClient(server.address, pace=quick(), clock=StoppedClock(), timeout=10)
    yield made
    made.close()


def test_prices_of_the_day_and_a_factor_that_begins_with_one(client: YahooClient) -> None:
    bars = client.fetch("AAA", DAYS[0], DAYS[-1])
    stock = YahooExchange().stocks["AAA"]
    traded = np.array([stock.traded(place) for place in range(len(DAYS))])
    np.testing.assert_allclose(bars.columns["close"], traded)
    np.testing.assert_allclose(bars.columns["volume"], 1000)
    factor = bars.columns["factor"]
    assert factor[[0, 29]].tolist() == [1, 1]
    assert factor[30] == pytest.approx(traded[29] / (traded[29] - 2))
    assert factor[60] / factor[59] == pytest.approx(4)
    adjusted = bars.columns["close"] * factor
    assert abs(adjusted[60] / adjusted[59] - 1) < 0.2
    assert bars.dates.astype(date).tolist() == DAYS


def test_a_split_after_the_last_wanted_day_is_undone(client: YahooClient) -> None:
    bars = client.fetch("AAA", DAYS[5], DAYS[20])
    assert bars.dates.astype(date).tolist() == DAYS[5:21]
    np.testing.assert_allclose(bars.columns["close"][0], YahooExchange().stocks["AAA"].traded(5))
    assert (bars.columns["factor"] == 1).all()


def test_a_day_is_the_exchange_s_own_in_summer_and_winter(client: YahooClient) -> None:
    assert DAYS[0] < date(2020, 3, 8) < DAYS[-1]  # the clocks change in between
    assert len(client.fetch("BBB", DAYS[0], DAYS[-1]).dates) == len(DAYS)


def test_an_unfinished_session_is_no_bar(server: YahooServer) -> None:
    server.exchange.open_session = True
    noon = StoppedClock(datetime.combine(DAYS[-1], time(16, 7), UTC))
    open_now = YahooClient(server.address, pace=quick(), clock=noon)
    assert open_now.fetch("BBB", DAYS[0], DAYS[-1]).dates[-1] == np.datetime64(DAYS[-2])
    open_now.close()
    closed = YahooClient(server.address, pace=quick(), clock=StoppedClock())
    assert len(closed.fetch("BBB", DAYS[0], DAYS[-1]).dates) == len(DAYS)
    closed.close()


def test_no_bars(server: YahooServer, client: YahooClient) -> None:
    assert client.fetch("LATE", DAYS[0], DAYS[50]).why_none == f"first traded on {DAYS[100]}"
    assert client.fetch("BBB", date(2019, 12, 2), date(2019, 12, 6)).why_none != ""
    server.exchange.today = 40
    nothing = client.fetch("BBB", DAYS[60], DAYS[70])
    assert (len(nothing.dates), nothing.why_none) == (0, "")
    with pytest.raises(ProviderBadReply, match="does not know NONE") as caught:
        client.fetch("NONE", DAYS[0], DAYS[-1])
    assert caught.value.code == "unknown_symbol"


@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [
        ("429", ProviderTransient, 429),
        ("503", ProviderTransient, 503),
        ("401", ProviderAuth, None),
        ("403", ProviderAuth, None),
        ("html", ProviderTransient, None),
        ("noise", ProviderBadReply, None),
        ("cut", ProviderTransient, None),
    ],
)
def test_faults_are_told_apart(
    server: YahooServer, client: YahooClient, fault: str, kind: type[Exception], status: int | None
) -> None:
    server.exchange.faults["BBB"] = [fault]
    server.exchange.retry_after = "7"
    with pytest.raises(kind) as caught:
        client.fetch("BBB", DAYS[0], DAYS[-1])
    assert getattr(caught.value, "status", None) == status
    assert getattr(caught.value, "retry_after", None) == (7.0 if fault == "429" else None)
    assert len(client.fetch("BBB", DAYS[0], DAYS[-1]).dates) == len(DAYS)


def test_a_server_that_asks_to_wait_is_waited_for(server: YahooServer) -> None:
    waits: list[float] = []
    pace = Pace(per_second=50, first_wait=1.0, monotonic=lambda: 0.0, sleep=waits.append, draw=lambda: 1.0)
    client = YahooClient(server.address, pace=pace, clock=StoppedClock())
    server.exchange.faults["BBB"] = ["503", "503"]
    pace.persistently(lambda: client.fetch("BBB", DAYS[0], DAYS[-1]))
    assert [wait for wait in waits if wait >= 1] == [1.0, 2.0]
    waits.clear()
    server.exchange.faults["BBB"], server.exchange.retry_after = ["429"], "30"
    pace.persistently(lambda: client.fetch("BBB", DAYS[0], DAYS[-1]))
    assert max(waits) == 30.0
    # an hour is too long to wait for
    server.exchange.faults["BBB"], server.exchange.retry_after = ["429", "429"], "3600"
    with pytest.raises(ProviderTransient, match="429"):
        pace.persistently(lambda: client.fetch("BBB", DAYS[0], DAYS[-1]))
    assert server.exchange.faults["BBB"] == ["429"]
    client.close()


def test_nobody_listens() -> None:
    with YahooServer() as gone:
        address = gone.address
    client = YahooClient(address, pace=quick(), timeout=2)
    with pytest.raises(ProviderTransient, match="cannot be reached") as caught:
        client.fetch("AAA", DAYS[0], DAYS[-1])
    assert caught.value.code == "unreachable"
    client.close()


@pytest.mark.parametrize(
    ("stock", "words"),
    [
        (Stock(splits={60: 4.0}, unadjusted=True), "not adjusted once for the split 4:1"),
        (Stock(dividends={30: 2.0}, wrong_adjusted=True), "adjusted close and its payments disagree"),
        (Stock(dividends={30: 200.0}), "payment of 200"),
    ],
)
def test_contradictions_of_the_source_are_not_mended(
    server: YahooServer, client: YahooClient, stock: Stock, words: str
) -> None:
    server.exchange.stocks["BAD"] = stock
    with pytest.raises(ProviderBadReply, match=words):
        client.fetch("BAD", DAYS[0], DAYS[-1])


def _result(harm: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    _, answer = YahooExchange().answer("AAA", {"period1": "0", "period2": "99999999999"})
    result: dict[str, Any] = answer["chart"]["result"][0]
    harm(result)
    return result


@pytest.mark.parametrize(
    "harm",
    [
        lambda result: result.pop("meta"),
        lambda result: result["meta"].update(exchangeTimezoneName="Mars/Olympus"),
        lambda result: result.pop("indicators"),
        lambda result: result["timestamp"].pop(),
        lambda result: result["timestamp"].reverse(),
        lambda result: result["indicators"]["quote"][0].update(close=["dear"] * len(DAYS)),
        lambda result: result["events"]["splits"].update(x={"date": 1, "numerator": 1}),
        lambda result: result["events"]["splits"].update(x={"date": 1, "numerator": 1, "denominator": 0}),
        lambda result: result["events"].update(dividends={"x": {"date": "soon", "amount": 1}}),
        lambda result: result["events"].update(dividends={"x": {"date": 1, "amount": -1}}),
    ],
)
def test_an_answer_of_another_shape(harm: Callable[[dict[str, Any]], Any]) -> None:
    with pytest.raises(ProviderBadReply, match="cannot be used"):
        bars_of(_result(harm), "AAA", DAYS[0], DAYS[-1], NOW)


def test_rows_without_a_close_are_no_bars() -> None:
    def harm(result: dict[str, Any]) -> None:
        for values in result["indicators"]["quote"][0].values():
            values[3] = None

    assert len(bars_of(_result(harm), "AAA", DAYS[0], DAYS[-1], NOW).dates) == len(DAYS) - 1


def test_symbols(server: YahooServer, client: YahooClient) -> None:
    assert client.symbol(" brk-b ") == "BRK-B"
    server.exchange.stocks["^GSPC"] = Stock()
    assert len(client.fetch("^GSPC", DAYS[0], DAYS[-1]).dates) == len(DAYS)
    for text in ("", "a b", "../x", "A" * 40):
        with pytest.raises(AssayError, match="not a symbol"):
            client.symbol(text)
    with pytest.raises(AssayError, match="no index members"):
        client.members("csi300", DAYS[0])


def test_what_is_asked(server: YahooServer, client: YahooClient) -> None:
    client.fetch("BBB", DAYS[5], DAYS[6])
    _, query, headers = server.exchange.seen[0]
    assert query["events"] == "div,split,capitalGains"
    assert query["interval"] == "1d"
    assert int(query["period2"]) > NOW.timestamp()
    assert headers["user-agent"].startswith("Mozilla/5.0 (compatible; assay/")
    assert "cookie" not in headers


def test_only_the_source_and_this_machine_are_asked() -> None:
    with pytest.raises(AssayError, match="neither a server of the source nor this machine"):
        YahooClient("example.com")
    client = YahooClient("query2.finance.yahoo.com")
    assert (client.server.port, client.server.local) == (443, False)
    client.close()
