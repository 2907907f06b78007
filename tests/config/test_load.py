from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import (
    DEFAULT_HORIZONS,
    Costs,
    LookBudgets,
    find_data_settings,
    find_workspace,
    load_workspace,
    parse_config,
)
from assay.errors import ConfigProblems, Problem

GOOD = """
[defaults]
data = "csi300"
universe = "csi300"
horizons = [5, 1, 20, 5]

[costs]
buy_bp = 4

[data.csi300.periods]
search = ["2017-01-01", 2019-12-31]
score = ["2020-03-01", "2021-06-30"]
eval = ["2021-09-01", "2023-12-31"]
embargo_bars = 25

[data.us]
universe = "top150"
horizons = [1, 5]
costs = {buy_bp = 5, sell_bp = 5}
looks = {score = 50, eval = 3}
periods = {search = ["2012-01-01", "2015-12-31"], eval = ["2016-01-15", "2017-12-31"]}
"""


def problems_of(text: str) -> dict[str, Problem]:
    with pytest.raises(ConfigProblems) as caught:
        parse_config(text, root=Path("/nowhere"))
    return {problem.where: problem for problem in caught.value.problems}


def periods(**tables: str) -> str:
    return "[data.x.periods]\n" + "\n".join(f"{name} = {value}" for name, value in tables.items())


def test_a_good_file_gives_settings_with_defaults_filled_in(tmp_path: Path) -> None:
    workspace = parse_config(GOOD, root=tmp_path)
    assert workspace.default_data == "csi300"
    china, us, other = (workspace.settings(name) for name in ("csi300", "us", "other"))
    assert china.horizons == (1, 5, 20)
    assert china.costs == Costs(4.0, 15.0)
    assert china.periods is not None
    assert china.periods.search.end == date(2019, 12, 31)
    assert china.periods.embargo_bars == 25
    assert us.universe == "top150"
    assert us.costs == Costs(5.0, 5.0)
    assert us.looks == LookBudgets(50, 3)
    assert us.periods is not None
    assert us.periods.embargo_bars == 6, "default: the longest label"
    assert us.periods.score is None
    assert other.periods is None
    assert other.horizons == (1, 5, 20)


def test_an_empty_file_is_a_workspace(tmp_path: Path) -> None:
    workspace = parse_config("", root=tmp_path)
    assert workspace.settings("any").horizons == DEFAULT_HORIZONS
    assert workspace.data_dir == tmp_path / "data"
    assert workspace.runs_dir == tmp_path / "runs"
    assert workspace.notes_dir == tmp_path / "notes"
    assert workspace.book_dir == tmp_path / "book"


def test_every_problem_is_reported_at_once() -> None:
    found = problems_of(
        """
        surplus = 1
        [defaults]
        hrizons = [1]
        lag = 2
        horizons = [0, 5]
        [costs]
        buy_bp = "cheap"
        [data.Big]
        [data.a.periods]
        search = ["2017-01-01", "2018-02-30"]
        score = ["2021-01-01", "2020-01-01"]
        [data.b.periods]
        search = ["2017-01-01", "2019-12-31"]
        score = ["2019-06-01", "2021-12-31"]
        """
    )
    assert set(found) == {
        "surplus",
        "defaults.hrizons",
        "defaults.lag",
        "defaults.horizons[0]",
        "costs.buy_bp",
        "data.Big",
        "data.a.periods.search",
        "data.a.periods.score",
        "data.b.periods.score",
    }
    assert found["defaults.hrizons"].fix == "did you mean 'horizons'?"
    assert "'2018-02-30' is not a date" in found["data.a.periods.search"].message
    assert "after its end 2020-01-01" in found["data.a.periods.score"].message
    assert "overlaps search" in found["data.b.periods.score"].message


@pytest.mark.parametrize(
    ("text", "where", "fix"),
    [
        ("[defalts]\n", "defalts", "did you mean 'defaults'?"),
        ("[data.x.perods]\n", "data.x.perods", "did you mean 'periods'?"),
        ("[data.x.costs]\nbuybp = 1", "data.x.costs.buybp", "did you mean 'buy_bp'?"),
        ("[looks]\nzzz = 1", "looks.zzz", "known here: score, eval"),
        ("[data.csi300]\n[defaults]\ndata = 'cis300'", "defaults.data", "did you mean 'csi300'?"),
    ],
)
def test_a_misspelt_key_gets_a_suggestion(text: str, where: str, fix: str) -> None:
    assert problems_of(text)[where].fix == fix


