"""Where data sets lie."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.errors import AssayError, DataError

Dir = Annotated[
    Path | None,
    typer.Option(
        "--dir", help="Folder of data sets; default: the workspace's data/, else ./data.", metavar="DIR"
    ),
]


def root_of(directory: Path | None) -> Path:
    """The folder of data sets: the one named, else the workspace's ``data/``, else ``./data``."""
    from assay.config import find_workspace

    if directory is not None:
        return directory
    workspace = find_workspace()
    return Path("data") if workspace is None else workspace.data_dir


def find_folder(name: str, directory: Path | None) -> Path:
    """The folder of the data set of that name or path.

    Raises
    ------
    DataError
        There is none, or the name cannot be one.
    """
    from assay.cli._dataset import could_be_path, find_dataset
    from assay.config import find_workspace

    if directory is not None:
        if not could_be_path(name):
            raise DataError(f"{name[:80]!r} cannot be a data set", where="NAME", fix="see 'assay data list'")
        return directory / name
    return find_dataset(name, find_workspace())


def new_folder_of(directory: Path | None, name: str, *, exists_ok: bool = False) -> Path:
    """Where a new data set of that name goes.

    Raises
    ------
    AssayError
        The name is not an id, or is taken.
    """
    from assay.base import check_id

    check_id(name, "data set name")
    folder = root_of(directory) / name
    if folder.exists() and not exists_ok:
        raise AssayError(
            f"data set {name!r} exists already",
            where=str(folder),
            fix="choose another name, or remove that folder",
        )
    return folder


def name_from(source: str) -> str:
    """A data set's name made from that of a file or folder."""
    import re

    stem = re.sub(r"[^a-z0-9_-]+", "_", Path(source).stem.lower()).strip("_-")[:64]
    return stem or "data"
