"""Every pair of tool and reason of the whole surface is reached over the protocol, and nothing else is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from assay.base import Operator
from assay.book import BookDesk
from assay.ledger import Ledger
from assay.mcp import Parts, bare_surface, build_server
from assay.reports.documents import read_document
from assay.thermometer import PrintStore
from assay.tools import Registry
from assay.tools.builtin import SearchView, Workbench
from mcp import Client

from ..book.book_cases import BOOK_ROWS, whole_desk
from ..discovery.discovery_cases import DISCOVERY_ROWS
from ..reports.tools.test_report_tools import REASONS as REPORT_REASONS
from ..tools.test_reasons import CASES as BUILTIN_CASES
from .conftest import AGENT


@dataclass(frozen=True)
class Case:
    """A call, with what then stands behind the surface, and the reason that it is refused with."""

    tool: str
    reason: str
    arguments: dict[str, Any]
    change: Callable[[Parts], Parts] = lambda parts: parts


def on_bench(change: Callable[[Workbench], Workbench]) -> Callable[[Parts], Parts]:
    return lambda parts: replace(parts, bench=change(parts.bench))


def on_book(change: Callable[[BookDesk], BookDesk]) -> Callable[[Parts], Parts]:
    return lambda parts: replace(parts, book=change(whole_desk()), allow_record=True)


def with_report(text: str | None) -> Callable[[Parts], Parts]:
    document = None if text is None else read_document(text.encode(), name="note.txt")
    return lambda parts: replace(parts, document=document)


def without_ledger(parts: Parts) -> Parts:
    return replace(parts, bench=replace(parts.bench, ledger=None))


def with_runs(parts: Parts) -> Parts:
    assert parts.bench.ledger is not None
    for run, desk in (("r-other", "judge"), ("r-1", "campaign"), ("r-2", "campaign")):
        parts.bench.ledger.run(run).start(desk, Operator.human(), "c", {})
    return parts


def with_damaged_runs(parts: Parts) -> Parts:
    ledger = with_runs(parts).bench.ledger
    assert ledger is not None
    log = ledger.folder / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"run":"r-1"', b'"run":"r-9"'))
    return replace(parts, bench=replace(parts.bench, ledger=Ledger.open(ledger.folder)))


def with_torn_print(parts: Parts) -> Parts:
    folder = Path(mkdtemp())
    (folder / f"2018-01-02-1-{'0' * 64}.json").write_text("{", encoding="utf-8")
    return replace(parts, thermometer=PrintStore(folder))


CASES = [
    *(Case(case.tool, case.reason, case.arguments, on_bench(case.change)) for case in BUILTIN_CASES),
    *(Case(tool, reason, sent, on_bench(change)) for tool, reason, sent, change in DISCOVERY_ROWS),
    *(Case(tool, reason, sent, on_book(change)) for tool, reason, sent, change in BOOK_ROWS),
    *(
        Case(f"report.{tool}", reason, arguments, with_report(text))
        for (tool, reason), (arguments, text) in REPORT_REASONS.items()
    ),
    Case("thermometer.latest", "no_thermometer_print", {}),
    Case("thermometer.latest", "damaged_state", {}, with_torn_print),
    Case("campaign.status", "missing_run", {}),
    Case("campaign.status", "bad_run", {"run": "../runs"}),
    Case("campaign.status", "unknown_run", {"run": "r-none"}),
    Case("campaign.status", "not_a_campaign", {"run": "r-other"}, with_runs),
    Case("campaign.status", "no_ledger", {"run": "r-1"}, without_ledger),
    Case("campaign.status", "damaged_state", {"run": "r-1"}, with_damaged_runs),
]


@pytest.fixture(scope="session")
def view(market, plan) -> SearchView:
    return SearchView.of(market, plan)


def case_name(case: Case) -> str:
    return f"{case.tool} {case.reason} {json.dumps(case.arguments)[:40]}"


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_each_pair_is_reached_over_the_protocol(case: Case, view: SearchView, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    parts = case.change(Parts(Workbench.of(view, ledger), tmp_path / "runs"))
    server = build_server(Registry(parts.tools(), guard=view.guard), operator=AGENT)

    async def act() -> Any:
        async with Client(server) as client:
            return await client.call_tool(case.tool.replace(".", "_"), case.arguments)

    answer = asyncio.run(act())
    assert answer.is_error, answer
    assert answer.meta["reason"] == case.reason
    assert answer.structured_content is None
    assert answer.content[0].text.startswith(f"{case.reason}: ")
    assert "what to do: " in answer.content[0].text


def test_no_pair_is_left_out_and_none_is_made_up() -> None:
    reached = {(case.tool, case.reason) for case in CASES}
    rows = bare_surface(allow_record=True).reasons()
    declared = {(row.tool, row.reason.code) for row in rows if not row.reserved}
    reserved = {(row.tool, row.reason.code) for row in rows if row.reserved}
    assert declared - reached == set(), "declared, and reached by no case"
    assert reached - declared == set(), "reached, and not declared"
    assert reserved & reached == set()


def test_what_is_attached_changes_no_schema_and_no_reason(registry: Registry) -> None:
    """The list that is shown before the data is opened is that of the whole surface."""
    shown, whole = bare_surface().tools("agent"), registry.tools("agent")
    assert [tool.id for tool in shown] == [tool.id for tool in whole]
    for one, other in zip(shown, whole, strict=True):
        assert (one.input_schema, one.output_schema) == (other.input_schema, other.output_schema)
        assert (one.reasons, one.reserved, one.annotations) == (
            other.reasons,
            other.reserved,
            other.annotations,
        )


def test_reasons_of_one_code_mean_the_same_everywhere() -> None:
    meant: dict[str, set[str]] = {}
    for row in bare_surface(allow_record=True).reasons():
        meant.setdefault(row.reason.code, set()).add(row.reason.summary.rstrip(".").lower())
    shared = {"bad_limit", "bad_horizon", "no_ledger", "no_data", "damaged_state", "unknown_run"}
    assert {code: said for code, said in meant.items() if code in shared and len(said) > 1} == {}
