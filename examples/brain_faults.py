"""A session of the BRAIN agent under faults ends with the results of a clean one.

    python examples/brain_faults.py

plays the same session twice on the local simulator: once on a platform where all goes well, once on one that
answers a twentieth of all requests by a 5xx, lets the session expire unannounced twice, and refuses requests
in storms of 429. Both searches are shown result by result, then what went wrong, then ``equal``; exit code 1
where they differ. No account, no key and no network are needed, and nothing is left on the disk.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from assay.brain.agent import Agent, SessionReport, Task, first_difference, usual_settings
from assay.brain.agent.policies.sampler import SamplerPolicy
from assay.brain.client import BrainClient, Credentials
from assay.brain.simulator import (
    Delivery,
    FaultSettings,
    FaultyWire,
    LocalPlatform,
    LocalTransport,
    PassingTime,
    Request,
    Wire,
    held,
    open_account,
)
from assay.config import BrainAgentSettings, BrainSettings, BrainSimulatorSettings, Secret
from assay.ledger import Ledger
from assay.market import Panel, simulate

IDEA = "Short-term reversal where volume surges"
SETTINGS = BrainSettings(
    agent=BrainAgentSettings(simulations=24, target_sharpe=9.0),
    simulator=BrainSimulatorSettings(held_days=126),
)
FAULTS = FaultSettings(error=0.05, throttle=0.02, seed=11)
EXPIRES_AFTER = 65
"""Requests of a session, so that it expires twice on the way."""
SHOWN = 80


class Counting(FaultyWire):
    """Faults, and how many of each kind there were."""

    def __init__(self, wire: Wire, settings: FaultSettings | None) -> None:
        super().__init__(wire, settings)
        self.requests, self.statuses, self.sign_ins = 0, Counter[int](), 0

    def handle(self, request: Request) -> Delivery:
        delivery = super().handle(request)
        status = 0 if delivery.reply is None else delivery.reply.status
        self.requests += 1
        self.statuses[status] += 1
        self.sign_ins += (request.method, request.path, status) == ("POST", "/authentication", 201)
        return delivery

    def told(self) -> str:
        errors = sum(count for status, count in self.statuses.items() if status >= 500)
        return (
            f"{self.requests} requests: {errors} answered by a 5xx, {self.statuses[429]} by 429, "
            f"{max(self.sign_ins - 1, 0)} expired sessions"
        )


def platform(
    panel: Panel, faults: FaultSettings | None = None, expires: int | None = None
) -> tuple[LocalPlatform, Counting]:
    """A client of the simulator in this process; ``local_platform`` does the same, without the counting."""
    time = PassingTime()
    account = open_account(None, panel, SETTINGS.simulator, clock=time, session_requests=expires)
    wire = Counting(Wire(account), faults)
    client = BrainClient(
        replace(SETTINGS.client, base_url="http://localhost", concurrent=SETTINGS.simulator.concurrent),
        Credentials(Secret(account.login.username), account.login.password),
        transport=LocalTransport(wire, time.sleep),
        clock=time.seconds,
        sleep=time.sleep,
    )
    return LocalPlatform(client, account), wire


def session(name: str, made: LocalPlatform, folder: Path) -> SessionReport:
    """The sampler's search for one idea; every simulation is a trial of the ledger."""
    run = Ledger.create(folder / name / "ledger").run(name)
    with made:
        agent = Agent(
            made,
            SamplerPolicy(made, SETTINGS.agent),
            SETTINGS,
            run,
            folder / name / "run",
            held=lambda request: held(made.account.market, request).stats,
        )
        return agent.start(Task(IDEA, settings=usual_settings(made.choices())))


def show(report: SessionReport, wire: Counting) -> None:
    """What came of each simulation, and what the platform answered."""
    print(f"{report.run}: {wire.told()}")
    print(f"{'job':7}{'Sharpe':>7}{'fitness':>9}{'turnover':>10}  expression")
    for item in report.results:
        figures = (
            f"{_text(item.sharpe, '.2f'):>7}{_text(item.fitness, '.2f'):>9}{_text(item.turnover, '.1%'):>10}"
        )
        print(f"{item.job:7}{figures}  {item.proposal.request.regular[:SHOWN]}")
    print(f"stopped by {report.stop}, level {report.level}, {report.trials} trials in the ledger\n")


def _text(value: float | None, form: str) -> str:
    return "none" if value is None else format(value, form)


def main() -> int:
    """Play both, show both, compare."""
    panel = simulate(seed=3, instruments=120, days=900)
    with tempfile.TemporaryDirectory() as place:
        clean_platform, clean_wire = platform(panel)
        clean = session("clean", clean_platform, Path(place))
        show(clean, clean_wire)
        faulty_platform, faulty_wire = platform(panel, FAULTS, EXPIRES_AFTER)
        faulty = session("faulty", faulty_platform, Path(place))
        show(faulty, faulty_wire)
    different = first_difference(clean, faulty)
    if not different and clean.held != faulty.held:
        different = "the figures of the held year"
    print(f"different: {different}" if different else "equal")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
