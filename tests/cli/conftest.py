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
    monkeypatch.setenv("COLUMNS", "120")

    def act(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return act
