from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FORMULA = "rank(-ts_corr(close, volume, 10))"


def test_parse_shows_the_tree(run: Run) -> None:
    done = run("parse", FORMULA)
    assert done.code == 0
    assert [line.strip(" │└├─") for line in done.out.splitlines()[:6]] == [
        "rank",
        "-",
        "ts_corr",
        "close",
        "volume",
        "10",
    ]
    assert f"printed: {FORMULA}" in done.out


def test_parse_json(run: Run) -> None:
    found = run("parse", FORMULA, "--json").data
    assert found["level"] == "parsed"
    assert found["printed"] == FORMULA
    assert found["tree"][0]["value"]["call"] == "rank"


def test_parse_asks_no_meaning(run: Run) -> None:
    assert run("parse", "no_such_op(no_such_field)").code == 0


def test_a_file_in_place_of_a_formula_is_told(run: Run, tmp_path: Path) -> None:
    for name, words in (("ideas.txt", "--file"), ("scores.csv", "--values")):
        (tmp_path / name).write_text("close")
        done = run("check", str(tmp_path / name), "--json")
        assert (done.code, words in done.data["fix"]) == (2, True)


def test_parse_shows_statements_of_a_program(run: Run) -> None:
    done = run("parse", "x = close / open; rank(x)", "--dialect", "fastexpr")
    assert "x := /" in done.out
    assert "rank" in done.out


def test_a_formula_may_begin_with_a_minus(run: Run) -> None:
    done = run("check", "-delta(close, 5) / close", "--json", "--dialect", "alpha101")
    assert done.code == 0
    assert done.data["text"] == "-delta(close, 5) / close"


def test_check_reports_all_it_knows(run: Run) -> None:
    found = run("check", FORMULA, "--json").data
    assert found == {
        "text": FORMULA,
        "dialect": "core",
        "level": "runnable",
        "unchecked_fields": [],
        "kind": "number",
        "lookback": 10,
        "fields": ["close", "volume"],
        "exponent": "0",
        "invariant": True,
        "size": 5,
        "depth": 4,
        "warnings": [],
    }


def test_check_warns_of_adjustment_and_refuses_when_told(run: Run) -> None:
    assert run("check", "rank(close)", "--json").data["warnings"]
    assert run("check", "rank(close)", "--adjustment", "off", "--json").data["warnings"] == []
    refused = run("check", "rank(close)", "--adjustment", "refuse", "--json")
    assert refused.code == 2
    assert refused.data["reason"] == "adjustment_dependent"


def test_check_of_a_file_counts_levels(run: Run, tmp_path: Path) -> None:
    lines = ["# a comment", "rank(close)", "", "rnk(close)", "rank(close", "rank(no_such_field)"]
    (tmp_path / "list.txt").write_text("\n".join(lines), encoding="utf-8")
    done = run("check", "--file", "list.txt")
    assert done.code == 2
    assert done.out == "4 formulas: 3 parsed, 2 typed, 1 runnable; 1 warning\n"
    assert "list.txt, line 4: there is no op 'rnk' in core" in done.err
    why = "rank compares stocks by a value of exponent 1"
    assert f"list.txt, line 2: warning: {why}" in done.err
    found = run("check", "--file", "list.txt", "--json").data
    assert (found["parsed"], found["typed"], found["runnable"]) == (3, 2, 1)
    assert [item["level"] for item in found["formulas"]] == ["runnable", "parsed", None, "typed"]
    assert found["warned"][0] == {"where": "list.txt, line 2", "warnings": [why]}


def test_check_says_which_fields_nobody_looked_up(run: Run) -> None:
    formula, other = "rank(event_score_x)", "rank(returns)"
    done = run("check", formula, "--dialect", "fastexpr")
    assert done.code == 0
    assert "runnable (fields not checked: give --data): event_score_x" in done.out
    found = run("check", formula, "--dialect", "fastexpr", "--json").data
    assert (found["level"], found["unchecked_fields"]) == ("runnable", ["event_score_x"])
    both = run("check", formula, other, "--dialect", "fastexpr").out
    assert both == "2 formulas: 2 parsed, 2 typed, 2 runnable (1 with fields not checked: give --data)\n"


