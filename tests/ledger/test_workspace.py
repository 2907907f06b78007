"""The one way to a workspace's ledger."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.config import Workspace, init_workspace
from assay.errors import AssayError
from assay.ledger import refuse_lost, workspace_ledger

from .records import body, numbers


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return init_workspace(tmp_path / "desk")


def test_it_is_made_once(workspace: Workspace) -> None:
    workspace_ledger(workspace).append("round", body(1), run="r-1")
    assert numbers(workspace_ledger(workspace)) == [1]


def test_none_is_made_where_runs_have_left_their_folders(workspace: Workspace) -> None:
    workspace_ledger(workspace)
    for name in ("first", "second", "third", "fourth"):
        (workspace.runs_dir / name).mkdir()
        (workspace.runs_dir / name / "state.json").write_text("{}")
    shutil.rmtree(workspace.ledger_dir)
    with pytest.raises(
        AssayError, match=r"has runs \(first, fourth, second and 1 more\) and no ledger"
    ) as caught:
        workspace_ledger(workspace)
    assert "from a copy" in str(caught.value.fix)
    assert not workspace.ledger_dir.exists()


def test_a_ledger_with_runs_is_not_lost(workspace: Workspace) -> None:
    workspace_ledger(workspace)
    (workspace.runs_dir / "first").mkdir()
    (workspace.runs_dir / "first" / "state.json").write_text("{}")
    refuse_lost(workspace)
    assert workspace_ledger(workspace).verify().records == 1


def test_what_is_no_run_counts_as_none(workspace: Workspace) -> None:
    (workspace.runs_dir / ".staged").mkdir()
    (workspace.runs_dir / ".staged" / "state.json").write_text("{}")
    (workspace.runs_dir / "begun").mkdir()
    (workspace.runs_dir / "begun" / ".lock").write_text("")
    (workspace.runs_dir / "notes.txt").write_text("mine")
    refuse_lost(workspace)
    assert workspace_ledger(workspace).verify().records == 1


def test_what_is_left_of_a_ledger_is_not_taken_for_none(workspace: Workspace) -> None:
    workspace_ledger(workspace)
    (workspace.ledger_dir / "ledger.jsonl").unlink()
    with pytest.raises(AssayError, match="there is no ledger"):
        workspace_ledger(workspace)
    shutil.rmtree(workspace.ledger_dir)
    workspace.ledger_dir.symlink_to(workspace.root / "nowhere")
    with pytest.raises(AssayError, match="there is no ledger"):
        workspace_ledger(workspace)
