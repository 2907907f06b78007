from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.cli import main

from ..market.tables import HEADER, ROWS, bars, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["data", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    got, out, err = run(capsys, *arguments, "--json")
    assert got == code, (out, err)
    return json.loads(out)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_simulate_list_show_and_doctor(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = answer(capsys, "simulate", "small", "--instruments", "30", "--days", "80", "--seed", "3")
    assert made["simulated"] is True
    assert Path(made["folder"]).resolve() == here / "data" / "small"
    listed = answer(capsys, "list")["data"]
    assert [item["name"] for item in listed] == ["small"]
    manifest = answer(capsys, "show", "small")
    assert manifest["fingerprint"] == made["fingerprint"]
    assert len(manifest["planted"]) == 10
    assert answer(capsys, "doctor", "small")["serious"] == 0
    for command in (("list",), ("show", "small"), ("doctor", "small")):
        code, out, _ = run(capsys, *command)
        assert code == 0
        assert "small" in out
    assert "simulated" in run(capsys, "show", "small")[1]


def test_the_twin_has_nothing_planted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "simulate", "twin", "--instruments", "30", "--days", "80", "--no-signal")
    assert answer(capsys, "show", "twin")["planted"] == []


def test_a_folder_of_data_sets_can_be_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "simulate", "a", "--instruments", "30", "--days", "80", "--dir", "else")
    assert (here / "else" / "a" / "manifest.json").is_file()
    assert answer(capsys, "list", "--dir", "else")["data"][0]["name"] == "a"
    assert answer(capsys, "show", "a", "--dir", "else")["name"] == "a"
    assert answer(capsys, "list")["data"] == []


def test_a_workspace_keeps_its_own_data(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["init", "work"]) == 0
    capsys.readouterr()
    (here / "work" / "deep").mkdir()
    monkeypatch.chdir(here / "work" / "deep")
    made = answer(capsys, "simulate", "a", "--instruments", "30", "--days", "80")
    assert Path(made["folder"]).resolve() == here / "work" / "data" / "a"


def test_import_shows_what_it_took_each_column_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bars(here)
    members = write(here, "m.csv", "symbol,in,out", "A,2019-01-01,", "B,2019-01-01,2020-01-06")
    groups = write(here, "g.csv", "symbol,name,sw", "A,Acme,steel", "B,Bee,bank")
    events = write(here, "e.csv", "symbol,known_time,score", "A,2020-01-02 10:00:00,0.5")
    made = answer(
        capsys, "import", "bars.csv", "--name", "mine", "--market", "cn", "--membership", f"idx={members}",
        "--known-until", "2020-12-31", "--groups", f"industry={groups}:sw", "--events", f"news={events}",
    )  # fmt: skip
    assert made["written"] is True
    assert made["columns"]["close"] == "close"
    manifest = answer(capsys, "show", "mine")
    assert manifest["universes"]["idx"]["known_until"] == "2020-12-31"
    assert manifest["groups"]["industry"]["labels"] == ["bank", "steel"]
    assert manifest["events"] == {"news": 1}
    assert manifest["market"] == "CN"


def test_import_in_words(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, "t.csv", HEADER + ",pe,name", *[f"{row},9,x" for row in ROWS], "2020-01-07,A,6,6,5,7,1,2,9,x")
    code, out, _ = run(capsys, "import", "t.csv")
    assert code == 0
    for words in (
        "columns: date=date",
        "unknown: pe",
        "left out, not numbers: name (labels: --groups NAME=FILE:COLUMN)",
        "outside_range",
        "1 bar set missing",
    ):
        assert words in out
    assert (here / "data" / "t" / "quarantine.csv").read_text().splitlines()[
        1
    ] == "2020-01-07,A,outside_range"


def test_a_dry_run_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bars(here)
    before = names(here)
    assert answer(capsys, "import", "bars.csv", "--dry-run")["written"] is False
    assert "nothing was written" in run(capsys, "import", "bars.csv", "--dry-run")[1]
    assert names(here) == before


