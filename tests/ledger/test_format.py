"""Ledgers that earlier releases wrote open for ever. The files in ``fixtures`` are never made anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.ledger import Ledger

from .records import body

FIXTURES = Path(__file__).parent / "fixtures"


def expected(version: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / version / "expected.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("version", ["v1"])
def test_a_frozen_ledger_opens_and_goes_on(version: str, tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    shutil.copytree(FIXTURES / version / "ledger", folder)
    wanted = expected(version)
    ledger = Ledger.open(folder)
    found = ledger.verify(objects=True)
    assert (found.records, found.head, found.objects) == (
        wanted["records"],
        wanted["head"],
        wanted["objects"],
    )
    assert found.torn is not None
    assert (found.torn.offset, found.torn.bytes, found.torn.reason) == tuple(wanted["torn"])
    entries = [[entry.kind, entry.run, entry.body, entry.hash] for entry in ledger.entries()]
    assert entries == wanted["entries"]
    entry = ledger.append("round", body(1), run="r-1")
    assert entry.line == wanted["records"] + 2
    assert next(ledger.entries(kind="recovery")).body["reason"] == wanted["torn"][2]
    assert Ledger.open(folder).verify(objects=True).torn is None


def test_every_format_has_a_fixture() -> None:
    from assay.ledger._log import VERSION

    assert sorted(path.name for path in FIXTURES.iterdir()) == [f"v{i}" for i in range(1, VERSION + 1)]
