"""``assay data fetch``, ``update`` of what was fetched, and ``export``, against servers on the loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.cli import _data_fetch
from assay.market import Pace, open_panel

from ..market.baostock_server import BaoStockServer
from ..market.yahoo_server import YahooExchange, YahooServer
from .conftest import Run

CN = ("fetch", "baostock", "--name", "x", "--symbols", "SH600000")
SPAN = ("--start", "2015-01-05", "--end", "2016-06-30")


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command of these tests waits: a server on the loopback needs no mercy."""

    def pace(per_second: float) -> Pace:
        return Pace(per_second=per_second, sleep=lambda _: None)

    monkeypatch.setattr("assay.market.Pace", pace, raising=False)


@pytest.fixture
def cn() -> Iterator[BaoStockServer]:
    with BaoStockServer() as server:
        yield server


def fetch(server: BaoStockServer, *more: str, symbols: str = "sh.600000,600001.SH") -> tuple[str, ...]:
    named = ("--symbols", symbols) if symbols else ()
    return ("data", "fetch", "baostock", "--name", "cn", *SPAN, *named, "--server", server.address, *more)


def test_fetch_update_and_export(run: Run, cn: BaoStockServer, tmp_path: Path) -> None:
    made = run(*fetch(cn, "--universe", "csi300", "--industry", "--json"))
    assert made.code == 0, made.err
    assert made.data["instruments"] == 4
    assert made.data["symbols"]["arrived"] == 4
    assert made.data["known_until"] == {"csi300": "2016-06-30"}
    assert made.err == ""
    done = run("data", "update", "cn", "--until", "2017-03-31", "--server", cn.address)
    assert done.code == 0, done.err
    assert "2017-03-31" in done.out
    assert run("data", "show", "cn", "--json").data["universes"]["csi300"]["known_until"] == "2017-03-31"
    told = run("data", "export", "cn", "--to", "out", "--json").data
    assert told["left_out"] == ["group industry"]
    assert {"close", "factor", "change", "vwap"} <= set(told["fields"])
    assert run("data", "import", "out", "--name", "again").code == 0
    first, second = open_panel(tmp_path / "data" / "cn"), open_panel(tmp_path / "data" / "again")
    np.testing.assert_allclose(first.field("close"), second.field("close"), rtol=3e-7)


def test_a_run_shows_its_progress_and_its_result(run: Run, cn: BaoStockServer) -> None:
    done = run(*fetch(cn, symbols="SH600000,SH600077,SZ300750"))
    assert done.code == 0, done.err
    assert "download: bars" in done.err
    assert "2 symbols arrived" in done.out
    assert "no bars: SZ300750: listed on 2018-06-11" in done.out
    assert "note: SH600077: the factor does not explain the previous close" in done.out


def test_yahoo(run: Run) -> None:
    exchange = YahooExchange()
    with YahooServer(exchange) as server:
        command = ("data", "fetch", "yahoo", "--name", "us", "--start", "2020-01-06", "--end", "2020-06-19")
        done = run(*command, "--symbols", "aaa,BBB", "--server", server.address, "--json")
    assert done.code == 0, done.out
    assert (done.data["instruments"], done.data["dates"]) == (2, 120)


def test_incomplete_is_an_outside_failure_that_can_be_continued(run: Run, cn: BaoStockServer) -> None:
    cn.exchange.refused["sh.600001"] = "10004019"
    done = run(*fetch(cn))
    assert done.code == 3
    assert "1 of 2 symbols did not arrive, nothing was published: SH600001" in done.err
    assert "--allow-missing" in done.err
    assert "failed: SH600001" in done.err
    told = run(*fetch(cn, "--json"))
    assert (told.code, told.data["error"], told.data["arrived"]) == (3, "fetch_incomplete", 1)
    assert list(told.data["failed"]) == ["SH600001"]
    assert run("data", "list", "--json").data["data"] == []
    last = run(*fetch(cn, "--allow-missing", "--json"))
    assert (last.code, last.data["instruments"]) == (0, 1)
    asked = [given[0] for given in cn.exchange.asked("query_history_k_data_plus")]
    assert asked.count("sh.600000") == 1


