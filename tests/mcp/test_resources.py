"""Runs, campaigns, certificates and notes as resources, behind the same guard as the tools."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.judge import JudgeSettings, Recording, judge
from assay.ledger import Ledger
from assay.mcp import Parts, build_server
from assay.mcp._resources import KINDS
from assay.tools import Registry
from assay.tools.builtin import SearchView, Workbench
from mcp import Client

from .conftest import AGENT, MODES, talk

QUICK = JudgeSettings(robustness="off", leak_checks="off", bootstrap=0, shuffles=2, neutral=False)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger")


@pytest.fixture
def server(market, plan, ledger: Ledger, tmp_path: Path) -> Any:
    view = SearchView.of(market, plan)
    parts = Parts(Workbench.of(view, ledger), tmp_path / "runs")
    return build_server(Registry(parts.tools(), guard=view.guard), operator=AGENT, page=3)


async def everything(client: Client) -> list[str]:
    found, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        found += [str(resource.uri) for resource in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("mode", MODES)
def test_runs_and_certificates_are_listed_and_read(server, ledger, market, plan, mode: str) -> None:
    for number in range(5):
        ledger.run(f"r-{number}").start("desk", Operator.human(), "c", {})
    recording = Recording(ledger, Operator.human())
    (verdict,) = judge(["-ts_return(close, 5)"], market, QUICK, plan=plan, recording=recording)
    name = str(verdict.certificate["content_hash"])

    async def act(client: Client) -> Any:
        uris = await everything(client)
        return uris, {uri: (await client.read_resource(uri)).contents[0] for uri in uris}

    uris, contents = talk(server, act, mode)
    assert uris == sorted(uris)
    assert len(uris) == len(set(uris)) >= 7
    assert f"assay://certificates/{name.replace(':', '%3A')}" in uris
    for uri, content in contents.items():
        told = json.loads(content.text)
        assert content.mime_type == "application/json"
        assert uri.rpartition("/")[2].replace("%3A", ":") in (told.get("run"), told.get("certificate"))


def test_a_certificate_on_hidden_dates_is_no_resource(server, ledger, market, plan) -> None:
    recording = Recording(ledger, Operator.human())
    hidden = replace(QUICK, period="score", allow_hidden=True)
    (verdict,) = judge(["rank(volume)"], market, hidden, plan=plan, recording=recording)
    uri = f"assay://certificates/{str(verdict.certificate['content_hash']).replace(':', '%3A')}"
    assert uri not in talk(server, everything)
    assert plan.score is not None
    with pytest.raises(BaseException) as caught:
        talk(server, lambda client: client.read_resource(uri), MODES[1])
    assert str(plan.score.start) not in repr(caught.value)


def test_names_that_tell_of_later_dates_are_withheld_here_too(server, ledger, plan) -> None:
    assert plan.eval is not None
    late = f"to-{plan.eval.end:%Y-%m-%d}"
    ledger.run(late).start("desk", Operator.human(), "c", {})
    uris = talk(server, everything)
    assert all(late not in uri for uri in uris)


def test_a_store_that_is_absent_has_no_resources_and_still_its_templates() -> None:
    server = build_server(Registry(Parts().tools()))
    assert talk(server, everything) == []
    templates = talk(server, lambda client: client.list_resource_templates()).resource_templates
    assert {item.name for item in templates} <= {kind.name for kind in KINDS}
    assert {"runs", "certificates", "campaigns"} <= {item.name for item in templates}
