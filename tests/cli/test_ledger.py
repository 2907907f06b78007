"""``assay ledger`` through the real boundary."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.config import init_workspace
from assay.ledger import Ledger, TrialKey

Run = Callable[..., Any]
PERSON = Operator.human("ann")
INPUTS = {"data:cn": "a1"}


def trial(name: str, **changes: Any) -> dict[str, Any]:
    body = {
        "fingerprint": name,
        "config_hash": "c1",
        "expression": f"rank({name})",
        "data": "cn",
        "universe": None,
        "period": "search",
        "bars": 500,
        "sharpe": 0.05,
        "series": None,
        "desk": "evolve",
        "control": False,
    }
    return body | changes


@pytest.fixture
def ledger(run: Run, tmp_path: Path) -> Ledger:
    """A workspace in the current folder whose ledger has a finished run and a few trials."""
    init_workspace(tmp_path)
    if not (tmp_path / "ledger").exists():
        Ledger.create(tmp_path / "ledger")
    made = Ledger.open(tmp_path / "ledger")
    first = made.run("first")
    first.start("evolve", PERSON, "c1", INPUTS)
    for i in range(3):
        first.append("trial", trial(f"f{i}"))
    first.stop("finished")
    made.append("trial", trial("g", data="us", desk="judge"))
    return made


def log_of(ledger: Ledger) -> Path:
    return ledger.folder / "ledger.jsonl"


def test_verify_tells_records_and_head(run: Run, ledger: Ledger) -> None:
    done = run("ledger", "verify")
    assert done.code == 0
    records = len(list(ledger.entries()))
    assert f"records  {records}" in done.out
    assert ledger.end().hash in done.out
    found = run("ledger", "verify", "--json", "--objects").data
    assert found == {"records": records, "head": ledger.end().hash, "objects": 0, "torn": None}


def test_verify_warns_of_a_torn_tail(run: Run, ledger: Ledger) -> None:
    with open(log_of(ledger), "ab") as file:
        file.write(b'{"batch":[0,1],"bo')
    done = run("ledger", "verify")
    assert done.code == 0
    assert "warning: 18 bytes" in done.err
    assert run("ledger", "verify", "--json").data["torn"]["bytes"] == 18


def test_a_torn_tail_is_moved_away_as_the_messages_say(run: Run, ledger: Ledger) -> None:
    with open(log_of(ledger), "ab") as file:
        file.write(b'{"batch":[0,1],"bo')
    way = "assay ledger close --looks"
    assert way in run("ledger", "verify").err
    assert way in run("ledger", "count").out
    assert run("ledger", *way.split()[2:]).code == 0
    assert run("ledger", "verify", "--json").data["torn"] is None
    assert "incomplete" not in run("ledger", "count").out


def test_verify_names_the_damaged_line(run: Run, ledger: Ledger) -> None:
    content = log_of(ledger).read_bytes()
    log_of(ledger).write_bytes(content.replace(b"rank(f1)", b"rank(f9)"))
    line = content[: content.index(b"rank(f1)")].count(b"\n") + 1
    done = run("ledger", "verify")
    assert done.code == 2
    assert f"line {line}" in done.err
    found = run("ledger", "verify", "--json").data
    assert (found["error"], found["where"]) == ("ledger_damaged", f"line {line}")


def test_verify_takes_a_ledger_elsewhere(run: Run, ledger: Ledger, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    Ledger.create(copy)
    assert run("ledger", "verify", "--ledger", "copy", "--json").data["records"] == 1


def test_verify_mends_an_index_that_is_wrong(run: Run, ledger: Ledger) -> None:
    import sqlite3

    ledger.index().close()
    with sqlite3.connect(ledger.folder / "index.sqlite") as connection:
        connection.execute("UPDATE trial SET fingerprint = 'f0'")
    connection.close()
    assert ledger.trials().n == 1
    assert run("ledger", "verify").code == 0
    assert ledger.trials().n == 4


def test_show_filters_and_ends_with_the_last(run: Run, ledger: Ledger) -> None:
    done = run("ledger", "show", "--kind", "trial", "--json")
    assert [item["body"]["fingerprint"] for item in done.data] == ["f0", "f1", "f2", "g"]
    done = run("ledger", "show", "--run", "first", "--last", "2", "--json")
    assert [item["kind"] for item in done.data] == ["trial", "run_stop"]
    assert len(run("ledger", "show", "--last", "0", "--json").data) == len(list(ledger.entries()))
    text = run("ledger", "show", "--kind", "trial").out.splitlines()
    assert len(text) == 4
    assert "first" in text[0]
    assert "rank(f0)" in text[0]


def test_show_says_how_many_records_it_leaves_out(run: Run, ledger: Ledger) -> None:
    for i in range(30):
        ledger.append("trial", trial(f"h{i}"))
    total = len(list(ledger.entries()))
    done = run("ledger", "show")
    assert len(done.out.splitlines()) == 20
    assert done.err == f"20 of {total} records; --last N for more, --last 0 for all\n"
    assert run("ledger", "show", "--kind", "trial", "--last", "3").err.startswith("3 of 34 records")
    whole = run("ledger", "show", "--last", "0")
    assert (len(whole.out.splitlines()), whole.err) == (total, "")
    assert run("ledger", "show", "--json").err == ""


def test_show_says_what_a_record_is_about(run: Run, ledger: Ledger) -> None:
    made = ledger.run("second")
    made.start("judge", PERSON, "c1", INPUTS)
    made.append("trial", {**trial("h"), "rank_ic": 0.0412})
    lines = run("ledger", "show", "--run", "second").out.splitlines()
    subjects = [line.split(maxsplit=4)[4].split("  ") for line in lines]
    assert subjects[0] == ["second", "judge"]
    assert subjects[1][:2] == ["RankIC +0.0412", "rank(h)"]
    assert subjects[1][-1] == "second"


def test_show_keeps_to_the_width_and_to_printable_characters(
    run: Run, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.append("refusal", {"reason": "x", "message": "\x1b[31m" + "y" * 500})
    monkeypatch.setenv("COLUMNS", "80")
    (line,) = run("ledger", "show", "--last", "1").out.splitlines()
    assert len(line) == 80
    assert "\x1b" not in line


def test_what_is_piped_is_whole(run: Run, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    formula = " + ".join(f"rank(ts_mean(close, {window}))" for window in range(2, 90))
    made = ledger.run("long")
    made.start("judge", PERSON, "c1", INPUTS)
    made.append("trial", {**trial("h"), "expression": formula})
    (line,) = run("ledger", "show", "--kind", "trial", "--last", "1").out.splitlines()
    assert formula in line
    assert "\u2026" not in line


def test_show_says_that_there_is_nothing(run: Run, ledger: Ledger) -> None:
    done = run("ledger", "show", "--run", "never")
    assert (done.code, done.out) == (0, "")
    assert "no such records" in done.err
    assert run("ledger", "show", "--run", "never", "--json").data == []


@pytest.mark.parametrize(("option", "value"), [("--kind", "trails"), ("--run", "A/B")])
def test_show_refuses_what_cannot_be(run: Run, ledger: Ledger, option: str, value: str) -> None:
    done = run("ledger", "show", option, value, "--json")
    assert done.code == 2
    assert done.data["reason"] == "bad_record"


def test_count_tells_n_by_data_and_desk(run: Run, ledger: Ledger) -> None:
    found = run("ledger", "count", "--json").data
    rows = {(row["data"], row["desk"]): (row["n"], row["effective_n"]) for row in found["trials"]}
    assert rows == {
        (None, None): (4, 4),
        ("cn", None): (3, 3),
        ("cn", "evolve"): (3, 3),
        ("us", None): (1, 1),
        ("us", "judge"): (1, 1),
    }
    assert found["looks"] == []
    lines = run("ledger", "count").out.splitlines()
    assert lines[0].split() == ["data", "desk", "N", "of", "them", "unrecorded", "effective", "N"]
    assert lines[1].split() == ["all", "all", "4", "0", "4"]


def test_count_says_what_is_incomplete_and_counts_the_rest(run: Run, ledger: Ledger) -> None:
    ledger.run("going").start("evolve", PERSON, "c1", INPUTS)
    found = run("ledger", "count", "--json").data["trials"]
    by_data = {(row["data"], row["desk"]): row for row in found}
    assert by_data[("cn", None)]["n"] is None
    assert "going" in by_data[("cn", None)]["incomplete"]
    assert by_data[("us", None)]["n"] == 1
    done = run("ledger", "count")
    assert done.code == 0
    assert "incomplete: 1 run not stopped: going" in done.out
    assert (
        "what to do: let the runs named finish; resume what was killed, or end it: assay ledger close RUN"
        in done.out
    )


def test_count_tells_looks_with_the_budget_of_the_workspace(run: Run, ledger: Ledger) -> None:
    days = (date(2022, 1, 3), date(2022, 12, 30))
    key = TrialKey("f0", "c1")
    ledger.charge_look("score", days, data="cn", budget=3, key=key, operator=PERSON)
    (look,) = run("ledger", "count", "--json").data["looks"]
    assert look == {"data": "cn", "period": "score", "used": 1, "budget": 200}
    (look,) = run("ledger", "count", "--json", "--ledger", "ledger").data["looks"]
    assert look["budget"] == 3
    assert "looks at score of cn: 1 of 200 used" in run("ledger", "count").out


def test_export_writes_the_canonical_lines(run: Run, ledger: Ledger, tmp_path: Path) -> None:
    done = run("ledger", "export", "first")
    assert done.out.encode() == ledger.export("first")
    assert len(done.out.splitlines()) == 3
    assert run("ledger", "export", "first", "--json").data[0]["kind"] == "trial"
    done = run("ledger", "export", "first", "--to", "first.jsonl", "--json")
    assert done.data == {"run": "first", "records": 3, "file": "first.jsonl"}
    assert (tmp_path / "first.jsonl").read_bytes() == ledger.export("first")


def test_export_of_an_unknown_run_is_refused(run: Run, ledger: Ledger, tmp_path: Path) -> None:
    done = run("ledger", "export", "never", "--to", "x.jsonl", "--json")
    assert done.code == 2
    assert done.data["reason"] == "unknown_run"
    assert not (tmp_path / "x.jsonl").exists()


def test_close_ends_a_killed_run(run: Run, ledger: Ledger) -> None:
    planned = [TrialKey("h1", "c1"), TrialKey("h2", "c1")]
    ledger.run("killed").start("evolve", PERSON, "c1", INPUTS, planned)
    assert run("ledger", "close", "killed", "--json").data == {"run": "killed", "unrecorded": 2}
    assert ledger.trials().n == 6
    done = run("ledger", "close", "killed", "--json")
    assert (done.code, done.data["reason"]) == (2, "run_ended")


def test_close_records_what_looks_left_open(run: Run, ledger: Ledger) -> None:
    days = (date(2022, 1, 3), date(2022, 12, 30))
    ledger.charge_look("score", days, data="cn", budget=3, key=TrialKey("new", "c1"), operator=PERSON)
    assert run("ledger", "count", "--json").data["trials"][0]["n"] is None
    assert run("ledger", "close", "--looks", "--json").data == {"trials": 1}
    assert run("ledger", "count", "--json").data["trials"][0]["n"] == 5


@pytest.mark.parametrize("arguments", [(), ("first", "--looks")])
def test_close_wants_a_run_or_looks(run: Run, ledger: Ledger, arguments: tuple[str, ...]) -> None:
    assert run("ledger", "close", *arguments).code == 2


def test_without_a_workspace_the_message_says_what_to_do(run: Run) -> None:
    done = run("ledger", "count", "--json")
    assert done.code == 2
    assert "--ledger" in done.data["fix"]


def test_without_a_ledger_the_message_says_so(run: Run, tmp_path: Path) -> None:
    done = run("ledger", "verify", "--ledger", str(tmp_path))
    assert done.code == 2
    assert "no ledger" in done.err


def test_every_command_prints_one_json_value(run: Run, ledger: Ledger) -> None:
    for arguments in (("verify",), ("show",), ("count",), ("export", "first")):
        assert json.loads(run("ledger", *arguments, "--json").out) is not None
