"""``assay thermometer``: what it prints, what it refuses, and what it leaves untouched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.config import init_workspace

from .conftest import Run

PRINT = ("thermometer", "print", "--as-of", "2020-06-30")


@pytest.fixture
def folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the thermometer in a workspace, which is the current one."""
    workspace = init_workspace(tmp_path / "desk")
    monkeypatch.chdir(workspace.root)
    return workspace.thermometer_dir


def test_print_show_and_plot_as_data(run: Run, folder: Path) -> None:
    (made,) = run(*PRINT, "--json").data
    assert (made["as_of"], made["new"], made["simulated"]) == ("2020-06-30", True, True)
    (again,) = run(*PRINT, "--json").data
    assert again == {**made, "new": False}
    shown = run("thermometer", "show", "--json").data
    assert shown == {key: value for key, value in made.items() if key != "new"}
    assert run("thermometer", "show", "--all", "--json").data == [shown]
    plotted = run("thermometer", "plot", "--html", "page.html", "--json").data
    assert plotted == {"html": "page.html", "prints": [made["name"]]}
    assert "Simulated components." in Path("page.html").read_text(encoding="utf-8")


def test_today_is_the_day_by_default(run: Run, folder: Path) -> None:
    (made,) = run("thermometer", "print", "--json").data
    assert made["as_of"] == run("thermometer", "show", "--json").data["as_of"]
    assert made["freshness"]["missing"] == []


def test_since_gives_the_ends_of_months_and_the_day(run: Run, folder: Path) -> None:
    made = run("thermometer", "print", "--as-of", "2020-03-15", "--since", "2020-01-10", "--json").data
    assert [row["as_of"] for row in made] == ["2020-01-31", "2020-02-29", "2020-03-15"]
    shown = run("thermometer", "show", "--as-of", "2020-03-14", "--json").data
    assert shown["as_of"] == "2020-02-29"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("print", "--as-of", "2999-01-01"), "lies after today"),
        (("print", "--as-of", "yesterday"), "'yesterday' is not a date"),
        (("print", "--since", "2999-01-01"), "lies after today"),
        (("print", "--as-of", "1990-01-31"), "no component of supply"),
        (("show",), "there is no print of the thermometer"),
        (("show", "--as-of", "x"), "'x' is not a date"),
        (("plot",), "there is no print of the thermometer"),
    ],
)
def test_what_is_refused_writes_nothing(
    run: Run, folder: Path, arguments: tuple[str, ...], what: str
) -> None:
    done = run("thermometer", *arguments)
    assert done.code == 2
    assert what in done.err
    assert "what to do:" in done.err
    assert not folder.exists()


def test_an_empty_list_says_what_to_do(run: Run, folder: Path) -> None:
    assert run("thermometer", "show", "--all").out == "there is no print yet: assay thermometer print\n"
    assert run("thermometer", "show", "--all", "--json").data == []


def test_one_day_of_many_that_cannot_be_printed_stops_all(run: Run, folder: Path) -> None:
    done = run("thermometer", "print", "--as-of", "2001-01-31", "--since", "1999-12-01")
    assert done.code == 2
    assert "as of 1999-12-31" in done.err
    assert not folder.exists()


def test_all_problems_of_the_components_are_told_at_once(run: Run, folder: Path) -> None:
    folder.mkdir()
    (folder / "components.toml").write_text('[components.a]\naxis = "x"\n\n[more]\n')
    done = run(*PRINT)
    assert done.code == 2
    for said in ("components.toml:2: axis is 'x'", "components.toml:4: 'more'", "has no source"):
        assert said in done.err
    assert len(run(*PRINT, "--json").data["problems"]) > 4
    assert not (folder / "prints").exists()


def test_simulated_prints_do_not_take_the_place_of_others(run: Run, folder: Path) -> None:
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("date,value\n2020-01-31,1\n2020-05-31,2\n")
    tables = [
        f'[components.{name}]\naxis = "{axis}"\ndirection = 1\nsource = "x"\nrelease_lag_days = 0\n'
        for name, axis in (("a", "supply"), ("b", "demand"))
    ]
    (folder / "components.toml").write_text("".join(tables))
    (made,) = run(*PRINT, "--json").data
    assert (made["simulated"], made["verdict"]) == (False, "expanding")
    (folder / "components.toml").unlink()
    done = run(*PRINT)
    assert done.code == 2
    assert "components.toml" in done.err
    assert run("thermometer", "show", "--json").data["name"] == made["name"]


def test_a_damaged_print_is_named(run: Run, folder: Path) -> None:
    (made,) = run(*PRINT, "--json").data
    file = folder / "prints" / f"{made['name']}.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "heat": 1.0}))
    for arguments in (("show",), ("plot",), ("print", "--as-of", "2020-06-30")):
        done = run("thermometer", *arguments)
        assert done.code == 2
        assert made["name"] in done.err
        assert "what to do:" in done.err


def test_outside_a_workspace_it_says_so(run: Run) -> None:
    assert "lies in no workspace" in run("thermometer", "print").err


def test_a_page_is_not_put_where_it_cannot_be(run: Run, folder: Path) -> None:
    run(*PRINT)
    done = run("thermometer", "plot", "--html", "no/such/page.html")
    assert done.code == 2
    assert "does not exist" in done.err