def test_a_long_list_shows_progress(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli._formulas.MANY", 3)
    (tmp_path / "list.txt").write_text("rank(returns)\n" * 4, encoding="utf-8")
    for command in ("check", "convert"):
        done = run(command, "--file", "list.txt")
        assert done.code == 0
        assert "4 formulas" in done.err


def test_parse_of_several_counts(run: Run) -> None:
    done = run("parse", "rank(close)", "rank(close")
    assert done.code == 2
    assert done.out == "2 formulas: 1 parsed, 1 refused\n"
    assert "argument 2" in done.err


def test_explain_goes_part_by_part(run: Run) -> None:
    found = run("explain", FORMULA, "--json").data
    assert found["fingerprint"]
    assert found["canonical"]
    parts = {item["part"]: item for item in found["parts"]}
    assert parts["close"]["exponent"] == "1"
    assert parts["volume"]["exponent"] == "-1"
    assert parts["ts_corr(close, volume, 10)"]["lookback"] == 10
    assert all(item["meaning"] for item in found["parts"])
    shown = run("explain", FORMULA).out
    assert "does not change with a stock's adjustment factor" in shown


def test_explain_names_what_breaks_invariance(run: Run) -> None:
    found = run("explain", "rank(close)", "--json").data
    assert found["invariant"] is False
    assert found["breaks_at"]["why"] == "rank compares stocks by a value of exponent 1"
    shown = run("explain", "rank(close)").out
    assert shown.count("rank compares stocks by a value of exponent 1") == 1
    assert "broken" not in shown
    assert "broken" not in run("check", "rank(close)").out
    assert "none: rank compares" in run("check", "rank(close)", "--adjustment", "off").out


def test_explain_says_which_case_of_a_definition_applies(run: Run) -> None:
    parts = {item["part"]: item["meaning"] for item in run("explain", FORMULA, "--json").data["parts"]}
    assert parts[FORMULA].endswith("; here scale = r/n")
    assert parts["ts_corr(close, volume, 10)"].endswith(
        "; here window = 10, min_periods = 0 (the whole window)"
    )
    platform = run("explain", "rank(returns)", "--dialect", "fastexpr").out
    assert "here scale = (r-1)/(n-1)" in platform
    assert "(of equal formulas)" in platform
    assert "(ignoring constant factors)" in platform


@pytest.mark.parametrize(
    ("formula", "source", "target", "text"),
    [
        ("Ref($close, 5) / $close", "qlib", "core", "delay(close, 5) / close"),
        ("ts_delay(close, 5) / close", "fastexpr", "qlib", "Ref($close, 5) / $close"),
        ("rank(close)", "core", "alpha101", "rank(close)"),
    ],
)
def test_convert(run: Run, formula: str, source: str, target: str, text: str) -> None:
    done = run("convert", formula, "--from", source, "--to", target)
    assert done.out == f"{text}\n"
    assert done.code == 0


def test_convert_refuses_what_cannot_be_said_exactly(run: Run) -> None:
    done = run("convert", "Std($close, 5)", "--from", "qlib", "--to", "fastexpr", "--json")
    assert done.code == 2
    assert done.data["reason"] == "no_form"
    loose = run("convert", "Std($close, 5)", "--from", "qlib", "--to", "fastexpr", "--loose", "--json")
    assert loose.code == 0
    assert loose.data["differences"] == done.data["details"]["loose"]


def test_convert_names_words_that_are_open_to_consultants_only(run: Run, tmp_path: Path) -> None:
    done = run("convert", "ts_kurt(close, 10) + ts_kurt(open, 5)", "--to", "fastexpr")
    assert done.code == 0
    assert "ts_kurtosis" in done.out
    assert done.err == "  note: ts_kurtosis is open to consultants of the platform only\n"
    assert "ts_kurtosis is open to consultants only" in run("brain", "validate", done.out.strip()).err
    told = run("convert", "ts_kurt(close, 10)", "--to", "fastexpr", "--json")
    assert told.data["consultant"] == ["ts_kurtosis"]
    (tmp_path / "list.txt").write_text("close\nts_kurt(close, 10)\n", encoding="utf-8")
    listed = run("convert", "--file", "list.txt", "--to", "fastexpr")
    assert listed.err == "line 2 note: ts_kurtosis is open to consultants of the platform only\n"
    assert run("convert", "close / open", "--to", "fastexpr", "--json").data["consultant"] == []


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("Corr($close,$volume,10)", "there is no op 'Corr' in core"),
        ("ts_mean($close, 10)", "fields are written without $ in core"),
    ],
)
def test_a_formula_of_qlib_is_told_its_dialect(run: Run, formula: str, said: str) -> None:
    done = run("check", formula)
    assert done.code == 2
    assert said in done.err
    assert "what to do: where the formula is qlib's, name that dialect: --dialect qlib" in done.err
    assert "qlib" not in run("check", "ts_maen(close, 10)").err
    assert "qlib" not in run("check", "Corr(close, volume, 10)", "--dialect", "fastexpr").err


def test_convert_of_a_file_keeps_its_lines(run: Run, tmp_path: Path) -> None:
    lines = ["# moments", "$close", "", "Std($close, 5)", "Mad($close, 5)", "Ref($close, -1)", "$open"]
    (tmp_path / "list.txt").write_text("\n".join(lines), encoding="utf-8")
    done = run("convert", "--file", "list.txt", "--from", "qlib", "--to", "fastexpr")
    assert done.code == 2
    out = done.out.splitlines()
    assert [out[i] for i in (0, 1, 2, 6)] == ["# moments", "close", "", "open"]
    assert out[3].startswith("# line 4: fastexpr cannot write ts_std")
    assert out[4].startswith("# line 5: fastexpr cannot write ts_mad")
    assert out[5] == "# line 6: a shift of -1 bars reads the future"
    assert "3 of 5 formulas are refused" in done.err
    assert "1 of them can be written with --loose" in done.err
    loose = run("convert", "--file", "list.txt", "--from", "qlib", "--to", "fastexpr", "--loose")
    assert loose.out.splitlines()[3] == "ts_std_dev(close, 5)"
    assert "line 4 differs: ts_std: min_periods 1 becomes the whole window" in loose.err


def test_library_lists_and_shows(run: Run) -> None:
    sizes = {item["set"]: item["factors"] for item in run("library", "list", "--json").data}
    assert sizes["alpha158"] == 158
    assert sizes["alpha101"] == 101
    assert len(run("library", "list", "alpha158", "--json").data) == 158
    found = run("library", "show", "alpha101-012", "--json").data
    assert found["fields"] == ["close", "volume"]
    assert "Kakushadze" in found["source"]
    assert "alpha101-012" in run("library", "list", "alpha101").out


def test_init_makes_a_workspace_once(run: Run, tmp_path: Path) -> None:
    done = run("init", "desk", "--json")
    assert done.code == 0
    assert Path(done.data["config"]) == tmp_path / "desk" / "assay.toml"
    assert (tmp_path / "desk" / "data").is_dir()
    again = run("init", "desk")
    assert again.code == 2
    assert "exists already" in again.err