@pytest.mark.parametrize(
    "value",
    [
        '"2017-01-01"',
        '["2017-01-01"]',
        "[2017, 2018]",
        '["20170101", "20180101"]',
        "[2017-01-01T00:00:00, 1]",
    ],
)
def test_a_period_that_is_not_two_days_is_refused(value: str) -> None:
    assert "data.x.periods.search" in problems_of(periods(search=value))


def test_search_must_come_before_the_hidden_periods() -> None:
    text = periods(search='["2021-01-01", "2022-01-01"]', score='["2018-01-01", "2019-01-01"]')
    assert "begins after 'score'" in problems_of(text)["data.x.periods.search"].message


def test_search_is_required() -> None:
    assert problems_of(periods(score='["2018-01-01", "2019-01-01"]'))["data.x.periods.search"].fix == "add it"


@pytest.mark.parametrize(("embargo", "fine"), [(20, False), (21, True)])
def test_the_embargo_is_at_least_the_longest_label(embargo: int, fine: bool) -> None:
    text = periods(
        search='["2017-01-01", "2019-12-31"]',
        score='["2020-06-01", "2021-12-31"]',
        embargo_bars=str(embargo),
    )
    if fine:
        assert parse_config(text, root=Path("/nowhere")).settings("x").periods is not None
    else:
        assert problems_of(text)["data.x.periods.embargo_bars"].fix == "give at least 21"


@pytest.mark.parametrize(("score_start", "fine"), [("2020-01-30", True), ("2020-01-29", False)])
def test_the_gap_between_periods_holds_the_embargo(score_start: str, fine: bool) -> None:
    # 2019-12-31 is a Tuesday: 21 weekdays from 1 January on end with Wednesday the 29th
    text = periods(search='["2017-01-01", "2019-12-31"]', score=f'["{score_start}", "2021-12-31"]')
    if fine:
        assert parse_config(text, root=Path("/nowhere")).settings("x").periods is not None
    else:
        assert "20 weekdays" in problems_of(text)["data.x.periods.score"].message


def test_a_secret_in_the_file_is_refused_and_not_repeated() -> None:
    for text in (
        '[defaults]\napi_key = "sk-canary-0123456789"',
        "[defaults]\napi_key = sk-canary-0123456789",
    ):
        with pytest.raises(ConfigProblems) as caught:
            parse_config(text, root=Path("/nowhere"))
        assert "canary" not in json.dumps(caught.value.as_dict())


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"[defaults]\nlag = = 1\n", "line 2, column 7"),
        (b"[defaults]\nlag = 1\nlag = 1\n", "line 3"),
        (b"[defaults\n", "line 1"),
        (b'[defaults]\ndata = "abc', "line 2"),
        (b"[defaults]\nuniverse = '\xff'\n", "line 2"),
        ("[defaults]\n".encode("utf-16"), "line 1"),
    ],
)
def test_a_file_that_is_not_toml_names_the_line(tmp_path: Path, content: bytes, place: str) -> None:
    (tmp_path / "assay.toml").write_bytes(content)
    with pytest.raises(ConfigProblems) as caught:
        load_workspace(tmp_path)
    (problem,) = caught.value.problems
    assert problem.where.startswith(place)
    assert caught.value.where == str(tmp_path / "assay.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = " + "[" * 10_000, "nested too deeply"),
        ("x = " + "{a = " * 10_000, "nested too deeply"),
        ("[defaults]\nlag = " + "9" * 5_000, "number is too long"),
        ("data = 5", "is 5"),
        ("[data]\ncsi300 = 5", "is 5"),
        ("[[data]]\n", "is [{}]"),
        ("[costs]\nbuy_bp = nan", "is nan"),
        ("[costs]\nbuy_bp = true", "is True"),
        ("\0", "not valid TOML"),
        ("[data.'../x']", "cannot be the name of a data set"),
    ],
)
def test_odd_files_are_refused_in_words(text: str, message: str) -> None:
    (problem,) = problems_of(text).values()
    assert message in problem.message


words = st.sampled_from(
    ["defaults", "costs", "looks", "data", "periods", "search", "eval", "lag", "horizons", "x"]
)
values = st.recursive(
    st.integers() | st.floats() | st.booleans() | st.dates() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(words, values, max_size=4))
