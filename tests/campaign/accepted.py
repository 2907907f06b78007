"""A small finished campaign on a simulated market, to be accepted, twinned and followed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.campaign import Campaign, CampaignConfig, Problems, StopSettings, prepare
from assay.config import Workspace, load_workspace
from assay.judge.training import AdmissionRule
from assay.ledger import Ledger
from assay.market import simulate, write_dataset

RUN = "c1"
TOML = """
[defaults]
data = "toy"

[data.toy.looks]
eval = {looks}

[data.toy.periods]
search = ["{0}", "{1}"]
{hidden}
embargo_bars = 21
"""


def desk(root: Path, *, looks: int = 60, hidden: bool = True, rounds: int = 2, **changes: Any) -> Workspace:
    """A workspace with one finished campaign. ``eval`` ends 100 bars before the data does."""
    panel = simulate(3, instruments=60, days=700, name="toy")
    days = [str(day) for day in panel.dates]
    periods = f'score = ["{days[400]}", "{days[430]}"]\neval = ["{days[460]}", "{days[599]}"]'
    text = TOML.format(days[0], days[370], hidden=periods if hidden else "", looks=looks)
    (root / "assay.toml").write_text(text)
    write_dataset(panel.data, root / "data" / "toy")
    ledger = Ledger.create(root / "ledger")
    workspace = load_workspace(root)
    problems = Problems()
    setup = prepare(config(max_rounds=rounds, **changes), workspace, problems)
    assert setup is not None, problems.all
    Campaign(setup, ledger, workspace.runs_dir, RUN).run()
    return workspace


def config(*, max_rounds: int = 2, **changes: Any) -> CampaignConfig:
    """So lenient that a short market admits some."""
    lenient = AdmissionRule(
        min_t=1.0,
        min_payoff_t=None,
        max_adjusted_p=None,
        max_turnover=None,
        min_break_even_bp=None,
        min_residual_ic=None,
        max_value_corr=0.95,
        max_ic_corr=0.98,
    )
    made = CampaignConfig(horizon=5, admission=lenient, stop=StopSettings(max_rounds=max_rounds))
    return replace(made, **changes)
