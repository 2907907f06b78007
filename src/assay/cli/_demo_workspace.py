"""The workspace of the demo, in which its desks work: one simulated market, one period plan, one ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.cli._progress import Steps
    from assay.config import Workspace
    from assay.ledger import Ledger

INSTRUMENTS, DAYS = 120, 1500
DATA = "sim"


def demo_workspace(folder: Path, seed: int, steps: Steps) -> Workspace:
    """The workspace of a seed; what is there already stays."""
    from assay.config import DEFAULT_HORIZONS, init_workspace, load_workspace, propose_plan
    from assay.market import simulate, write_dataset

    root = folder / f"workspace-{seed}"
    data = root / "data" / DATA
    if data.exists():  # it is written last
        return load_workspace(root)
    steps.begin("making a workspace with a smaller market")
    panel = simulate(seed, INSTRUMENTS, DAYS, name=DATA)
    if not (root / "assay.toml").exists():
        init_workspace(root, plans={DATA: propose_plan(panel.dates, DEFAULT_HORIZONS)})
    write_dataset(panel.data, data)
    return load_workspace(root)


def demo_ledger(workspace: Workspace) -> Ledger:
    """The ledger of the workspace, made where there is none."""
    from assay.ledger import workspace_ledger

    return workspace_ledger(workspace)
