"""BaoStock's wire format: our client and the official one against a server on the loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError, ProviderAuth, ProviderBadReply, ProviderTransient
from assay.market import BaoStockClient, Pace
from assay.market._baostock import baostock_symbol
from assay.market._baostock_wire import read_answer

from .baostock_server import DAYS, EX_DAY, BaoStockServer, packed


def quick(**changes: Any) -> Pace:
    """A pace that neither waits nor draws."""
    return Pace(**{"per_second": 50.0, "sleep": lambda _: None, "draw": lambda: 0.0, **changes})


@pytest.fixture
def server() -> Iterator[BaoStockServer]:
    with BaoStockServer() as running:
        yield running


@pytest.fixture
def client(server: BaoStockServer) -> Iterator[BaoStockClient]:
    made = BaoStockClient(server.address, pace=quick(), timeout=10)
    yield made
    made.close()


FIRST, LAST = date.fromisoformat(DAYS[0]), date.fromisoformat(DAYS[-1])


def test_bars_of_several_pages(server: BaoStockServer, client: BaoStockClient) -> None:
    bars = client.fetch("SH600001", FIRST, LAST)
    assert len(DAYS) > 2000
    assert bars.dates.astype(str).tolist() == DAYS
    assert len(server.exchange.asked("query_history_k_data_plus")) == 2
    assert bars.columns["turn"][0] == pytest.approx(0.015)
    ex = DAYS.index(EX_DAY)
    adjusted = bars.columns["close"] * bars.columns["factor"]
    # the factor steps on the ex-date and takes the fall out of the return
    assert bars.columns["factor"][ex - 1] == 1
    assert bars.columns["close"][ex] / bars.columns["close"][ex - 1] < 0.92
    assert adjusted[ex] / adjusted[ex - 1] == pytest.approx(1, abs=2e-3)
    assert bars.notes == ()


def test_a_previous_close_that_the_factor_does_not_explain_is_noted(client: BaoStockClient) -> None:
    notes = client.fetch("SH600077", FIRST, date(2015, 2, 27)).notes
    assert notes == (f"the factor does not explain the previous close on 1 day, e.g. {DAYS[3]}",)


def test_calendar_members_and_industries(client: BaoStockClient) -> None:
    calendar = client.calendar(FIRST, LAST)
    assert calendar is not None
    assert calendar.astype(str).tolist() == DAYS
    snapshot = client.members("csi300", date(2015, 12, 13))
    assert snapshot.taken == date(2015, 12, 7)
    assert sorted(snapshot.labels) == ["SH600000", "SH600001", "SH600002"]
    assert "SZ000001" in client.members("csi500", date(2015, 12, 14)).labels
    assert client.industries(date(2015, 6, 1)).labels["SH600001"] == "J66货币金融服务"


def test_no_bars_are_explained_by_the_listing(client: BaoStockClient) -> None:
    assert client.fetch("SZ300750", FIRST, date(2016, 1, 1)).why_none == "listed on 2018-06-11"
    assert client.fetch("SH600002", date(2017, 1, 2), LAST).why_none == "delisted on 2016-03-01"
    # listed all the time: an empty answer proves nothing
    assert client.fetch("SH600404", FIRST, LAST).why_none == ""
    with pytest.raises(ProviderBadReply, match=r"does not know sh\.699999") as caught:
        client.fetch("SH699999", FIRST, LAST)
    assert caught.value.code == "unknown_symbol"


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("close", ProviderTransient, "broke off"),
        ("tear", ProviderTransient, "torn"),
        ("page", ProviderBadReply, "page 1 of query_history_k_data_plus was asked for and page 7 came"),
        ("noise", ProviderBadReply, "header"),
        ("10002007", ProviderTransient, "10002007"),
        ("10001001", ProviderTransient, "10001001"),
        ("10005001", ProviderTransient, "服务器拒绝"),
        ("10001011", ProviderAuth, "10001011"),
        ("10004011", ProviderBadReply, "10004011"),
        ("10001004", ProviderBadReply, "10001004"),
    ],
)
def test_faults_are_told_apart_and_the_next_request_goes_through(
    server: BaoStockServer, client: BaoStockClient, fault: str, kind: type[Exception], words: str
) -> None:
    server.exchange.faults["query_history_k_data_plus"] = [fault]
    with pytest.raises(kind, match=words):
        client.fetch("SH600000", FIRST, date(2015, 3, 2))
    assert len(client.fetch("SH600000", FIRST, date(2015, 3, 2)).dates) == 41


def test_a_second_page_that_fails_is_no_end_of_data(server: BaoStockServer, client: BaoStockClient) -> None:
    server.exchange.faults["query_history_k_data_plus"] = ["ok", "10002007"]
    with pytest.raises(ProviderTransient):
        client.fetch("SH600000", FIRST, LAST)


def test_a_refused_login(server: BaoStockServer, client: BaoStockClient) -> None:
    server.exchange.faults["login"] = ["10001005", "10001002"]
    with pytest.raises(ProviderTransient):
        client.calendar(FIRST, LAST)
    with pytest.raises(ProviderAuth):
        client.calendar(FIRST, LAST)


def test_nobody_listens() -> None:
    with BaoStockServer() as gone:
        address = gone.address
    client = BaoStockClient(address, pace=quick(), timeout=2)
    with pytest.raises(ProviderTransient, match="cannot be reached") as caught:
        client.calendar(FIRST, LAST)
    assert caught.value.code == "unreachable"
    client.close()


def test_a_server_that_says_nothing_is_given_up(server: BaoStockServer) -> None:
    hold = threading.Event()
    server.exchange.before = lambda method, given: None if method == "login" else hold.wait(20) and None
    client = BaoStockClient(server.address, pace=quick(), timeout=0.2)
    with pytest.raises(ProviderTransient, match="timed out"):
        client.calendar(FIRST, LAST)
    hold.set()
    server.exchange.before = None
    client.close()


def test_the_session_ends_with_a_logout(server: BaoStockServer) -> None:
    client = BaoStockClient(server.address, pace=quick())
    client.close()
    client.calendar(FIRST, date(2015, 1, 9))
    client.close()
    assert [method for method, _ in server.exchange.seen] == ["login", "query_trade_dates", "logout"]


def test_requests_are_paced(server: BaoStockServer) -> None:
    clock = [0.0]
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock[0] += seconds

    pace = Pace(per_second=4, monotonic=lambda: clock[0], sleep=sleep)
    client = BaoStockClient(server.address, pace=pace)
    client.fetch("SH600000", FIRST, date(2015, 1, 9))
    client.close()
    # login, bars, factor, logout
    assert waits == [0.25, 0.25, 0.25]


@pytest.mark.parametrize("text", ["SH600000", "sh.600000", "600000.SH", "600000.XSHG", " sh600000 "])
def test_symbols(text: str) -> None:
    assert baostock_symbol(text) == "SH600000"


@pytest.mark.parametrize("text", ["600000", "AAPL", "SH60000", "", "SH600000.SZ"])
def test_symbols_that_are_none(text: str) -> None:
    with pytest.raises(AssayError, match="not a mainland symbol"):
        baostock_symbol(text)


@pytest.mark.parametrize(
    "server", ["example.com", "10.0.0.1:10030", "127.0.0.1:0", "127.0.0.1:x", "public-api.baostock.com:99999"]
)
def test_only_the_source_and_this_machine_are_asked(server: str) -> None:
    with pytest.raises(AssayError):
        BaoStockClient(server)


def test_official_hosts_and_loopback_are_allowed() -> None:
    assert BaoStockClient().server.host == "public-api.baostock.com"
    assert BaoStockClient("www.baostock.com").server.port == 10030
    assert BaoStockClient("localhost:81").server.local
    assert BaoStockClient("[::1]:81").server.port == 81


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "header"),
        (b"00.9.40\x0196\x010000000005abcde", "torn"),
        (packed("96", ("0", "success"))[:30], "torn"),
        (b"00.9.40\x0134\x010000000001\xff", "UTF-8"),
    ],
)
def test_answers_that_are_none(data: bytes, words: str) -> None:
    with pytest.raises((ProviderBadReply, ProviderTransient), match=words):
        read_answer(data)


@pytest.fixture
def official(server: BaoStockServer, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The official package, pointed at the loopback."""
    package = pytest.importorskip("baostock", reason="the package baostock is not installed")
    import baostock.common.contants as constants

    monkeypatch.setattr(constants, "BAOSTOCK_SERVER_IP", "127.0.0.1")
    monkeypatch.setattr(constants, "BAOSTOCK_SERVER_PORT", server.port)
    return package


