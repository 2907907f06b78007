"""What runs of ``assay brain pipeline`` and ``multi`` have in common: a place, an id, a record, a task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.cli._brain_place import option_of, session_place
from assay.cli._progress import note, slow_notice
from assay.errors import AssayError, DataError, ProviderError

if TYPE_CHECKING:
    from assay.brain.client import BlockingClient
    from assay.config import Workspace
    from assay.ledger import Ledger, Run

TASK: Final = "task.json"


@dataclass(frozen=True, slots=True)
class BrainPlace:
    """A platform that a run works on, with the workspace that keeps it.

    ``task`` is what a run that goes on was asked; None of a new one.
    """

    workspace: Workspace
    platform: BlockingClient
    ledger: Ledger
    task: dict[str, Any] | None

    def folder(self, run_id: str) -> Path:
        """Of a run."""
        return self.workspace.runs_dir / run_id


@contextmanager
def opened_place(
    local: bool, data: str | None, folder: Path | None, *, resume: str | None, kind: str
) -> Iterator[BrainPlace]:
    """The platform and the workspace of the options; see :func:`session_place`.

    Raises
    ------
    AssayError
        There is no run of that id and kind to go on with, or no workspace.
    """
    from assay.cli._brain_platform import open_platform
    from assay.cli._workspace import need_ledger

    new = resume is None
    place = session_place(folder, data, local=local, new=new, run=resume)
    task = None if resume is None else read_task(place.workspace.runs_dir / resume, kind)
    with slow_notice(), closing(open_platform(local, place.data, place.workspace.root)) as platform:
        yield BrainPlace(place.workspace, platform, need_ledger(place.workspace, create=new), task)


def new_id(place: BrainPlace, wanted: str | None, kind: str) -> str:
    """The id that was asked for, or the next free ``KIND-N``.

    Raises
    ------
    AssayError
        It cannot be an id, or it is taken.
    """
    from assay.base import check_id

    with place.ledger.index() as index:
        taken = set(index.runs())
    if wanted is not None:
        check_id(wanted, "run")
        if wanted in taken or _used(place.folder(wanted)):
            raise AssayError(
                f"there is a run {wanted!r} already", where="--run", fix=f"go on with --resume {wanted}"
            )
        return wanted
    number = 1
    while f"{kind}-{number}" in taken or _used(place.folder(f"{kind}-{number}")):
        number += 1
    return f"{kind}-{number}"


def _used(folder: Path) -> bool:
    """Whether something lies in the folder of a run; an empty one is of a run that could not begin."""
    return folder.is_dir() and any(folder.iterdir())


def write_task(folder: Path, kind: str, task: Mapping[str, Any]) -> None:
    """Keep what a run was asked, for its resume."""
    from assay.base import atomic_write_json

    folder.mkdir(parents=True, exist_ok=True)
    atomic_write_json(folder / TASK, {"kind": kind, **task})


def read_task(folder: Path, kind: str) -> dict[str, Any]:
    """What a run was asked.

    Raises
    ------
    AssayError
        There is no such run of this kind.
    DataError
        The file is damaged.
    """
    path = folder / TASK
    try:
        task = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        task = None
    except (OSError, ValueError) as error:
        raise DataError(
            f"{TASK} of the run cannot be read", where=str(path), fix="bring it back from a copy"
        ) from error
    if not isinstance(task, dict) or task.pop("kind", None) != kind:
        raise AssayError(
            f"there is no {kind} run {folder.name!r} here", where="--resume", fix="see the folder runs/"
        )
    return task


@contextmanager
def recorded(place: BrainPlace, run_id: str, inputs: Mapping[str, Any], command: str) -> Iterator[Run]:
    """The run of the ledger, begun or gone on with; where it has to stop, how to go on is said."""
    from assay.brain.search import SearchRun

    try:
        with SearchRun(place.ledger, run_id, place.platform, inputs) as run:
            yield run
    except (ProviderError, KeyboardInterrupt):
        local = " --local" if place.platform.name.startswith("local:") else ""
        made = option_of(place.workspace)
        note(f"to go on: assay brain {command} --resume {run_id}{local}{made}")
        raise


def best_lines(best: Mapping[str, Any]) -> list[str]:
    """The best result of a report, for a terminal."""
    failing = f", fails {' '.join(best['failing'])}" if best["failing"] else ""
    figures = f"sharpe {best['sharpe']}, fitness {best['fitness']}, turnover {best['turnover']}"
    return [f"best       {best['expression']}", f"           {figures}{failing}"]
