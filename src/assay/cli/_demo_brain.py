"""The BRAIN agent of the demo: a session without a model on the local simulator of the platform."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.cli._demo_workspace import DATA, demo_ledger

if TYPE_CHECKING:
    from assay.brain.agent import SessionReport
    from assay.cli._progress import Steps
    from assay.config import Workspace

RUN = "brain"
IDEA = "Momentum combined with low volatility"
SIMULATIONS = 12


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the session came to; the held figure is of a year that nothing in it could read."""

    page: str
    stop: str
    level: str
    simulations: int
    best: str | None
    sharpe: float | None
    held_sharpe: float | None

    def lines(self) -> list[str]:
        """In sentences."""
        asked = f"The BRAIN agent, without a model, was asked for “{IDEA}” on the local simulator"
        if self.best is None:
            return [f"{asked}: none of {self.simulations} simulations completed."]
        held = "" if self.held_sharpe is None else f" and {_figure(self.held_sharpe)} in a year kept from it"
        return [
            f"{asked}: it stopped after {self.simulations} simulations ({self.stop}, level {self.level}). "
            f"The best is {self.best}, with a Sharpe ratio of {_figure(self.sharpe)} in sample{held}."
        ]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def simulate_alphas(workspace: Workspace, seed: int, steps: Steps) -> Simulated:
    """Let the agent search and write its page; a session that has ended is not run again."""
    from assay.cli._brain_report import write_report

    steps.begin("letting the BRAIN agent simulate")
    report = _session(workspace, seed)
    page = write_report(report, workspace.runs_dir / RUN)
    best = report.best
    held = None if best is None else report.held.get(best.job)
    return Simulated(
        page=str(page),
        stop=report.stop,
        level=report.level,
        simulations=report.simulations,
        best=None if best is None else best.proposal.request.regular,
        sharpe=None if best is None else best.sharpe,
        held_sharpe=None if held is None else held.held.sharpe,
    )


def _session(workspace: Workspace, seed: int) -> SessionReport:
    """Start the session, let one that was killed come to its end, or read the one that has ended."""
    from dataclasses import replace

    from assay.brain.agent import Agent, Task, session_report, usual_settings
    from assay.brain.agent.policies.sampler import SamplerPolicy
    from assay.cli._brain_platform import open_platform
    from assay.cli._brain_session import held_of

    ledger = demo_ledger(workspace)
    with ledger.index() as index:
        before = index.runs().get(RUN)
    if before is not None and before.stopped == "finished":
        return session_report(ledger.run(RUN))
    settings = replace(workspace.brain, agent=replace(workspace.brain.agent, simulations=SIMULATIONS))
    with closing(open_platform(True, DATA, workspace.root)) as platform:
        agent = Agent(
            platform,
            SamplerPolicy(platform, settings.agent, seed),
            settings,
            ledger.run(RUN),
            workspace.runs_dir / RUN,
            held=held_of(platform),
        )
        if before is not None:
            return agent.resume()
        return agent.start(Task(IDEA, settings=usual_settings(platform.choices())))


def _figure(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.2f}"
