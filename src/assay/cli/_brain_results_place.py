"""Where a workspace keeps results, one of them by its name, and how figures are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._brain_place import NEW_PLACE, session_place
from assay.cli._brain_platform import workspace_of
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.brain.search import StoredResult
    from assay.config import Workspace


def need_place(workspace: Path | None) -> Workspace:
    """The workspace whose results are meant.

    Raises
    ------
    AssayError
        There is none.
    """
    if workspace_of(workspace) is None and not (Path(NEW_PLACE) / "assay.toml").is_file():
        raise AssayError(
            "results are kept in a workspace, and this folder lies in none",
            where=str(Path.cwd()),
            fix="change to a workspace, name one with --workspace, or make one with 'assay init'",
        )
    return session_place(workspace, None, local=False, new=False).workspace


def results_path(place: Workspace) -> Path:
    """Where the results of a workspace are."""
    from assay.brain.search import RESULTS_NAME

    return place.brain_dir / RESULTS_NAME


def find_result(which: str, workspace: Path | None) -> StoredResult:
    """The stored result of an alpha's id, or of RUN/JOB.

    Raises
    ------
    AssayError
        There is none, or there are several: the ids of two platforms may be the same.
    """
    from assay.brain.search import ResultStore

    path = results_path(need_place(workspace))
    run, mark, job = which.rpartition("/")
    with ResultStore(path) as store:
        rows = store.rows(run=run) if mark else store.rows()
    found = [item for item in rows if (item.result.job == job if mark else item.result.alpha == which)]
    if len(found) != 1:
        what = "no result" if not found else f"{len(found)} results"
        raise AssayError(
            f"there are {what} of {which!r}" if found else f"there is {what} of {which!r}",
            where=str(path),
            fix="name an alpha, or RUN/JOB: assay brain results list",
        )
    return found[0]


def number(value: float | None) -> str:
    """A figure with four digits that count; a dash where there is none."""
    return "-" if value is None else f"{value:.4g}"
