from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# a deadline is a timed assertion: it fails on a busy machine and when a slow module is first imported
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real test data; it is not part of the project, so tests that need it skip elsewhere."""
    if not (_SHARED / "data").is_dir():
        pytest.skip("the real test data (../shared/data) is not on this machine")
    return _SHARED
