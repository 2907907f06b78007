"""The campaign of the demo: a search without a model on a simulated market, and on its twin."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._demo_workspace import DATA, demo_ledger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.campaign import CampaignReport, NoiseTwin
    from assay.cli._progress import Steps
    from assay.config import Workspace

ROUNDS = 3
RUN, CONFIG, PAGE = "demo", "campaign.toml", "campaign.html"


@dataclass(frozen=True, slots=True)
class Searched:
    """What the demo's campaign came to, beside the same search on a market without signal."""

    page: str
    trials: int
    admitted: int
    formulas: tuple[str, ...]
    twin_trials: int
    twin_admitted: int

    def lines(self) -> list[str]:
        """In sentences."""
        found = f": {'; '.join(self.formulas)}" if self.formulas else ""
        return [
            f"A campaign of {ROUNDS} rounds, without a model, on a smaller simulated market: {self.admitted} "
            f"of {self.trials} trials were admitted{found}.",
            f"The same search on its twin without any signal admitted {self.twin_admitted} of "
            f"{self.twin_trials}.",
        ]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def search(workspace: Workspace, seed: int, steps: Steps) -> Searched:
    """Run the campaign in the workspace and write its page; one that is there is not run again."""
    from dataclasses import replace

    from assay.base import atomic_write
    from assay.campaign import campaign_report, noise_twin
    from assay.views import campaign_report as page_of

    steps.begin("searching it, round by round")

    def watch(event: str, data: Mapping[str, object]) -> None:
        if event == "round":
            steps.advance("rounds", int(str(data["round"])), ROUNDS)

    _run(workspace, seed, watch)
    steps.begin("searching its twin without any signal")
    twin = noise_twin(workspace, RUN)
    found = campaign_report(demo_ledger(workspace), workspace.runs_dir, RUN)
    page = workspace.root / PAGE
    atomic_write(page, page_of(replace(found, simulated=True)))
    return _searched(page, found, twin)


def _run(workspace: Workspace, seed: int, watch: Any) -> None:
    """Start the campaign, or let one that was killed come to its end."""
    from assay.base import atomic_write
    from assay.campaign import (
        CampaignConfig,
        campaign_template,
        prepare_campaign,
        resume_campaign,
        start_campaign,
    )

    ledger = demo_ledger(workspace)
    with ledger.index() as index:
        before = index.runs().get(RUN)
    if before is not None and before.stopped == "finished":
        return
    config = workspace.root / CONFIG
    if not config.exists():
        values = {"campaign.data": DATA, "campaign.seed": seed, "stop.max_rounds": ROUNDS}
        atomic_write(config, campaign_template(values))
    setup = prepare_campaign(CampaignConfig.load(config), workspace)
    if before is None:
        start_campaign(setup, config, workspace, ledger, RUN, watch=watch)
    else:
        resume_campaign(setup, workspace, ledger, RUN, watch=watch)


def _searched(page: Path, found: CampaignReport, twin: NoiseTwin) -> Searched:
    formulas = [factor.trial.candidate.expression for factor in found.zoo if factor.trial.candidate]
    return Searched(
        page=str(page),
        trials=found.funnel.evaluated,
        admitted=found.funnel.admitted,
        formulas=tuple(formulas),
        twin_trials=twin.noise.trials,
        twin_admitted=twin.noise.admitted,
    )