def test_a_qlib_folder_is_recognised(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = here / "cn"
    (folder / "calendars").mkdir(parents=True)
    write(folder / "calendars", "day.txt", "2020-01-02", "2020-01-03")
    (folder / "features" / "sh600000").mkdir(parents=True)
    for field in ("open", "high", "low", "close", "volume"):
        np.array([0, 10, 11], dtype="<f4").tofile(folder / "features" / "sh600000" / f"{field}.day.bin")
    assert answer(capsys, "import", "cn", "--name", "q")["source"] == "qlib"


def test_update_from_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = write(here, "e.csv", "symbol,known_time,score", "A,2020-01-02 10:00:00,0.5")
    answer(capsys, "import", str(bars(here)), "--name", "mine", "--events", f"news={events}")
    write(
        here,
        "new.csv",
        HEADER,
        *ROWS[-2:],
        "2020-01-07,A,6,6.5,5.9,6.2,200,2",
        "2020-01-07,B,20,20.5,19.9,20,9,1",
    )
    made = answer(capsys, "update", "mine", "--from", "new.csv")
    assert made["dates"] == 4
    assert made["left_behind"] == ["news"]
    # a second time there is nothing new
    assert "nothing to append" in answer(capsys, "update", "mine", "--from", "new.csv", code=2)["message"]


def test_an_update_takes_newer_membership(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    members = write(here, "m.csv", "symbol,in,out", "A,2019-01-01,2020-01-06", "B,2019-01-01,")
    answer(capsys, "import", str(bars(here)), "--name", "mine", "--membership", f"idx={members}")
    write(here, "new.csv", HEADER, *ROWS[-2:], "2020-01-07,A,6,6.5,5.9,6.2,200,2")
    answer(capsys, "update", "mine", "--from", "new.csv")
    assert answer(capsys, "show", "mine")["universes"]["idx"]["known_until"] == "2020-01-06"
    write(here, "newer.csv", HEADER, "2020-01-07,A,6,6.5,5.9,6.2,200,2", "2020-01-08,A,6,6.5,5.9,6.2,200,2")
    answer(
        capsys,
        "update",
        "mine",
        "--from",
        "newer.csv",
        "--membership",
        f"idx={members}",
        "--known-until",
        "2020-02-01",
    )
    shown = answer(capsys, "show", "mine")
    assert shown["universes"]["idx"]["known_until"] == "2020-02-01"
    assert shown["dates"]["count"] == 5


def test_update_without_a_source_that_can_be_asked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "simulate", "s", "--instruments", "30", "--days", "80")
    assert "no source that can be asked" in answer(capsys, "update", "s", code=2)["message"]


def test_doctor_of_a_file_and_of_a_bad_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = bars(here, "2020-01-07,A,6,6,5,7,1,2")
    found = answer(capsys, "doctor", str(path), code=1)
    assert "outside_range" in {item["check"] for item in found["findings"]}
    write(here, "bad.csv", HEADER, *ROWS, ROWS[0], "x,A,1,1,1,1,1,1")
    found = answer(capsys, "doctor", "bad.csv", code=1)
    assert [item["check"] for item in found["findings"]] == ["import", "import"]
    assert names(here) == ["bad.csv", "bars.csv"]


def test_doctor_sets_stored_bars_aside_when_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = bars(here, "2020-01-07,A,6,6,5,7,1,2")
    answer(capsys, "import", str(path), "--name", "mine", "--keep-all")
    answer(capsys, "doctor", "mine", code=1)
    found = answer(capsys, "doctor", "mine", "--quarantine")
    assert found["serious"] == 0
    assert answer(capsys, "show", "mine")["quarantine"]["by_reason"] == {"outside_range": 1}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("simulate", "x", "--days", "1"), "days is 1"),
        (("simulate", "x", "--start", "soon"), "start is 'soon'"),
        (("simulate", "x", "--start", "0001-01-01"), "start is '0001-01-01'"),
        (("simulate", "x", "--start", "2299-01-01"), "start is '2299-01-01'"),
        (("simulate", "Bad Name"), "cannot be a data set name"),
        (("simulate", "../x"), "cannot be a data set name"),
        (("import", "none.csv"), "does not exist"),
        (("import", "empty.csv"), "empty"),
        (("import", "bars.csv", "--market", "mars"), "'MARS' is not a choice"),
        (("import", "bars.csv", "--column", "close"), "not NAME=VALUE"),
        (("import", "bars.csv", "--column", "close=x"), "no column 'x'"),
        (("import", "bars.csv", "--column", "close=x", "--column", "close=y"), "given twice"),
        (("import", "bars.csv", "--exponent", "pe=many"), "exponent of pe"),
        (("import", "bars.csv", "--start", "2020-99-01"), "not a date"),
        (("import", "bars.csv", "--start", "2030-01-01"), "no row is left"),
        (("import", "bars.csv", "--encoding", "klingon"), "no encoding"),
        (("import", "bars.csv", "--membership", "My Index=m.csv"), "cannot be a name"),
        (("import", "bars.csv", "--membership", "idx=none.csv"), "does not exist"),
        (("import", "bars.csv", "--known-until", "idx=2020-01-01"), "no membership is called"),
        (("import", "bars.csv", "--overlaps", "mrge"), "did you mean merge"),
        (("import", "bars.csv", "--calendar", "none.txt"), "calendar does not exist"),
        (("import", "baostock"), "download it with 'assay data fetch baostock'"),
        (("show", "none"), "no data set"),
        (("show", "."), "not a data set"),
        (("doctor", "none"), "no data set"),
        (("update", "none"), "no data set"),
        (("doctor", "bars.csv", "--quarantine"), "not a stored data set"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_bad_input_is_one_clear_error_and_writes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str, as_json: bool
) -> None:
    bars(here)
    (here / "empty.csv").write_bytes(b"")
    before = names(here)
    code, out, err = run(capsys, *arguments, *(["--json"] if as_json else []))
    assert code == 2
    assert words in (out if as_json else err)
    assert "Traceback" not in out + err
    if as_json:
        assert json.loads(out)["error"]
    assert names(here) == before


