"""Bad input of every kind: one clear error, exit code 2, nothing written, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
GOOD = "-ts_return(close, 5)"


@dataclass(frozen=True)
class Case:
    """Arguments (``{data}`` is a good data set), and words that the message must hold."""

    arguments: tuple[str, ...]
    words: tuple[str, ...]


def _judge(*arguments: str) -> tuple[str, ...]:
    return ("judge", *arguments, "--data", "{data}")


CASES: dict[str, Case] = {
    # where the data comes from
    "judge: no data set": Case(("judge", GOOD), ("no data set is named",)),
    "judge: wrong path": Case(("judge", GOOD, "--data", "no/such/folder"), ("no data set 'no/such/folder'",)),
    "judge: a folder that is no data set": Case(("judge", GOOD, "--data", "empty"), ("not a data set",)),
    "judge: a file that is no data set": Case(
        ("judge", GOOD, "--data", "latin.txt"), ("is a file", "data import")
    ),
    "check: wrong path": Case(("check", GOOD, "--data", "nowhere"), ("nowhere",)),
    "explain: wrong path": Case(("explain", GOOD, "--data", "nowhere"), ("nowhere",)),
    "data show: wrong path": Case(("data", "show", "nowhere"), ("nowhere",)),
    "data doctor: wrong path": Case(("data", "doctor", "nowhere"), ("nowhere",)),
    "data import: wrong path": Case(("data", "import", "nowhere.csv", "--name", "new"), ("nowhere.csv",)),
    "data import: wrong column": Case(("data", "import", "nocolumns.csv", "--name", "new"), ("column",)),
    "data import: encoding": Case(("data", "import", "latin.csv", "--name", "new"), ("latin.csv",)),
    "data import: empty file": Case(("data", "import", "empty.csv", "--name", "new"), ("empty.csv",)),
    "data import: path too long": Case(("data", "import", "x" * 300, "--name", "new"), ("too long",)),
    "data import: no encoding": Case(
        ("data", "import", "latin.csv", "--name", "new", "--encoding", "rot13"), ("rot13", "gbk")
    ),
    "data import: exponent of nothing": Case(
        ("data", "import", "two.csv", "--market", "CN", "--name", "new", "--exponent", "nope=1"), ("nope",)
    ),
    "data import: exponent that is fixed": Case(
        ("data", "import", "two.csv", "--market", "CN", "--name", "new", "--exponent", "close=0"), ("close",)
    ),
    "data import: a column twice": Case(
        ("data", "import", "two.csv", "--name", "new", "--column", "open=close", "--column", "close=close"),
        ("open and close",),
    ),
    "judge: data set too long": Case(("judge", GOOD, "--data", "x" * 300), ("cannot be a data set",)),
    "data show: no path": Case(("data", "show", "a\0b", "--dir", "."), ("cannot be a data set",)),
    # what is asked of it
    "judge: empty universe": Case(_judge(GOOD, "--universe", ""), ("universe", "give a name")),
    "judge: universe of another type": Case(_judge(GOOD, "--set", "universe=5"), ("universe",)),
    "judge: date of another type": Case(_judge(GOOD, "--set", "start=5"), ("--from", "2020-12-31")),
    "judge: endless number": Case(_judge(GOOD, "--set", "thresholds.min_t=" + "9" * 400), ("min_t",)),
    "judge: hidden dates without a question": Case(
        _judge(GOOD, "--set", "allow_hidden=true"), ("allow_hidden", "--yes")
    ),
    "judge: wrong universe": Case(_judge(GOOD, "--universe", "index_x"), ("index_x", "index_a")),
    "judge: wrong date": Case(_judge(GOOD, "--from", "2018-13-01"), ("2018-13-01", "not a date")),
    "judge: date outside": Case(_judge(GOOD, "--from", "2031-01-01"), ("2031-01-01",)),
    "judge: dates swapped": Case(_judge(GOOD, "--from", "2019-01-02", "--to", "2018-01-02"), ("after",)),
    "judge: wrong period": Case(_judge(GOOD, "--period", "tomorrow"), ("tomorrow",)),
    "judge: horizon too long": Case(_judge(GOOD, "--horizon", "1000000000"), ("horizon", "252")),
    "judge: horizon is no number": Case(_judge(GOOD, "--horizon", "soon"), ("--horizon",)),
    "judge: wrong fill": Case(_judge(GOOD, "--fill", "clse"), ("fill", "did you mean close")),
    "judge: wrong book": Case(_judge(GOOD, "--book", "everything"), ("book", "decile")),
    "judge: wrong costs": Case(_judge(GOOD, "--costs", "cheap"), ("cheap", "basis points")),
    "judge: wrong setting": Case(_judge(GOOD, "--set", "horizn=3"), ("horizn", "did you mean horizon")),
    "judge: setting without a value": Case(_judge(GOOD, "--set", "horizon"), ("KEY=VALUE",)),
    "judge: wrong nested setting": Case(_judge(GOOD, "--set", "thresholds.min_tt=3"), ("min_tt", "min_t")),
    "judge: no such option": Case(_judge(GOOD, "--unverse", "x"), ("--unverse",)),
    # formulas
    "judge: nothing to judge": Case(_judge(), ("no formula is given",)),
    "judge: empty formula": Case(_judge("  "), ("empty",)),
    "judge: wrong op": Case(_judge("rnk(close)"), ("'rnk'", "did you mean: rank")),
    "judge: wrong field": Case(_judge("rank(closee)"), ("'closee'", "did you mean: close")),
    "judge: lookback": Case(_judge("ts_mean(close, 1000000000)"), ("1000000000",)),
    "judge: look-ahead": Case(_judge("delay(close, -1)"), ("future",)),
    "judge: window of zero": Case(_judge("ts_mean(close, 0)"), ("at least 1",)),
    "judge: brackets": Case(_judge("(" * 10_000 + "close" + ")" * 10_000), ("characters",)),
    "judge: nesting": Case(_judge("abs(" * 80 + "close" + ")" * 80), ("deep",)),
    "judge: a group is no signal": Case(_judge("industry"), ("industry",)),
    "judge: wrong dialect": Case(_judge(GOOD, "--dialect", "qlb"), ("qlb", "did you mean qlib")),
    "judge: not code": Case(_judge("__import__('os').system('touch hacked')"), ("column",)),
    "judge: formula file is missing": Case(_judge("--file", "nowhere.txt"), ("nowhere.txt",)),
    "judge: formula file is empty": Case(_judge("--file", "empty.txt"), ("holds no formula",)),
    "judge: formula file encoding": Case(_judge("--file", "latin.txt"), ("not UTF-8", "line 2")),
    "judge: formula file without an end": Case(_judge("--file", "/dev/zero"), ("larger than 64 MiB",)),
    "judge: formula file is a folder": Case(_judge("--file", "empty"), ("empty",)),
    "parse: brackets": Case(("parse", "(" * 10_000), ("characters",)),
    "parse: open bracket": Case(("parse", "rank(close"), ("not closed", "^")),
    "parse: control characters": Case(("parse", "rank(\x1b[31mclose)"), ("column 6",)),
    "parse: wrong dialect": Case(("parse", "close", "--dialect", "c++"), ("c++", "use one of")),
    "check: wrong policy": Case(("check", GOOD, "--adjustment", "maybe"), ("maybe", "refuse")),
    "check: wrong kind": Case(("check", "ts_mean(close, close)"), ("column",)),
    "check: arity": Case(("check", "rank()"), ("rank",)),
    "explain: wrong op": Case(("explain", "rnk(close)"), ("rnk",)),
    "explain: wrong universe": Case(
        ("explain", GOOD, "--data", "{data}", "--universe", "index_x"), ("index_x",)
    ),
    "convert: no form": Case(("convert", "trade_when(close, close, close)", "--to", "qlib"), ("qlib",)),
    "convert: wrong dialect": Case(("convert", "close", "--to", "excel"), ("excel", "--to")),
    # values
    "judge: values and a formula": Case(_judge(GOOD, "--values", "good.csv"), ("both",)),
    "judge: values missing": Case(_judge("--values", "nowhere.csv"), ("nowhere.csv",)),
    "judge: values of another kind": Case(_judge("--values", "latin.txt"), (".parquet",)),
    "judge: values empty": Case(_judge("--values", "empty.csv"), ("empty.csv",)),
    "judge: values without rows": Case(_judge("--values", "norows.csv"), ("no rows",)),
    "judge: values encoding": Case(_judge("--values", "latin.csv"), ("latin.csv",)),
    "judge: values torn": Case(_judge("--values", "torn.parquet"), ("torn.parquet",)),
    "judge: values without dates": Case(_judge("--values", "nocolumns.csv"), ("date",)),
    "judge: values of text": Case(_judge("--values", "words.csv"), ("words",)),
    "judge: values of other names": Case(_judge("--values", "strangers.csv"), ("strangers",)),
    "judge: benchmark without dates": Case(_judge(GOOD, "--benchmark", "nocolumns.csv"), ("0 date columns",)),
    "judge: values by a pattern": Case(_judge("--values", "g*.csv"), ("g*.csv",)),
    # outputs
    "judge: page in no folder": Case(_judge(GOOD, "--html", "no/such/a.html"), ("does not exist", "--html")),
    "judge: page is a folder": Case(_judge(GOOD, "--html", "empty"), ("is a folder",)),
    "judge: page over a device": Case(_judge(GOOD, "--html", "/dev/null"), ("device",)),
    "judge: page into a data set": Case(_judge(GOOD, "--html", "{data}/manifest.json"), ("data set",)),
    "judge: page with too long a name": Case(_judge(GOOD, "--html", "x" * 300), ("too long",)),
    "judge: certificate in no folder": Case(
        _judge(GOOD, "--html", "a.html", "--certificate", "no/such/a.json"), ("--certificate",)
    ),
    "demo: out is a file": Case(("demo", "--out", "empty.txt"), ("empty.txt", "--out")),
    "demo: wrong seed": Case(("demo", "--seed", "many"), ("--seed",)),
    "init: below a file": Case(("init", "empty.txt/x"), ("empty.txt",)),
    # names
    "library: wrong set": Case(("library", "list", "alpha11"), ("alpha11", "alpha1")),
    "library: wrong factor": Case(("library", "show", "alpha101-999"), ("alpha101-999",)),
    "no such command": Case(("jugde", GOOD), ("jugde",)),
}


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """Files that are wrong in one way each."""
    (tmp_path / "empty").mkdir()
    contents = {
        "empty.txt": b"",
        "empty.csv": b"",
        "norows.csv": b"date,instrument,value\n",
        "latin.txt": "rank(close)\ncaf\u00e9\n".encode("latin-1"),
        "latin.csv": "date,symbol,close\n2018-01-02,caf\u00e9,1\n".encode("latin-1"),
        "nocolumns.csv": b"a,b\n1,2\n",
        "words.csv": b"date,instrument,value\n2018-01-02,sim001,high\n",
        "strangers.csv": b"date,instrument,value\n2018-01-02,nobody,1.5\n",
        "good.csv": b"date,instrument,value\n2018-01-02,sim001,1.5\n",
        "torn.parquet": b"PAR1 torn",
        "two.csv": b"date,symbol,close\n2018-01-02,a,1\n2018-01-03,a,2\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def _files(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*")}


def _filled(case: Case, market: Path) -> list[str]:
    return [item.replace("{data}", str(market)) for item in case.arguments]


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_clear_error(run: Run, folder: Path, market: Path, name: str) -> None:
    case, before = CASES[name], _files(folder)
    done = run(*_filled(case, market))
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("error: ") == 1
    assert "what to do: " in done.err
    assert "Traceback" not in done.err
    for word in case.words:
        assert word in done.err
    assert _files(folder) == before


@pytest.mark.parametrize("name", CASES)
def test_json_errors_are_json(run: Run, folder: Path, market: Path, name: str) -> None:
    case, before = CASES[name], _files(folder)
    done = run(*_filled(case, market), "--json")
    assert done.code == 2, done
    assert done.err == ""
    found = json.loads(done.out)
    assert found["message"]
    assert found["fix"]
    assert found["error"] != "internal"
    assert _files(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("judge", GOOD, "--data", "nowhere"),
        ("parse", "(" * 10_000),
        ("check", "ts_mean(close, 1000000000)"),
        ("demo", "--out", "/dev/null/x"),
    ],
)
def test_the_installed_command_itself(arguments: tuple[str, ...], tmp_path: Path) -> None:
    program = "import sys; from assay.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_field_of_nothing_but_nan_is_judged_undefined(run: Run, market: Path) -> None:
    done = run("judge", "close / (close - close)", "--data", str(market), "--json", "--html", "a.html")
    assert done.code == 0, done.err
    verdict = done.data["verdicts"][0]
    assert verdict["decision"]["status"] in ("undefined", "rejected")
    assert verdict["summary"]["rank_ic"] is None


def test_no_terminal_means_no_question(run: Run, desk: Path) -> None:
    done = run("judge", GOOD, "--data", "small", "--period", "eval")
    assert done.code == 2
    assert "--yes" in done.err
