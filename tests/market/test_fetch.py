"""Downloads into a partial folder: resumed, complete or not published, brought up to date."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError, DataError, ProviderAuth, ProviderBadReply, ProviderTransient, Refusal
from assay.market import (
    BaoStockClient,
    FetchIncomplete,
    FetchPlan,
    MembershipSource,
    Outcome,
    Pace,
    Sides,
    YahooClient,
    fetch,
    open_panel,
    partial_folder,
    update,
    verify,
)

from .baostock_server import BANK, DAYS, EX_DAY, STEEL, SUSPENDED, WITHOUT_ROW, BaoStockServer
from .test_baostock import quick
from .test_yahoo import StoppedClock
from .yahoo_server import DAYS as US_DAYS
from .yahoo_server import Stock, YahooServer

START, END = date(2015, 1, 5), date(2016, 12, 30)
SYMBOLS = ("SH600000", "SH600001", "SZ000001")
PLAN = FetchPlan("baostock", START, END, SYMBOLS)


@pytest.fixture
def server() -> Iterator[BaoStockServer]:
    with BaoStockServer() as running:
        yield running


@pytest.fixture
def client(server: BaoStockServer) -> Iterator[BaoStockClient]:
    made = BaoStockClient(server.address, pace=quick(), timeout=10)
    yield made
    made.close()


@pytest.fixture
def yahoo() -> Iterator[YahooServer]:
    with YahooServer() as running:
        yield running


def us(server: YahooServer) -> YahooClient:
    return YahooClient(server.address, pace=quick(), clock=StoppedClock())


def asked(server: BaoStockServer) -> list[str]:
    return [given[0] for given in server.exchange.asked("query_history_k_data_plus")]


def test_a_download_becomes_a_data_set(client: BaoStockClient, tmp_path: Path) -> None:
    done = fetch(client, PLAN, tmp_path / "cn")
    panel = open_panel(tmp_path / "cn")
    assert panel.instruments == SYMBOLS
    assert panel.dates.astype(str).tolist() == [day for day in DAYS if day <= "2016-12-30"]
    assert panel.manifest.limits.rule == "cn"
    # stored raw, adjusted when read
    ex = panel.dates.astype(str).tolist().index(EX_DAY)
    assert panel.raw("close")[ex, 1] < 0.92 * panel.raw("close")[ex - 1, 1]
    assert abs(panel.field("returns")[ex, 1]) < 0.02
    # suspended as the source says so, with no price
    suspended = panel.trading().suspended[:, 2]
    assert suspended.sum() == len(SUSPENDED)
    assert np.isnan(panel.raw("close")[suspended, 2]).all()
    assert panel.manifest.source.detail["symbols"] == dict.fromkeys(SYMBOLS, len(panel.dates))
    assert verify(tmp_path / "cn") == ()
    assert [path.name for path in tmp_path.iterdir()] == ["cn"]
    assert {item.status for item in done.outcomes.values()} == {"ok"}


def test_a_day_without_a_row_is_unknown_and_not_suspended(client: BaoStockClient, tmp_path: Path) -> None:
    plan = FetchPlan("baostock", START, END, ("SH600000", "SH600099"))
    panel = fetch(client, plan, tmp_path / "cn").panel
    rows = np.isin(panel.dates.astype(str), list(WITHOUT_ROW))
    assert np.isnan(panel.raw("suspended")[rows, 1]).all()
    assert not panel.trading().suspended[rows, 1].any()
    assert panel.manifest.source.detail["days_without_row"] == {"SH600099": 2}


def test_members_and_industries_by_date(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    plan = FetchPlan("baostock", START, END, universes=("csi300",), industry=True)
    panel = fetch(client, plan, tmp_path / "cn").panel
    # everyone who ever was a member, with bars
    assert panel.instruments == ("SH600000", "SH600001", "SH600002", "SZ000001")
    members = panel.universe("csi300")
    review = panel.dates.astype(str).tolist().index("2015-12-14")
    assert members[review - 1].tolist() == [True, True, True, False]
    assert members[review].tolist() == [True, True, False, True]
    assert panel.manifest.universes["csi300"].known_until == str(END)
    labels = panel.group_labels("industry")
    assert labels == tuple(sorted((BANK, STEEL)))
    codes = panel.group("industry")
    first, last = labels.index(BANK), labels.index(STEEL)
    assert codes[0].tolist() == [first, first, -1, -1]
    assert codes[-1].tolist() == [first, last, -1, -1]
    days = [given[0] for given in server.exchange.asked("query_hs300_stocks")]
    assert {"2015-06-15", "2015-12-14", "2016-06-13", "2016-12-12", "2015-02-01"} <= set(days)


def test_stale_lists_are_not_stretched_to_today(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.lists_end = "2016-02-01"
    panel = fetch(client, FetchPlan("baostock", START, END, universes=("csi300",)), tmp_path / "cn").panel
    # nothing came after the review of 13 June 2016
    assert panel.manifest.universes["csi300"].known_until == "2016-06-12"
    with pytest.raises(Refusal, match="known until 2016-06-12"):
        panel.universe("csi300")
    assert panel.between("2015-01-05", "2016-06-12").universe("csi300").any()


def test_a_list_of_industries_is_not_used_before_its_date(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    # the source has but one list, whatever day is asked for
    server.exchange.industries_begin = "2016-10-03"
    panel = fetch(client, FetchPlan("baostock", START, END, SYMBOLS, industry=True), tmp_path / "cn").panel
    first = panel.dates.astype(str).tolist().index("2016-10-03")
    assert (panel.group("industry")[:first] == -1).all()
    assert (panel.group("industry")[first:, 0] >= 0).all()


def test_no_list_of_members_is_no_empty_index(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.lists_begin = "2015-09-01"
    with pytest.raises(ProviderBadReply, match="no list of csi300 on 2015-01-05: begin later"):
        fetch(client, FetchPlan("baostock", START, END, universes=("csi300",)), tmp_path / "cn")


def test_an_interrupted_download_goes_on_where_it_stopped(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    def stop(done: int, total: int, outcome: Outcome) -> None:
        if outcome.item == "bars/SH600001":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(client, PLAN, tmp_path / "cn", progress=stop)
    assert not (tmp_path / "cn").exists()
    before = asked(server)
    fetch(client, PLAN, tmp_path / "cn")
    assert before == ["sh.600000", "sh.600001"]
    assert asked(server) == ["sh.600000", "sh.600001", "sz.000001"]
    whole = fetch(client, PLAN, tmp_path / "whole").panel
    assert open_panel(tmp_path / "cn").manifest.fingerprint == whole.manifest.fingerprint


_KILLED = """
import os, sys
from datetime import date
from pathlib import Path
from assay.market import BaoStockClient, FetchPlan, Pace, fetch

