from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import DataError

if TYPE_CHECKING:
    from assay.config import DataSettings, Workspace
    from assay.market import Panel

MANIFEST = "manifest.json"


def open_dataset(name: str | None, workspace: Workspace | None, *, check_hashes: bool = False) -> Panel:
    """The stored data set of that name or path, opened; see :func:`assay.market.open_panel`.

    A name is looked up in the workspace's ``data/``, then in ``./data/``, then taken as a path.

    Raises
    ------
    DataError
        There is none; the message lists those that exist.
    """
    from assay.market import open_panel

    return open_panel(find_dataset(name, workspace), check_hashes=check_hashes)


def open_with_settings(name: str | None) -> tuple[Panel, DataSettings | None]:
    """The data set of that name or path, its files checked, and the settings that hold for it.

    They are those of the workspace in which the data set lies; where it lies in none, those of the workspace
    of the current folder, if there is one.

    Raises
    ------
    DataError
        There is no such data set, or its files are not those of its manifest.
    ConfigProblems
        The ``assay.toml`` of either workspace is not valid.
    """
    from assay.config import find_data_settings, find_workspace

    here = find_workspace()
    panel = open_dataset(name, here, check_hashes=True)
    settings = None if panel.folder is None else find_data_settings(panel.folder, panel.name)
    if settings is None and here is not None:
        settings = here.settings(panel.name)
    return panel, settings


def find_dataset(name: str | None, workspace: Workspace | None) -> Path:
    """The folder of a data set; see :func:`open_dataset`."""
    if name is None:
        name = workspace.default_data if workspace is not None else None
    if name is None:
        raise DataError("no data set is named", where="--data", fix=_offer(None, workspace))
    if not could_be_path(name):
        raise DataError(f"{name[:80]!r} cannot be a data set", where="--data", fix=_offer(None, workspace))
    for folder in (*(base / name for base in _bases(workspace)), Path(name)):
        if (folder / MANIFEST).is_file():
            return folder
        if not folder.exists() and (folder.parent / f".{folder.name}.outgoing" / MANIFEST).is_file():
            # an update was killed between two steps: the store says how to undo it
            return folder
    if Path(name).is_file():
        raise DataError(
            f"{name} is a file, not a data set", where="--data", fix="make one of it with 'assay data import'"
        )
    if Path(name).exists():
        # the store itself says best what such a path lacks
        return Path(name)
    raise DataError(f"there is no data set {name!r}", where="--data", fix=_offer(name, workspace))


def could_be_path(name: str) -> bool:
    """Whether the operating system takes ``name`` as a path; to most questions about others it fails."""
    longest_part, longest = 255, 4000
    size = [len(part.encode(errors="replace")) for part in name.split("/")]
    return bool(name.strip()) and "\0" not in name and max(size) <= longest_part and sum(size) <= longest


def known_datasets(workspace: Workspace | None) -> list[str]:
    """Names of the data sets in the workspace and in ``./data``."""
    found = {
        folder.name
        for base in _bases(workspace)
        if base.is_dir()
        for folder in base.iterdir()
        if (folder / MANIFEST).is_file() and not folder.name.startswith(".")
    }
    return sorted(found)


def _bases(workspace: Workspace | None) -> list[Path]:
    bases = [] if workspace is None else [workspace.data_dir]
    return [*bases, Path("data")]


def _offer(name: str | None, workspace: Workspace | None) -> str:
    from assay.base import did_you_mean

    known = known_datasets(workspace)
    if not known:
        return "make one with 'assay data simulate' or 'assay data import', or give the path of one"
    near = did_you_mean(name, known) if name else ()
    hint = f"did you mean {near[0]}? " if near else ""
    shown = ", ".join(known[:20]) + (", \u2026" if len(known) > 20 else "")
    return f"{hint}there are: {shown}"
