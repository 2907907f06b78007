from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_the_extra_it_says_so_before_anything_else(
    run: Callable[..., Any], desk: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    done = run("brain", "serve", "--data", "small")
    assert done.code == 2
    assert done.out == ""
    assert f"this needs the package '{missing}'" in done.err
    assert "BRAIN_PASSWORD" not in done.err
    assert not (desk / "brain").exists()
