from __future__ import annotations

import pytest

from assay.errors import Refusal
from assay.expr import STANDARD_FIELDS, check, parse, to_text


def test_prices_volumes_and_amounts_have_their_exponents() -> None:
    shown = {
        name: STANDARD_FIELDS[name].exponent
        for name in ("close", "vwap", "volume", "amount", "returns", "raw_close")
    }
    assert shown == {
        "close": 1.0,
        "vwap": 1.0,
        "volume": -1.0,
        "amount": 0.0,
        "returns": 0.0,
        "raw_close": 0.0,
    }
    assert {n for n, info in STANDARD_FIELDS.items() if info.kind == "group"} == {
        "market", "sector", "industry", "subindustry", "exchange", "country", "currency",
    }  # fmt: skip


@pytest.mark.parametrize("use", [parse, check, lambda text, dialect: to_text(parse(text).node, dialect)])
def test_an_unknown_dialect_is_refused(use) -> None:
    with pytest.raises(Refusal, match="no dialect 'qlb'") as caught:
        use("close", "qlb")
    assert "qlib" in caught.value.fix
