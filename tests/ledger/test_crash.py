"""Writers stopped anywhere: a sample of the crash sweep; all of it with ``-m slow``."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import crash

SAMPLED = 60


def test_a_sample_of_the_points(tmp_path: Path) -> None:
    points = crash.sample(crash.all_points(tmp_path), SAMPLED)
    passed = list(crash.sweep(points, tmp_path))
    assert len(passed) == SAMPLED
    assert {point.fault for point in passed} == set(crash.FAULTS)
    assert {point.scenario for point in passed} == set(crash.SCENARIOS)


@pytest.mark.slow
def test_every_point(tmp_path: Path) -> None:
    points = crash.all_points(tmp_path)
    passed = list(crash.sweep(points, tmp_path))
    assert len(passed) == len(points) >= 500


def test_the_sweep_notices_an_append_that_is_not_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The harness itself: with the fsync taken out, a power cut must break a promise somewhere."""

    def careless(files: crash.OsFiles, handle: int, data: bytes, end: int) -> None:
        files.write(handle, data)

    monkeypatch.setattr("assay.ledger._log.append_durably", careless)
    broken = 0
    for point in crash.all_points(tmp_path):
        if point.fault == "power" and point.scenario == "clean":
            try:
                crash.run(point, tmp_path)
            except Exception:  # noqa: BLE001 - a broken promise shows as damage or as a failed assertion
                broken += 1
    assert broken
