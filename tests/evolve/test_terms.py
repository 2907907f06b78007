"""What a spec fixes of the judge's settings."""

from __future__ import annotations

from typing import Any

import pytest

from assay.config import Costs, DataSettings
from assay.errors import Refusal
from assay.evolve import judge_settings
from assay.market import Panel

from .desk import gated_spec

OWN = DataSettings(lag=0, fill="open", costs=Costs(buy_bp=1.0, sell_bp=2.0))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"universe": "CSI500", "rebalance": "monthly", "frequency": "weekly"},
        {"universe": "undeclared", "neutralization": "undeclared", "rebalance": "undeclared"},
        {"neutralization": "industry_size"},
    ],
)
@pytest.mark.parametrize("own", [DataSettings(), OWN])
def test_settings_are_those_of_the_backtest_service(
    market: Panel, changes: dict[str, Any], own: DataSettings
) -> None:
    """One spec earns the same at the desk and over HTTP."""
    from assay.judge import spec_settings
    from assay.service import Terms as ServiceTerms

    gated = gated_spec(**changes)
    assert judge_settings(gated.spec, market, own) == spec_settings(ServiceTerms.of(gated), market, own)


@pytest.mark.parametrize(
    "changes",
    [
        {"universe": "CSI1000"},
        {"universe": "CHINEXT"},
        {"universe": "ALL_A"},
        {"frequency": "monthly", "rebalance": "daily"},
    ],
)
def test_what_the_data_cannot_keep_to_is_refused(market: Panel, changes: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as caught:
        judge_settings(gated_spec(**changes).spec, market, DataSettings())
    assert caught.value.reason.code == "unsupported_terms"


def test_the_desk_imports_nothing_slow_or_foreign() -> None:
    import subprocess
    import sys

    slow = ("numba", "scipy", "pandas", "matplotlib", "openai", "httpx", "assay.reports")
    program = f"import sys, assay.evolve; sys.exit(' '.join(set({slow!r}) & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