def test_any_table_is_a_workspace_or_a_list_of_problems(raw: dict[str, Any]) -> None:
    text = "\n".join(f"{key} = {toml(value)}" for key, value in raw.items())
    problems: tuple[Problem, ...] = ()
    try:
        parse_config(text, root=Path("/nowhere"))
    except ConfigProblems as error:
        problems = error.problems or (Problem("", ""),)
    assert all(problem.where and problem.message for problem in problems)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value) if isinstance(value, bool | str) else repr(value)


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_bytes(b"\xef\xbb\xbf[defaults]\nlag = 0\n")
    assert load_workspace(tmp_path).defaults.lag == 0


def test_a_missing_file_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(ConfigProblems, match="does not exist"):
        load_workspace(tmp_path / "absent")


def test_a_folder_in_place_of_the_file_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").mkdir()
    with pytest.raises(ConfigProblems, match="cannot be read"):
        load_workspace(tmp_path)


def test_the_workspace_is_found_from_any_folder_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / "ws" / "runs" / "a"
    deep.mkdir(parents=True)
    assert find_workspace(deep) is None
    (tmp_path / "ws" / "assay.toml").write_text(GOOD)
    monkeypatch.chdir(deep)
    found = find_workspace()
    assert found is not None
    assert found.root == (tmp_path / "ws").resolve()
    assert found.config_path.is_file()


def test_a_workspace_may_be_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text(GOOD)
    assert load_workspace(tmp_path / "assay.toml") == load_workspace(tmp_path)


@pytest.mark.parametrize("kind", ["folder", "link to nothing", "link to itself"])
def test_an_assay_toml_that_is_no_file_does_not_open_the_hidden_dates(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "assay.toml"
    if kind == "folder":
        file.mkdir()
    else:
        file.symlink_to("gone" if kind == "link to nothing" else "assay.toml")
    with pytest.raises(ConfigProblems, match=r"assay\.toml"):
        find_workspace(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[costs]", "[data.x]", "[data.x.costs]", "[costs]\n[data.x]\ncosts = {}"]
)
def test_costs_that_nobody_wrote_are_unknown(text: str) -> None:
    workspace = parse_config(text, root=Path("/nowhere"))
    assert workspace.settings("x").costs is None
    assert workspace.settings("other").costs is None


def test_an_empty_table_of_costs_leaves_those_of_the_workspace() -> None:
    workspace = parse_config("[costs]\nbuy_bp = 4\n[data.x.costs]", root=Path("/nowhere"))
    assert workspace.settings("x").costs == Costs(4.0, 15.0)


def workspace_at(root: Path, name: str | None = None) -> Path:
    """A workspace with a plan for the data set ``name``; gives the folder of its data sets."""
    (root / "data").mkdir(parents=True)
    plan = "" if name is None else f'[data.{name}.periods]\nsearch = ["2017-01-01", "2019-12-31"]\n'
    (root / "assay.toml").write_text(plan)
    return root / "data"


def test_settings_of_a_data_set_come_from_above_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = workspace_at(tmp_path / "ws", "sim")
    (data / "sim").mkdir()
    elsewhere = workspace_at(tmp_path / "other", "sim").parent
    for here, folder in ((tmp_path, "ws/data/sim"), (elsewhere, "../ws/data/sim"), (data, "sim")):
        monkeypatch.chdir(here)
        found = find_data_settings(Path(folder), "sim")
        assert found is not None
        assert found == load_workspace(tmp_path / "ws").settings("sim")
    assert find_data_settings(tmp_path / "copy" / "sim", "sim") is None


def test_a_data_set_is_known_by_its_folder_too(tmp_path: Path) -> None:
    data = workspace_at(tmp_path, "renamed")
    found = find_data_settings(data / "renamed", "sim")
    assert found is not None
    assert found.periods is not None


def test_a_link_hides_no_plan_on_either_side(tmp_path: Path) -> None:
    with_plan = workspace_at(tmp_path / "a", "sim")
    (with_plan / "sim").mkdir()
    without = workspace_at(tmp_path / "b")
    (tmp_path / "store" / "sim").mkdir(parents=True)
    (without / "sim").symlink_to(with_plan / "sim")
    (tmp_path / "link").symlink_to(with_plan)
    (with_plan / "far").symlink_to(tmp_path / "store" / "sim")
    for folder in (without / "sim", tmp_path / "link" / "sim", with_plan / "far"):
        found = find_data_settings(folder, "sim")
        assert found is not None
        assert found.periods is not None, folder


def test_a_broken_file_above_the_data_is_an_error(tmp_path: Path) -> None:
    data = workspace_at(tmp_path, "sim")
    (tmp_path / "assay.toml").write_text("[defaults\n")
    with pytest.raises(ConfigProblems, match="not valid TOML"):
        find_data_settings(data / "sim", "sim")
