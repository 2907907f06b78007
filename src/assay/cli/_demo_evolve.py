"""The evolution of the demo: an admitted spec, changed by the sampler on the search period alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._demo_workspace import DATA, demo_ledger

if TYPE_CHECKING:
    from assay.cli._progress import Steps
    from assay.config import Workspace
    from assay.spec import GatedSpec

RUN = "evolved"


@dataclass(frozen=True, slots=True)
class Evolved:
    """What the evolution came to; ``delta`` is all that the hidden score period told."""

    run: str
    seed: str
    seed_ir: float | None
    tried: int
    best: str | None
    best_ir: float | None
    delta: float | None

    def lines(self) -> list[str]:
        """In sentences."""
        best = (
            f"the best is {self.best} (IR {_figure(self.best_ir)})" if self.best else "none could be scored"
        )
        told = "was not read" if self.delta is None else f"said one number: {self.delta:+.2f}, {self._word}"
        return [
            f"The sampler changed it {self.tried} times on the search period, {self.seed} having an IR of "
            f"{_figure(self.seed_ir)}: {best}. The hidden score period {told}; eval stays sealed."
        ]

    @property
    def _word(self) -> str:
        assert self.delta is not None
        return "better" if self.delta > 0 else "worse" if self.delta < 0 else "no better"

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def evolve_spec(workspace: Workspace, spec: Path, seed: int, steps: Steps) -> Evolved:
    """Let the sampler change an admitted spec; an evolution that is there is not run again."""
    from assay.evolve import EvolutionRecord
    from assay.spec import GatedSpec
    from assay.tools import TrajectoryStore

    steps.begin("changing the admitted formula on the search period")
    gated = GatedSpec.from_json(spec.read_text(encoding="utf-8"))
    _run(workspace, gated, seed)
    record = EvolutionRecord.load(TrajectoryStore(workspace.runs_dir, RUN), gated.spec_id)
    irs = {item.formula: item.figures.ir for item in record.candidates}
    best = None if record.best is None else record.best.expr
    return Evolved(
        run=RUN,
        seed=record.seed_formula,
        seed_ir=record.seed.ir,
        tried=len(record.candidates),
        best=best,
        best_ir=None if best is None else irs[best],
        delta=record.delta,
    )


def _run(workspace: Workspace, gated: GatedSpec, seed: int) -> None:
    """Start the evolution, or let one that was killed come to its end."""
    from assay.cli._dataset import open_with_settings
    from assay.evolve import EvolveSetup, resume_evolution, start_evolution

    ledger = demo_ledger(workspace)
    with ledger.index() as index:
        before = index.runs().get(RUN)
    if before is not None and before.stopped == "finished":
        return
    panel, own = open_with_settings(str(workspace.data_dir / DATA))
    setup = EvolveSetup.of(gated, panel, own, workspace=workspace, random=seed)
    act = start_evolution if before is None else resume_evolution
    act(setup, ledger, workspace.runs_dir, RUN)


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.2f}"
