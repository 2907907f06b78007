"""Orders inside a report change nothing: a model that ignores them, and the gate on one that obeys."""

from __future__ import annotations

from typing import Any

import pytest

from assay.reports.documents import read_document
from assay.reports.llm import LlmExtractor
from assay.reports.rules import RulesExtractor
from assay.reports.verifier import gate

from ..injections import INJECTIONS, Injection
from ..notes_llm import ANSWER, CLEAN, LIST, SPEC, scripted
from ..rules.test_injection import ORDERS

IDS = [injection.name for injection in INJECTIONS]


def _extracted(text: str, answer: dict[str, Any]) -> Any:
    document = read_document(text.encode(), name="note.txt")
    client, provider = scripted([LIST, answer])
    return document, LlmExtractor(client).extract(document), provider


@pytest.mark.parametrize("injection", INJECTIONS, ids=IDS)
def test_a_model_that_ignores_it_gives_the_clean_result(injection: Injection) -> None:
    _, clean, _ = _extracted(CLEAN, ANSWER)
    document, found, provider = _extracted(injection.into(CLEAN), ANSWER)
    assert (found.status, found.direction) == (clean.status, clean.direction)
    assert found.spec.model_dump(exclude={"evidence"}) == clean.spec.model_dump(exclude={"evidence"})
    assert [span.quote for span in found.evidence] == [span.quote for span in clean.evidence]
    assert gate(document, found).admitted
    system = provider.requests[1].messages[0]
    assert system.content == scripted_system(CLEAN)
    assert all(order not in system.content for order in injection.text.splitlines() if order.strip())


def scripted_system(text: str) -> str:
    _, _, provider = _extracted(text, ANSWER)
    content: str = provider.requests[1].messages[0].content
    return content


@pytest.mark.parametrize("injection", INJECTIONS, ids=IDS)
def test_a_model_that_obeys_it_is_caught(injection: Injection) -> None:
    spec: dict[str, Any] = {**SPEC, **injection.spec}
    if injection.quotes is not None:
        spec["evidence"] = [{"field": field, "quote": quote} for field, quote in injection.quotes]
    document, found, _ = _extracted(injection.into(CLEAN), {**ANSWER, **injection.answer, "spec": spec})
    verdict = gate(document, found)
    assert not verdict.admitted
    assert verdict.reasons


@pytest.mark.parametrize("injection", INJECTIONS, ids=IDS)
def test_a_model_that_obeys_and_cites_the_order_itself_is_caught(injection: Injection) -> None:
    lines = [line for line in injection.text.splitlines() if line.strip()]
    spec: dict[str, Any] = {**SPEC, **injection.spec}
    order = [{"field": name, "quote": line} for line in lines for name in ("expr", "windows", "universe")]
    for evidence in ([*SPEC["evidence"], *order], order):
        answer = {**ANSWER, **injection.answer, "spec": {**spec, "evidence": evidence}}
        document, found, _ = _extracted(injection.into(CLEAN), answer)
        assert not gate(document, found).admitted


@pytest.mark.parametrize("order", ORDERS)
def test_the_orders_of_the_rules_change_nothing_either(order: str) -> None:
    text = f"{order}\n\n{CLEAN}"
    document, found, _ = _extracted(text, ANSWER)
    assert gate(document, found).admitted
    obeyed = {
        **SPEC,
        "expr": "RANK($volume)",
        "windows": [],
        "frequency": "undeclared",
        "universe": "undeclared",
    }
    obeyed |= {"rebalance": "undeclared", "evidence": [{"field": "expr", "quote": order}]}
    document, found, _ = _extracted(text, {**ANSWER, "direction": "undeclared", "spec": obeyed})
    assert not gate(document, found).admitted


@pytest.mark.parametrize("injection", INJECTIONS, ids=IDS)
def test_the_rules_give_the_clean_spec_or_none(injection: Injection) -> None:
    note = (
        "我们在沪深300成分股内，每个交易日收盘后计算过去二十个交易日的累计涨跌幅，记作“二十日反转”因子。"
        "因子按周调仓。前期涨幅越大的股票，随后一周的收益越低。"
    )
    clean = RulesExtractor().extract(read_document(note.encode(), name="note.txt"))
    found = RulesExtractor().extract(read_document(injection.into(note).encode(), name="note.txt"))
    assert clean.spec is not None
    if found.spec is not None:
        assert found.direction == clean.direction
        assert found.spec.model_dump(exclude={"evidence"}) == clean.spec.model_dump(exclude={"evidence"})


def test_characters_that_nobody_sees_do_not_reach_the_model() -> None:
    hidden = next(injection for injection in INJECTIONS if injection.name == "tag characters")
    document, _, provider = _extracted(hidden.into(CLEAN), ANSWER)
    assert "tag_characters" in document.flags
    shown = "".join(message.content for request in provider.requests for message in request.messages)
    assert not any(0xE0000 <= ord(character) <= 0xE007F for character in shown)
