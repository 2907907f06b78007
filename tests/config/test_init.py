from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from assay.config import DEFAULT_HORIZONS, DateRange, PeriodPlan, init_workspace, load_workspace
from assay.config._reference import config_keys
from assay.errors import AssayError, ConfigProblems

PLAN = PeriodPlan(
    DateRange(date(2017, 1, 1), date(2019, 12, 31)),
    eval=DateRange(date(2020, 3, 1), date(2021, 6, 30)),
    embargo_bars=30,
)


def test_a_new_workspace_has_its_folders_and_a_commented_file(tmp_path: Path) -> None:
    workspace = init_workspace(tmp_path / "new" / "ws")
    root = workspace.root
    assert {p.name for p in root.iterdir()} == {"assay.toml", ".gitignore", "data", "runs", "notes", "book"}
    assert ".env" in (root / ".gitignore").read_text().split()
    text = workspace.config_path.read_text()
    for key in config_keys():
        assert f"# {key.name} = " in text
        assert key.description in text


def test_the_template_is_valid_with_every_comment_taken_away(tmp_path: Path) -> None:
    workspace = init_workspace(tmp_path)
    lines = workspace.config_path.read_text().splitlines()
    live = [re.sub(r"^# (?=\[|\w+ = )", "", line) for line in lines]
    text = "\n".join(
        line for line in live if not re.match("(run|script) = ", line)
    )  # of other kinds of backend
    for table, name in (("data.", "csi300"), ("llm.backends.", "deepseek")):
        text = text.replace(f"{table}NAME", f"{table}{name}")
    text = text.replace("llm.roles.ROLE", "llm.roles.planner").replace("MODEL", "deepseek-chat")
    workspace.config_path.write_text(text)
    loaded = load_workspace(tmp_path)
    assert loaded.llm.roles["planner"].model == "deepseek-chat"
    assert loaded.llm.limits.money == 20.0
    assert loaded.default_data == "csi300"
    assert loaded.settings("csi300").periods is not None
    assert loaded.defaults.horizons == DEFAULT_HORIZONS


def test_plans_are_written_and_read_back(tmp_path: Path) -> None:
    workspace = init_workspace(tmp_path, plans={"csi300": PLAN})
    assert workspace.settings("csi300").periods == PLAN
    assert load_workspace(tmp_path).settings("csi300").periods == PLAN


def test_the_data_set_of_commands_that_name_none_is_written(tmp_path: Path) -> None:
    assert init_workspace(tmp_path / "one", data="csi300").default_data == "csi300"
    assert init_workspace(tmp_path / "two").default_data is None


def test_an_invalid_plan_writes_nothing(tmp_path: Path) -> None:
    bad = PeriodPlan(PLAN.search, eval=DateRange(date(2019, 1, 1), date(2021, 1, 1)), embargo_bars=30)
    with pytest.raises(ConfigProblems, match="overlaps"):
        init_workspace(tmp_path / "ws", plans={"csi300": bad})
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_is_never_overwritten(tmp_path: Path) -> None:
    init_workspace(tmp_path)
    (tmp_path / "assay.toml").write_text("[defaults]\nlag = 0\n")
    with pytest.raises(AssayError, match="exists already"):
        init_workspace(tmp_path)
    assert (tmp_path / "assay.toml").read_text() == "[defaults]\nlag = 0\n"


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")
    init_workspace(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "ws").write_text("")
    with pytest.raises(AssayError, match="cannot create"):
        init_workspace(tmp_path / "ws")


def test_a_new_workspace_sets_no_costs(tmp_path: Path) -> None:
    assert init_workspace(tmp_path).defaults.costs is None


@pytest.mark.parametrize("blocked", ["data", "notes"])
def test_a_failure_leaves_no_empty_folders(tmp_path: Path, blocked: str) -> None:
    (tmp_path / blocked).write_text("mine")
    with pytest.raises(AssayError, match="cannot create"):
        init_workspace(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [blocked]


def test_a_file_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, content: str) -> None:
        if path.name == "assay.toml":
            raise AssayError("cannot write", where=str(path), fix="")
        path.write_text(content)

    monkeypatch.setattr("assay.config._init.atomic_write", write)
    with pytest.raises(AssayError, match="cannot write"):
        init_workspace(tmp_path / "new" / "ws")
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_nothing_in_place_of_the_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").symlink_to("gone")
    with pytest.raises(AssayError, match="exists already"):
        init_workspace(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["assay.toml"]
