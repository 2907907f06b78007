from __future__ import annotations

import json

from assay.expr import explain, parse


def test_an_explanation_is_json_and_names_what_breaks() -> None:
    found = json.loads(json.dumps(explain(parse("rank(close - delay(close, 5))"))))
    assert found["lookback"] == 6
    assert found["invariant"] is False
    assert found["breaks_at"]["text"] == "close - delay(close, 5)"
    assert found["tree"]["op"] == "rank"
    assert found["tree"]["args"][0]["exponent"] == "1"
    assert found["fields"] == [
        {
            "name": "close",
            "kind": "number",
            "exponent": 1.0,
            "unit": "price",
            "description": "last traded price, adjusted",
        }
    ]
    assert [op["name"] for op in found["ops"]] == ["delay", "rank", "sub"]


def test_unknown_fields_and_missing_constants_are_shown_as_such() -> None:
    found = explain(parse("if_else(pe > 1, pe, nan)", "fastexpr"))
    assert found["invariant"] is None
    assert found["fields"][0]["description"] == "not described"
    assert found["tree"]["args"][2]["constant"] is None
    assert json.dumps(found, allow_nan=False)


def test_other_dialects_show_their_warnings_and_core_text() -> None:
    found = explain(parse("a = delay(close, 5); b = a / close", "fastexpr"))
    assert [w["code"] for w in found["warnings"]] == ["legacy_name", "assignment_result"]
    assert found["core"] == "delay(close, 5) / close"
    assert found["breaks_at"] is None