def test_a_damaged_data_set_does_not_hide_the_others(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "simulate", "good", "--instruments", "30", "--days", "80")
    (here / "data" / "bad").mkdir()
    (here / "data" / "bad" / "manifest.json").write_text("{")
    listed = answer(capsys, "list")
    assert [item["name"] for item in listed["data"]] == ["good"]
    assert len(listed["damaged"]) == 1
    code, out, err = run(capsys, "list")
    assert code == 0
    assert "good" in out
    assert "damaged" in err


def test_an_existing_name_is_not_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "simulate", "s", "--instruments", "30", "--days", "80")
    assert "exists already" in answer(capsys, "simulate", "s", code=2)["message"]


def test_an_update_that_was_killed_between_two_steps_is_told(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(capsys, "simulate", "a", "--instruments", "30", "--days", "80")
    (here / "data" / "a").rename(here / "data" / ".a.outgoing")
    for command in ("show", "doctor", "update"):
        told = answer(capsys, command, "a", code=2)
        assert "interrupted" in told["message"]
        assert "rename .a.outgoing to a" in told["fix"]
    assert ".a.outgoing" not in answer(capsys, "show", "b", code=2)["fix"]


def test_what_a_file_says_cannot_steer_the_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(here, "mine\x1b]0;title\x07.csv", HEADER.replace("volume", "\x1b[31mvolume"), *ROWS)
    for command in (("import", str(path), "--name", "mine"), ("show", "mine"), ("doctor", "mine"), ("list",)):
        code, out, err = run(capsys, *command)
        assert code in (0, 1)
        assert "\x1b" not in out + err


def test_a_path_is_no_pattern(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pl.read_csv(bars(here))
    table.write_parquet(here / "a1.parquet")
    table.head(2).write_parquet(here / "a[1].parquet")
    table.head(2).write_parquet(here / "a*.parquet")
    for name in ("a[1].parquet", "a*.parquet"):
        assert answer(capsys, "import", name, "--name", "mine", "--dry-run")["dates"] == 1


def test_doctor_reads_a_file_with_the_options_of_import(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [row.replace("A,", "甲,", 1) for row in ROWS]
    header = HEADER.replace("close", "Px").replace("date", "Tag")
    path = write(here, "gbk.csv", header, *lines, encoding="gbk")
    read = ("--column", "close=Px", "--column", "date=Tag", "--encoding", "gbk", "--market", "US")
    assert answer(capsys, "doctor", str(path), *read)["serious"] == 0
    untold = answer(capsys, "doctor", str(path), code=1)["findings"]
    assert "--encoding gbk" in untold[0]["message"]
    days = write(here, "days.txt", "2020-01-02", "2020-01-03")
    stray = answer(capsys, "doctor", str(path), *read, "--calendar", str(days), code=1)["findings"]
    assert "1 date not in the calendar" in stray[0]["message"]
    answer(capsys, "import", str(path), "--name", "mine", *read)
    refused = answer(capsys, "doctor", "mine", *read, code=2)
    assert "is a stored data set" in refused["message"]


def test_dates_of_another_form_name_the_option_that_reads_them(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(here, "t.csv", "date,symbol,close", "31/01/2020,A,1", "03/02/2020,A,2")
    refused = answer(capsys, "import", str(path), code=2)
    assert len(refused["problems"]) == 1
    assert "--date-format %d/%m/%Y" in refused["fix"]
    assert answer(capsys, "import", str(path), "--date-format", "%d/%m/%Y")["dates"] == 2
    assert "--date-format %d/%m/%Y" in run(capsys, "doctor", str(path))[1]


def test_what_a_table_lacks_is_said_at_import_and_in_show(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(here, "t.csv", "date,symbol,close", "2020-01-02,A,1", "2020-01-03,A,2")
    _, out, _ = run(capsys, "import", str(path))
    assert "warning: no_market: no market: costs and price limits are unknown" in out
    assert "warning: missing_factor: there is no adjustment factor" in out
    assert "no adjustment factor" in run(capsys, "show", "t")[1]
    run(capsys, "import", str(bars(here)), "--name", "mine", "--market", "US")
    shown = run(capsys, "show", "mine")[1]
    assert "market: US" in shown
    assert "no adjustment factor" not in shown
    assert "no_market" not in run(capsys, "doctor", "mine")[1]


def test_counts_read_well_and_say_what_is_not_shown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = [f"2020-01-{day:02d},A,6,6,5,7,1,2" for day in (7, 8, 9, 10, 13, 14, 15)]
    path = bars(here, *bad)
    _, out, _ = run(capsys, "doctor", str(path), "--market", "US")
    assert "outside_range: 7 x " in out
    assert "    and 2 more" in out
    assert "1 serious finding, " in out
    assert "0 others" in run(capsys, "doctor", str(bars(here, name="sound.csv")), "--market", "US")[1]


def test_a_folder_that_cannot_be_looked_into_is_told(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(capsys, "simulate", "good", "--instruments", "30", "--days", "80")
    (here / "data" / "locked").mkdir()
    (here / "data" / "note.txt").write_text("no folder")
    look = Path.iterdir

    def refuse(path: Path) -> Any:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return look(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    listed = answer(capsys, "list")
    assert [item["name"] for item in listed["data"]] == ["good"]
    assert listed["unreadable"] == ["data/locked"]
    code, out, err = run(capsys, "list")
    assert code == 0
    assert "good" in out
    assert "not readable, so not looked at: data/locked" in err
    monkeypatch.chdir(here)
    (here / "locked").mkdir()
    _, out, err = run(capsys, "list", "--dir", "locked")
    assert "not readable" in err
    assert "no data sets" not in out
