"""A recorded run, held to all that it names, and done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.campaign._prepare import Problems, prepare
from assay.campaign._replay import Difference, Replayed, kept_pools, need_campaign, replay, started_pools
from assay.campaign._snapshot import RunSnapshot, recorded_config
from assay.config import Workspace
from assay.errors import ConfigProblems
from assay.ledger import Ledger, Run
from assay.llm import ReplayProvider


@dataclass(frozen=True)
class VerifiedRun:
    """What a verification found.

    Parameters
    ----------
    records : of the ledger whose chain and payloads were checked.
    inputs : names of what was held to the hash that the run recorded: data, periods, files, pools, settings.
    difference : the first one; None where all is as recorded and the run gives the same again.
    replayed : None where an input differs already, so that doing it again would prove nothing.
    """

    records: int
    inputs: tuple[str, ...]
    difference: Difference | None
    replayed: Replayed | None

    @property
    def equal(self) -> bool:
        """Whether everything is as recorded, and the run gave the same again, byte for byte."""
        return self.difference is None


def verify(workspace: Workspace, run_id: str, to: Path) -> VerifiedRun:
    """Redo a run from the data set's manifest, its snapshot, its calls of models and its seeds.

    The ledger's chain and payloads, the files of the data set, the snapshot and the pools are held to their
    hashes first. The workspace's ledger gets no record: neither trials nor looks are added.

    Parameters
    ----------
    to : a new folder for what is done again.

    Raises
    ------
    Refusal
        ``unknown_run``; ``not_a_campaign``.
    LedgerDamaged, DataError, AssayError
        The ledger is damaged; a file of the data set is not that of its manifest; the snapshot or a copy of
        the pools is missing or was altered.
    """
    from assay.market import open_panel

    ledger = Ledger.open(workspace.ledger_dir)
    run, folder = ledger.run(run_id), workspace.runs_dir / run_id
    need_campaign(run)
    records = ledger.verify(objects=True).records
    config = recorded_config(folder)
    name = config.data or workspace.default_data
    if name is not None and (workspace.data_dir / name).is_dir():
        open_panel(workspace.data_dir / name, check_hashes=True)
    before = next(run.entries(kind="run_start")).body["inputs"]
    now = _inputs(workspace, run, folder)
    difference = _first_difference(before, now)
    if difference is not None:
        return VerifiedRun(records, tuple(sorted(before)), difference, None)
    replayed = replay(workspace, run_id, to)
    return VerifiedRun(records, tuple(sorted(before)), replayed.difference, replayed)


def _inputs(workspace: Workspace, run: Run, folder: Path) -> dict[str, str]:
    """The inputs that a start would record now, with the files and pools that the run keeps."""
    problems = Problems()
    setup = prepare(
        recorded_config(folder),
        workspace,
        problems,
        replayed=ReplayProvider(()),
        snapshot=RunSnapshot.open(folder),
        pools=kept_pools(folder, started_pools(run)),
    )
    if setup is None:
        raise ConfigProblems(problems.all, where="verify")
    return setup.ledger_inputs()


def _first_difference(before: Mapping[str, str], now: Mapping[str, str]) -> Difference | None:
    for name in sorted(before.keys() | now.keys()):
        one, other = before.get(name, "(not there)"), now.get(name, "(not there)")
        if one != other:
            return Difference(f"input {name}", one, other)
    return None