def stop(done, total, outcome):
    if outcome.item == "bars/SH600001":
        os._exit(9)  # as a kill: nothing is tidied up

client = BaoStockClient(sys.argv[1], pace=Pace(per_second=50))
plan = FetchPlan("baostock", date(2015, 1, 5), date(2016, 12, 30), ("SH600000", "SH600001", "SZ000001"))
fetch(client, plan, Path(sys.argv[2]), progress=stop)
"""


def test_a_killed_process_leaves_what_had_arrived(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    folder = tmp_path / "cn"
    ran = subprocess.run([sys.executable, "-c", _KILLED, server.address, str(folder)], check=False)
    assert ran.returncode == 9
    assert not folder.exists()
    # the last line is torn, as by a power cut
    journal = partial_folder(folder) / "journal.jsonl"
    with open(journal, "ab") as file:
        file.write(b'{"item":"bars/SZ0000')
    fetch(client, PLAN, folder)
    assert asked(server) == ["sh.600000", "sh.600001", "sz.000001"]
    assert [path.name for path in tmp_path.iterdir()] == ["cn"]


def test_a_damaged_file_is_asked_for_again(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.refused["sz.000001"] = "10004019"
    with pytest.raises(FetchIncomplete):
        fetch(client, PLAN, tmp_path / "cn")
    stored = next(partial_folder(tmp_path / "cn").glob("bars_SH600000*"))
    stored.write_bytes(stored.read_bytes()[:-5])
    server.exchange.refused.clear()
    fetch(client, PLAN, tmp_path / "cn")
    assert asked(server) == ["sh.600000", "sh.600001", "sz.000001", "sh.600000", "sz.000001"]


def test_one_failed_symbol_keeps_the_data_set_back(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.refused["sh.600001"] = "10004019"
    with pytest.raises(
        FetchIncomplete, match="1 of 3 symbols did not arrive, nothing was published"
    ) as caught:
        fetch(client, PLAN, tmp_path / "cn")
    told = caught.value.as_dict()
    assert (told["arrived"], list(told["failed"])) == (2, ["SH600001"])
    assert not (tmp_path / "cn").exists()
    # tried again, it still fails; without it, the manifest names it
    done = fetch(client, PLAN, tmp_path / "cn", allow_missing=True)
    assert done.panel.instruments == ("SH600000", "SZ000001")
    missing = done.panel.manifest.source.detail["missing"]
    assert list(missing) == ["SH600001"]
    assert "10004019" in missing["SH600001"]
    assert asked(server).count("sh.600000") == 1


def test_empty_answers(client: BaoStockClient, tmp_path: Path) -> None:
    plan = FetchPlan("baostock", date(2017, 1, 2), date(2017, 3, 1), ("SH600000", "SH600002", "SZ300750"))
    panel = fetch(client, plan, tmp_path / "cn").panel
    assert panel.instruments == ("SH600000",)
    assert panel.manifest.source.detail["without_bars"] == {
        "SH600002": "delisted on 2016-03-01",
        "SZ300750": "listed on 2018-06-11",
    }
    with pytest.raises(FetchIncomplete, match="does not say why"):
        fetch(client, FetchPlan("baostock", START, END, ("SH600000", "SH600404")), tmp_path / "b")
    with pytest.raises(FetchIncomplete, match=r"does not know sh\.699999"):
        fetch(client, FetchPlan("baostock", START, END, ("SH600000", "SH699999")), tmp_path / "c")
    with pytest.raises(ProviderBadReply, match="no symbol has a bar"):
        fetch(client, FetchPlan("baostock", START, START, ("SZ300750",)), tmp_path / "d")


def test_failures_that_pass_are_tried_again(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.faults = {
        "query_history_k_data_plus": ["close", "10002007", "ok", "tear"],
        "query_adjust_factor": ["10001001"],
        "login": ["close"],
    }
    fetch(client, PLAN, tmp_path / "cn")
    assert server.exchange.faults == {"query_history_k_data_plus": [], "query_adjust_factor": [], "login": []}


def test_without_a_connection_the_run_stops_at_once(tmp_path: Path) -> None:
    with BaoStockServer() as gone:
        address = gone.address
    waits: list[float] = []
    client = BaoStockClient(address, pace=quick(sleep=waits.append, monotonic=lambda: 0.0), timeout=2)
    with pytest.raises(ProviderTransient, match="stopped after 0 of 4 items, nothing was published"):
        fetch(client, PLAN, tmp_path / "cn")
    assert [wait for wait in waits if wait >= 0.4] == [0.5, 1.0, 2.0, 4.0]


def test_a_source_that_refuses_is_left_alone(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.refused["sh.600000"] = "10001011"
    with pytest.raises(ProviderAuth, match="stopped after 1 of 4"):
        fetch(client, PLAN, tmp_path / "cn")
    assert asked(server) == ["sh.600000"]


def test_a_source_that_limits_the_rate_is_left_alone(yahoo: YahooServer, tmp_path: Path) -> None:
    yahoo.exchange.faults["AAA"] = ["429"] * 5
    client = us(yahoo)
    plan = FetchPlan("yahoo", US_DAYS[0], US_DAYS[-1], ("AAA", "BBB"))
    with pytest.raises(ProviderTransient, match="429; stopped after"):
        fetch(client, plan, tmp_path / "us", clock=StoppedClock())
    assert yahoo.exchange.asked() == ["AAA"] * 5
    fetch(client, plan, tmp_path / "us", clock=StoppedClock())
    client.close()


def test_one_failing_symbol_after_the_other_stops_the_run(yahoo: YahooServer, tmp_path: Path) -> None:
    symbols = tuple(f"S{place}" for place in range(9))
    yahoo.exchange.faults = {symbol: ["503"] * 5 for symbol in symbols}
    client = us(yahoo)
    with pytest.raises(ProviderTransient, match="503; stopped after"):
        fetch(
            client,
            FetchPlan("yahoo", US_DAYS[0], US_DAYS[-1], symbols),
            tmp_path / "us",
            clock=StoppedClock(),
        )
    assert len(set(yahoo.exchange.asked())) == 5
    client.close()


def test_another_plan_does_not_mix_with_what_has_arrived(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.refused["sz.000001"] = "10004019"
    with pytest.raises(FetchIncomplete):
        fetch(client, PLAN, tmp_path / "cn")
    other = FetchPlan("baostock", START, date(2016, 6, 1), SYMBOLS[:2])
    with pytest.raises(DataError, match="begun with other end, symbols"):
        fetch(client, other, tmp_path / "cn")
    panel = fetch(client, other, tmp_path / "cn", restart=True).panel
    assert str(panel.dates[-1]) == "2016-06-01"


def test_two_downloads_of_one_name(client: BaoStockClient, tmp_path: Path) -> None:
    def second(done: int, total: int, outcome: Outcome) -> None:
        with pytest.raises(DataError, match="another process is downloading"):
            fetch(client, PLAN, tmp_path / "cn")

    fetch(client, PLAN, tmp_path / "cn", progress=second)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (FetchPlan("baostock", END, START, SYMBOLS), "lies after the last"),
        (FetchPlan("baostock", START, date(2999, 1, 1), SYMBOLS), "in the future"),
        (FetchPlan("baostock", START, END), "needs symbols or an index"),
        (FetchPlan("baostock", START, END, universes=("sp500",)), "csi300, csi500, sse50"),
    ],
)
def test_plans_that_cannot_be(client: BaoStockClient, tmp_path: Path, plan: FetchPlan, words: str) -> None:
    with pytest.raises(AssayError, match=words):
        fetch(client, plan, tmp_path / "cn")
    assert list(tmp_path.iterdir()) == []


def test_what_yahoo_does_not_have(yahoo: YahooServer, tmp_path: Path) -> None:
    client = us(yahoo)
    for plan, words in (
        (FetchPlan("yahoo", US_DAYS[0], US_DAYS[-1], universes=("csi300",)), "it has: none"),
        (FetchPlan("yahoo", US_DAYS[0], US_DAYS[-1], ("AAA",), industry=True), "no industries by date"),
    ):
        with pytest.raises(AssayError, match=words):
            fetch(client, plan, tmp_path / "us", clock=StoppedClock())
    client.close()


def test_an_existing_folder_is_not_touched(client: BaoStockClient, tmp_path: Path) -> None:
    (tmp_path / "cn").mkdir()
    with pytest.raises(AssayError, match="exists already"):
        fetch(client, PLAN, tmp_path / "cn")
    with pytest.raises(AssayError, match="cannot be a data set name"):
        fetch(client, PLAN, tmp_path / "Bad Name")


def test_a_full_disk_keeps_what_has_arrived(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def replace(source: Any, target: Any) -> None:
        if "SH600001" in str(target):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(AssayError, match="No space left on device"):
        fetch(client, PLAN, tmp_path / "cn")
    monkeypatch.setattr(os, "replace", real)
    fetch(client, PLAN, tmp_path / "cn")
    assert asked(server).count("sh.600000") == 1


def test_a_bar_outside_the_calendar_is_a_failure(
    client: BaoStockClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = client.calendar
    monkeypatch.setattr(client, "calendar", lambda start, end: np.delete(real(start, end), 3))
    with pytest.raises(FetchIncomplete, match="which is no trading day"):
        fetch(client, FetchPlan("baostock", START, END, ("SH600000",)), tmp_path / "cn")


def test_tables_from_files_are_attached(yahoo: YahooServer, tmp_path: Path) -> None:
    members = tmp_path / "m.csv"
    members.write_text("symbol,in,out\nAAA,2019-01-01,\n")
    client = us(yahoo)
    done = fetch(
        client,
        FetchPlan("yahoo", US_DAYS[0], US_DAYS[-1], ("AAA", "BBB")),
        tmp_path / "us",
        sides=Sides(membership={"mine": MembershipSource(members, known_until="2030-01-01")}),
        clock=StoppedClock(),
    )
    client.close()
    assert done.panel.universe("mine")[-1].tolist() == [True, False]
    assert done.panel.manifest.market == "US"


def test_a_pace_that_cannot_be() -> None:
    for rate in (0.0, -1.0, 1000.0, float("nan")):
        with pytest.raises(AssayError, match="requests a second"):
            Pace(per_second=rate)


# ---------------------------------------------------------------- updates


def test_an_update_goes_on_and_takes_new_members_with_their_history(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    folder = tmp_path / "cn"
    plan = FetchPlan("baostock", START, date(2018, 10, 31), universes=("csi300",), industry=True)
    fetch(client, plan, folder)
    server.exchange.seen.clear()
    panel = update(folder, client, date(2019, 3, 1))
    assert panel.instruments[-1] == "SZ300750"
    assert str(panel.dates[-1]) == "2019-03-01"
    # its bars from the listing on, not from the update on
    listed = panel.dates.astype(str).tolist().index("2018-06-11")
    assert int(panel.data.first_row[-1]) == listed
    assert np.isfinite(panel.raw("close")[listed:, -1]).all()
    assert panel.manifest.universes["csi300"].known_until == "2019-03-01"
    joined = panel.dates.astype(str).tolist().index("2018-12-17")
    assert panel.universe("csi300")[[joined - 1, joined], -1].tolist() == [False, True]
    assert panel.group("industry").shape == panel.shape
    # delisted 600002 is not asked for again
    assert asked(server) == ["sh.600000", "sh.600001", "sz.000001", "sz.300750"]
    detail = panel.manifest.source.detail
    assert detail["symbols"]["SH600000"] == len(panel.dates)
    assert (detail["start"], detail["end"]) == ("2015-01-05", "2019-03-01")
    assert [path.name for path in tmp_path.iterdir()] == ["cn"]
    # the same as if all had been fetched at once
    whole = fetch(
        client,
        FetchPlan("baostock", START, date(2019, 3, 1), universes=("csi300",), industry=True),
        tmp_path / "whole",
    ).panel
    for name in ("close", "volume", "suspended"):
        np.testing.assert_array_equal(panel.raw(name), whole.raw(name))
    np.testing.assert_allclose(panel.raw("factor"), whole.raw("factor"), rtol=1e-6)
    np.testing.assert_array_equal(panel.universe("csi300"), whole.universe("csi300"))


def test_an_interrupted_update_goes_on(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    folder = tmp_path / "cn"
    fetch(client, FetchPlan("baostock", START, date(2016, 6, 30), SYMBOLS), folder)
    before = open_panel(folder).manifest
    server.exchange.seen.clear()
    server.exchange.refused["sz.000001"] = "10002007"
    with pytest.raises(FetchIncomplete):
        update(folder, client, END)
    assert open_panel(folder).manifest == before
    server.exchange.refused.clear()
    panel = update(folder, client, END)
    assert panel.shape == (len([day for day in DAYS if day <= str(END)]), 3)
    assert asked(server).count("sh.600000") == 1
    # the factor that stepped meanwhile continues the stored one
    ex = panel.dates.astype(str).tolist().index(EX_DAY)
    assert abs(panel.field("returns")[ex, 1]) < 0.02
    with pytest.raises(DataError, match="nothing to append"):
        update(folder, client, END)
    assert [path.name for path in tmp_path.iterdir()] == ["cn"]


def test_an_update_without_a_symbol_names_it(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    folder = tmp_path / "cn"
    fetch(client, FetchPlan("baostock", START, date(2016, 6, 30), SYMBOLS), folder)
    server.exchange.refused["sz.000001"] = "10004019"
    panel = update(folder, client, END, allow_missing=True)
    assert list(panel.manifest.source.detail["missing"]) == ["SZ000001"]
    assert np.isnan(panel.raw("close")[-1, 2])
    # it ends with its last stored bar, and the manifest says so
    assert int(panel.data.last_row[2]) == panel.dates.astype(str).tolist().index("2016-06-30")
    assert "instruments that an update went without end with their last stored bar" in panel.manifest.rules


def test_an_update_holds_the_data_set_while_it_downloads(client: BaoStockClient, tmp_path: Path) -> None:
    folder = tmp_path / "cn"
    fetch(client, FetchPlan("baostock", START, date(2016, 6, 30), SYMBOLS), folder)

    def second(done: int, total: int, outcome: Outcome) -> None:
        with pytest.raises(DataError, match="is being updated by another process"):
            update(folder, client, END)

    assert update(folder, client, END, progress=second).shape[1] == 3


def test_an_update_asks_the_source_it_came_from(
    client: BaoStockClient, yahoo: YahooServer, tmp_path: Path
) -> None:
    folder = tmp_path / "cn"
    fetch(client, FetchPlan("baostock", START, date(2015, 6, 30), SYMBOLS), folder)
    other = us(yahoo)
    with pytest.raises(DataError, match="comes from baostock, not from yahoo"):
        update(folder, other, END)
    other.close()


def test_a_split_after_the_last_stored_day_does_not_change_stored_prices(
    yahoo: YahooServer, tmp_path: Path
) -> None:
    folder = tmp_path / "us"
    yahoo.exchange.stocks = {"AAA": Stock(splits={60: 4.0}, dividends={30: 2.0, 70: 1.0})}
    yahoo.exchange.today = 49
    client = us(yahoo)
    plan = FetchPlan("yahoo", US_DAYS[0], US_DAYS[49], ("AAA",))
    before = fetch(client, plan, folder, clock=StoppedClock()).panel.raw("close").copy()
    yahoo.exchange.today = len(US_DAYS) - 1
    panel = update(folder, client, US_DAYS[-1], clock=StoppedClock())
    np.testing.assert_allclose(panel.raw("close")[:50], before, rtol=1e-6)
    whole = fetch(
        client,
        FetchPlan("yahoo", US_DAYS[0], US_DAYS[-1], ("AAA",)),
        tmp_path / "whole",
        clock=StoppedClock(),
    ).panel
    np.testing.assert_allclose(panel.field("close"), whole.field("close"), rtol=1e-5)
    client.close()


def test_the_journal_is_one_line_an_item(
    client: BaoStockClient, server: BaoStockServer, tmp_path: Path
) -> None:
    server.exchange.refused["sz.000001"] = "10004019"
    with pytest.raises(FetchIncomplete):
        fetch(client, PLAN, tmp_path / "cn")
    lines = (partial_folder(tmp_path / "cn") / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    told = {item["item"]: item["status"] for item in map(json.loads, lines)}
    assert told == {
        "calendar": "ok",
        "bars/SH600000": "ok",
        "bars/SH600001": "ok",
        "bars/SZ000001": "failed",
    }