def rows_of(answer: Any) -> list[list[str]]:
    rows = []
    while answer.error_code == "0" and answer.next():
        rows.append(answer.get_row_data())
    assert answer.error_code == "0"
    return rows


def test_the_official_client_reads_the_same(
    official: Any, client: BaoStockClient, capsys: pytest.CaptureFixture[str]
) -> None:
    assert official.login().error_code == "0"
    fields = "date,open,high,low,close,volume,amount"
    rows = rows_of(
        official.query_history_k_data_plus(
            "sz.000001", fields, DAYS[0], DAYS[-1], frequency="d", adjustflag="3"
        )
    )
    factors = rows_of(official.query_adjust_factor("sh.600001", "1990-01-01", DAYS[-1]))
    calendar = rows_of(official.query_trade_dates(DAYS[0], DAYS[-1]))
    members = rows_of(official.query_hs300_stocks("2019-01-02"))
    industries = rows_of(official.query_stock_industry("", "2019-01-02"))
    basic = rows_of(official.query_stock_basic("sh.600002"))
    official.logout()
    ours = client.fetch("SZ000001", FIRST, LAST)
    assert [row[0] for row in rows] == ours.dates.astype(str).tolist()
    for place, name in enumerate(("open", "high", "low", "close", "volume", "amount"), start=1):
        theirs = [float(row[place]) if row[place] else np.nan for row in rows]
        np.testing.assert_array_equal(ours.columns[name], theirs)
    step = client.fetch("SH600001", FIRST, LAST).columns["factor"]
    assert [float(row[3]) for row in factors] == [b for a, b in pairwise(step) if a != b]
    days = client.calendar(FIRST, LAST)
    assert days is not None
    assert [day for day, trading in calendar if trading == "1"] == days.astype(str).tolist()
    assert {baostock_symbol(row[1]) for row in members} == set(
        client.members("csi300", date(2019, 1, 2)).labels
    )
    assert {baostock_symbol(row[1]): row[3] for row in industries} == client.industries(
        date(2019, 1, 2)
    ).labels
    assert basic[0][3] == "2016-03-01"
