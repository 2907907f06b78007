from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.reports import _reasons
from assay.reports._case import Refused, ReportSource
from assay.reports._extraction import Candidate, Extraction
from assay.reports._reasons import CONFLICTING_WINDOW, MINUTE_DATA, NO_FACTOR, REASONS, reason_of

from .notes import answer, zh


def test_a_candidate_says_why_exactly_where_it_cannot_be_computed() -> None:
    assert Candidate("a", (1,), "x", True).as_dict()["why_not"] is None
    assert Candidate("a", (1,), "x", False, MINUTE_DATA).as_dict()["why_not"] == "extract.minute_data"
    for computable, why in ((True, MINUTE_DATA), (False, None)):
        with pytest.raises(ValueError, match="says why"):
            Candidate("a", (1,), "x", computable, why)


def test_status_spec_has_a_spec_and_no_reason() -> None:
    found = answer(zh()[0])
    with pytest.raises(ValueError, match="no reason"):
        replace(found, spec=None)
    with pytest.raises(ValueError, match="no reason"):
        replace(found, reason=NO_FACTOR)
    with pytest.raises(ValueError, match="no reason"):
        replace(Extraction.refused(NO_FACTOR), reason=None)


def test_the_json_of_an_extraction() -> None:
    case, _ = zh()
    data = json.loads(json.dumps(answer(case, rebalance="undeclared", direction="undeclared").as_dict()))
    assert data["status"] == "spec"
    assert data["undeclared"] == ["rebalance", "direction"]
    assert data["evidence"] == data["spec"]["evidence"]
    refused = Extraction.conflict(CONFLICTING_WINDOW, note="20 and 60", target="a").as_dict()
    assert (refused["status"], refused["reason"], refused["spec"], refused["direction"]) == (
        "conflict", "extract.conflicting_window", None, None,
    )  # fmt: skip


def test_every_declared_reason_is_in_the_table_once() -> None:
    declared = [value for value in vars(_reasons).values() if isinstance(value, _reasons.Reason)]
    assert sorted(item.code for item in declared) == sorted(item.code for item in REASONS)
    assert len({item.code for item in REASONS}) == len(REASONS)
    assert all(item.code.startswith(("extract.", "document.")) for item in REASONS)
    assert reason_of("extract.no_factor") is NO_FACTOR
    with pytest.raises(KeyError):
        reason_of("extract.nothing")


def test_a_conflict_is_told_from_a_refusal_by_its_reason() -> None:
    assert Refused(CONFLICTING_WINDOW).status == "conflict"
    assert Refused(NO_FACTOR).status == "refused"


def test_a_source_is_a_file_or_a_text() -> None:
    assert ReportSource("a.md", text="x").content() == b"x"
    with pytest.raises(ValueError, match="not both"):
        ReportSource("a.md")
    with pytest.raises(ValueError, match="not both"):
        ReportSource("a.md", path=Path("a.md"), text="x")
