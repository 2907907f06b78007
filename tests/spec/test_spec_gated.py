from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assay.errors import Refusal
from assay.spec import GATE_CHECKS, GateCheck, GatedSpec, GateFinding, GateVerdict, Reading, parse_spec

SPEC = parse_spec(
    {
        "name": "波动率",
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "none",
        "rebalance": "weekly",
        "expr": "TS_STD($return,20)",
        "windows": [20],
        "evidence": [{"field": "expr", "chunk_id": "p1-c0000", "quote": "20日波动率"}],
    }
)
VERDICT = GateVerdict(
    SPEC,
    "negative",
    "ab" * 32,
    (),
    tuple(GateCheck(name, True) for name in GATE_CHECKS),
    (
        Reading("as written", "TS_STD($return,20)", -0.03, -4.0),
        Reading("21 days", "TS_STD($return,21)", -0.02, None),
    ),
)


def test_an_admitted_verdict_gives_a_gated_spec() -> None:
    gated = GatedSpec.of(VERDICT)
    assert (gated.spec, gated.direction, gated.document_sha256) == (SPEC, "negative", "ab" * 32)
    assert gated.spec_id == f"spec-{gated.hash[:16]}"
    assert VERDICT.spread == pytest.approx(0.01)


@pytest.mark.parametrize(
    "verdict",
    [
        replace(VERDICT, spec=None),
        replace(VERDICT, findings=(GateFinding("extract.bad_citation", "x"),)),
        replace(VERDICT, checks=VERDICT.checks[1:]),
        replace(VERDICT, checks=()),
        replace(VERDICT, checks=(replace(VERDICT.checks[0], passed=False), *VERDICT.checks[1:])),
    ],
)
def test_no_other_verdict_does(verdict: GateVerdict) -> None:
    assert not verdict.admitted
    for make in (GatedSpec.of, GatedSpec):
        with pytest.raises(Refusal) as caught:
            make(verdict)
        assert caught.value.reason.code == "spec_not_admitted"


def test_round_trip() -> None:
    gated = GatedSpec.of(VERDICT)
    assert GatedSpec.from_json(gated.to_json()) == gated
    assert GatedSpec.from_json(json.dumps(json.loads(gated.to_json()), indent=2)) == gated


def _set(*path: str | int, value: Any) -> Callable[[Any], None]:
    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        _set("verdict", "spec", "expr", value="TS_STD($return,21)"),
        _set("verdict", "spec", "universe", value="CSI500"),
        _set("verdict", "direction", value="positive"),
        _set("verdict", "direction", value="up"),
        _set("verdict", "document_sha256", value="cd" * 32),
        _set("verdict", "readings", 0, "rank_ic", value=0.09),
        _set("verdict", "checks", 3, "detail", value="x"),
        _set("verdict_hash", value="0" * 64),
        _set("hash", value="0" * 64),
        _set("format", value="assay-gated-spec/2"),
        _set("more", value=1),
        lambda data: data.pop("spec_id"),
        lambda data: data["verdict"].pop("readings"),
    ],
)
def test_an_altered_document_is_refused(edit: Callable[[Any], None]) -> None:
    data = json.loads(GatedSpec.of(VERDICT).to_json())
    edit(data)
    with pytest.raises(Refusal) as caught:
        GatedSpec.from_json(json.dumps(data))
    assert caught.value.reason.code == "spec_altered"


def _with_verdict(verdict: object) -> str:
    return json.dumps({**GatedSpec.of(VERDICT).as_dict(), "verdict": verdict})


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"verdict": 1}', '{"verdict": []}'])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        GatedSpec.from_json(text)
    assert caught.value.reason.code == "spec_altered"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "this is not JSON: "),
        ("[]", "this is not a JSON object"),
        ('{"format": 1, "format": 2}', "'format' is given twice"),
        ('{"spec": {}}', "it has no format, spec_id, hash, verdict_hash, verdict"),
        (_with_verdict({}), "its verdict has no 'direction'"),
        (_with_verdict([]), "its verdict cannot be read"),
    ],
)
def test_other_text_is_told_what_it_lacks(text: str, said: str) -> None:
    with pytest.raises(Refusal) as caught:
        GatedSpec.from_json(text)
    assert said in caught.value.message
    assert "Error(" not in caught.value.message


def test_a_document_that_was_not_admitted_is_refused_even_with_its_hash() -> None:
    data = json.loads(GatedSpec.of(VERDICT).to_json())
    data["verdict"]["findings"] = [{"code": "extract.no_evidence", "message": "", "where": ""}]
    with pytest.raises(Refusal) as caught:
        GatedSpec.from_json(json.dumps(data))
    assert caught.value.reason.code == "spec_not_admitted"
