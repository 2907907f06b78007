from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main


@dataclass(frozen=True)
class Done:
    """One command line that ran through the real boundary."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``assay ARGUMENTS`` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def act(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return act


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small simulated data set, stored."""
    from assay.market import simulate, write_dataset

    folder = tmp_path_factory.mktemp("market") / "small"
    write_dataset(simulate(3, instruments=60, days=400, name="small").data, folder)
    return folder


@pytest.fixture
def desk(run: Run, market: Path, tmp_path: Path) -> Path:
    """A workspace in the current folder that holds the small data set, with a period plan."""
    from assay.config import init_workspace, propose_plan
    from assay.market import open_panel

    plan = propose_plan(open_panel(market).dates, (20,))
    init_workspace(tmp_path, plans={"small": plan})
    (tmp_path / "data" / "small").symlink_to(market, target_is_directory=True)
    return tmp_path
