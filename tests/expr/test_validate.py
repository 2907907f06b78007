from __future__ import annotations

import pytest

from assay.errors import Refusal
from assay.expr import Call, Constant, Field, validate

CLOSE = Field("close")
ABOVE = Call("gt", (CLOSE, Field("open")))


@pytest.mark.parametrize(
    ("node", "reason", "message"),
    [
        (Call("rnk", (CLOSE,)), "unknown_op", "no op 'rnk'"),
        (Call("add", (CLOSE,)), "wrong_arity", "takes 2 inputs, not 1"),
        (Call("rank", (Field("sector"),), (("scale", "r/n"),)), "wrong_kind", "of kind group"),
        (Call("and", (CLOSE, ABOVE)), "wrong_kind", "bool is needed"),
        (Call("delay", (CLOSE,)), "bad_parameter", "takes window"),
        (Call("delay", (CLOSE,), (("window", 0),)), "bad_parameter", "at least 1"),
        (Call("delay", (CLOSE,), (("window", 2.0),)), "bad_parameter", "of type int"),
        (Call("delay", (CLOSE,), (("window", True),)), "bad_parameter", "of type int"),
        (Call("rank", (CLOSE,), (("scale", "n"),)), "bad_parameter", "one of"),
        (Call("neg", (Call("add", (CLOSE,)),)), "wrong_arity", "add takes 2"),
    ],
)
def test_faults_are_named(node, reason, message) -> None:
    with pytest.raises(Refusal, match=message) as caught:
        validate(node)
    assert caught.value.reason.code == reason


def test_sound_trees_pass() -> None:
    validate(Call("where", (ABOVE, Constant(1.0), Call("delay", (CLOSE,), (("window", 1),)))))
    assert CLOSE.size == 1
