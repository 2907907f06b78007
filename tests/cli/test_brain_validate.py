"""``assay brain validate``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
VALID = "group_rank(ts_mean(returns, 21), industry)"


def test_a_valid_expression(run: Run) -> None:
    done = run("brain", "validate", VALID)
    assert done.code == 0
    assert done.out == "1 of 1 valid (names of fields not checked: give --local, --data or --fields)\n"


def test_what_is_wrong_is_shown_under_its_place(run: Run) -> None:
    done = run("brain", "validate", "rank(close)", "ts_max(close, 5)")
    assert done.code == 2
    assert done.out.startswith("1 of 2 valid")
    assert done.err.splitlines() == [
        'argument 2: Attempted to use inaccessible or unknown operator "ts_max"',
        "  ts_max(close, 5)",
        "  ^^^^^^",
        "  where: line 1, characters 0 to 6",
        "  hint: ts_max is open to consultants only",
    ]
    assert run("brain", "validate", "ts_max(close, 5)", "--level", "consultant").code == 0


def test_json_has_the_location_as_the_platform_gives_it(run: Run) -> None:
    done = run("brain", "validate", "a = close;\nrank(a, b)", "--json")
    assert done.code == 2
    (one,) = done.data["programs"]
    assert one["problem"] == {
        "kind": "inputs",
        "message": "Invalid number of inputs : 2, should be exactly 1 input(s)",
        "location": {"line": 2, "start": 8, "end": 9, "property": "regular"},
        "hint": "the parameter 'rate' of rank must be a number written out",
    }
    assert (done.data["count"], done.data["valid"], done.data["fields_checked"]) == (1, 0, False)


def test_units_are_warned_of_when_asked_for(run: Run) -> None:
    assert run("brain", "validate", "close + 1", "--json").data["programs"][0]["warnings"] == []
    done = run("brain", "validate", "close + 1", "--units", "--json")
    assert done.code == 0
    assert 'found "Unit[]"' in done.data["programs"][0]["warnings"][0]
    assert "argument 1: warning: Incompatible unit" in run("brain", "validate", "close + 1", "--units").out


def test_expressions_of_a_file_and_a_program_of_several_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("# ideas\nrank(close)\nrank(close\n")
    done = run("brain", "validate", "--file", str(tmp_path / "list.txt"))
    assert done.code == 2
    assert "list.txt, line 3: Unexpected end of input" in done.err
    (tmp_path / "alpha.txt").write_text("# momentum\nm = ts_delta(close, 5);\n\nrank(m)\n")
    assert run("brain", "validate", "--program", str(tmp_path / "alpha.txt")).code == 0


def test_names_are_looked_up_in_what_the_platform_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data-fields-1.json").write_text(json.dumps({"items": [{"id": "close"}]}))
    assert run("brain", "validate", "rank(close)", "--fields", str(tmp_path)).code == 0
    done = run("brain", "validate", "rank(clse)", "--fields", str(tmp_path / "data-fields-1.json"))
    assert done.code == 2
    assert 'Attempted to use unknown variable "clse"' in done.err


def test_names_are_looked_up_in_a_data_set(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init").code == 0
    assert run("data", "simulate", "sim", "--instruments", "20", "--days", "300").code == 0
    for option in (("--data", "sim"), ("--local",)):
        assert run("brain", "validate", "rank(close)", *option).code == 0
        assert run("brain", "validate", "rank(no_such_field)", *option).code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no formula is given"),
        (("close", "--level", "guru"), "no level"),
        (("close", "--fields", "absent.json"), "cannot be read"),
        (("close", "--fields", "x.json", "--local"), "two sources"),
        (("close", "--data", "no_such"), "no data set"),
        (("close", "--local"), "no workspace"),
        (("--program", "absent.txt"), "absent.txt"),
    ],
)
def test_bad_input_is_named(
    run: Run, arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("brain", "validate", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