def test_a_download_goes_on_on_another_day(
    run: Run, cn: BaoStockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cn.exchange.refused["sh.600001"] = "10004019"
    assert run(*fetch(cn)).code == 3
    cn.exchange.refused.clear()
    # without --end it would end today: the date with which it was begun holds
    again = [word for word in fetch(cn, "--json") if word not in ("--end", "2016-06-30")]
    done = run(*again)
    assert (done.code, done.data["last"]) == (0, "2016-06-30")


def test_no_network(run: Run, tmp_path: Path) -> None:
    with BaoStockServer() as gone:
        command = fetch(gone)
    done = run(*command)
    assert done.code == 3
    assert "cannot be reached" in done.err
    assert "the same command goes on where this one stopped" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "data" / "cn").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (("fetch", "bloomberg", "--name", "x", *SPAN, "--symbols", "A"), "'bloomberg' is not a choice"),
        (("fetch", "yaho", "--name", "x", *SPAN, "--symbols", "A"), "did you mean yahoo"),
        (("fetch", "baostock", "--name", "x", *SPAN), "needs symbols"),
        (("fetch", "baostock", "--name", "x", "--symbols", "SH600000"), "--start"),
        (("fetch", "baostock", "--symbols", "SH600000", *SPAN), "--name"),
        (("fetch", "baostock", "--name", "x", *SPAN, "--symbols", "AAPL"), "not a mainland symbol"),
        (("fetch", "baostock", "--name", "x", *SPAN, "--symbols", "SH600000,sh.600000"), "are one symbol"),
        (("fetch", "yahoo", "--name", "x", *SPAN, "--symbols", "A B"), "not a symbol of Yahoo"),
        (("fetch", "yahoo", "--name", "x", *SPAN, "--universe", "csi300"), "has no members"),
        (("fetch", "yahoo", "--name", "x", *SPAN, "--symbols", "A", "--industry"), "no industries"),
        (("fetch", "baostock", "--name", "x", "--start", "soon", "--symbols", "SH600000"), "not a date"),
        (
            ("fetch", "baostock", "--name", "x", "--start", "2020-02-30", "--symbols", "SH600000"),
            "not a date",
        ),
        (
            (*CN, "--start", "2020-01-02", "--end", "2019-01-02"),
            "lies after the last",
        ),
        (
            (*CN, "--start", "2020-01-02", "--end", "2999-01-02"),
            "in the future",
        ),
        (("fetch", "baostock", "--name", "X y", *SPAN, "--symbols", "SH600000"), "cannot be a data set name"),
        (
            ("fetch", "baostock", "--name", "x", *SPAN, "--symbols", "SH600000", "--rate", "0"),
            "requests a second",
        ),
        (
            ("fetch", "baostock", "--name", "x", *SPAN, "--symbols", "SH600000", "--server", "example.com"),
            "neither a server of the source",
        ),
        (("export", "none", "--to", "out"), "no data set"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_bad_input(run: Run, tmp_path: Path, changes: tuple[str, ...], words: str, as_json: bool) -> None:
    done = run("data", *changes, *(["--json"] if as_json else []))
    assert done.code == 2
    assert words in (done.out if as_json else done.err)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_data_set_is_not_overwritten(run: Run, cn: BaoStockServer) -> None:
    assert run(*fetch(cn)).code == 0
    done = run(*fetch(cn))
    assert done.code == 2
    assert "exists already" in done.err


def test_export_needs_a_new_folder_and_a_known_format(run: Run, tmp_path: Path) -> None:
    run("data", "simulate", "s", "--instruments", "30", "--days", "80")
    (tmp_path / "out").mkdir()
    assert "exists already" in run("data", "export", "s", "--to", "out").err
    assert "not a choice" in run("data", "export", "s", "--to", "new", "--format", "zipline").err
    done = run("data", "export", "s", "--to", "new")
    assert done.code == 0
    assert "universes: index_a, index_b" in done.out
    assert "events event_score" in done.out


def test_the_client_of_a_command_is_paced_as_told() -> None:
    client = _data_fetch.Download("127.0.0.1:1", 2.5, False, False, True).client("baostock")
    assert client.pace.per_second == 2.5
