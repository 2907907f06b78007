from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.expr import FieldInfo
from assay.testing import check_field

Build = Callable[[Any], Any]


def gain(bars: Any) -> Any:
    close = bars["close"]
    return np.vstack([np.full_like(close[:1], np.nan), close[1:] / close[:-1] - 1])


@pytest.mark.parametrize(
    ("info", "build"),
    [
        (FieldInfo("range", exponent=1.0), lambda b: b["high"] - b["low"]),
        (FieldInfo("gain", exponent=0.0), gain),
        (FieldInfo("lots", exponent=-1.0), lambda b: b["volume"] / np.float32(100)),
        (FieldInfo("liquid", kind="group"), lambda b: (b["amount"] > 1e6).astype(np.int32)),
        (FieldInfo("both", kind="vector", exponent=1.0), lambda b: np.stack([b["open"], b["close"]])),
    ],
)
def test_honest_fields(info: FieldInfo, build: Build) -> None:
    report = check_field(info, build)
    assert report.passed, report
    assert [r.clause for r in report.results] == ["declaration", "kinds", "causality", "exponent"]


@pytest.mark.parametrize(
    ("info", "build", "clause"),
    [
        (FieldInfo("Range", exponent=1.0), lambda b: b["high"] - b["low"], "declaration"),
        (FieldInfo("range", exponent=1.0), lambda b: (b["high"] - b["low"])[0], "kinds"),
        (FieldInfo("liquid", kind="group"), lambda b: b["amount"], "kinds"),
        (FieldInfo("z", exponent=0.0), lambda b: b["close"] / np.nanmean(b["close"], axis=0), "causality"),
        (FieldInfo("range", exponent=0.0), lambda b: b["high"] - b["low"], "exponent"),
        (FieldInfo("worth", exponent=1.0), lambda b: b["close"] * b["volume"], "exponent"),
    ],
)
def test_broken_fields(info: FieldInfo, build: Build, clause: str) -> None:
    assert clause in {result.clause for result in check_field(info, build).broken}


def test_an_undeclared_exponent_is_no_claim() -> None:
    report = check_field(FieldInfo("mystery"), lambda b: b["close"])
    assert report.passed
    assert report.results[-1].outcome == "not applicable"
