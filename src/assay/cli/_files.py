from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from assay.errors import AssayError, DataError

MAX_FORMULA_FILE = 64 * 2**20


def check_writable(path: Path | None, option: str) -> None:
    """Refuse an output that cannot be written, before any work is done for it.

    Raises
    ------
    AssayError
        It is a folder, or its folder is missing or closed to writing.
    """
    if path is None:
        return
    fix = "name a file in a folder that exists and may be written to"
    parent = path.absolute().parent
    if path.is_dir():
        raise AssayError(f"{path} is a folder", where=option, fix=fix)
    if path.exists() and not path.is_file():
        # it would not be written to but replaced
        raise AssayError(f"{path} is a device or a pipe, not a file", where=option, fix=fix)
    if not parent.is_dir():
        raise AssayError(f"the folder {parent} does not exist", where=option, fix=fix)
    if any((folder / "manifest.json").is_file() for folder in (parent, parent.parent)):
        raise AssayError(f"{parent} belongs to a data set", where=option, fix="name a file outside of it")
    if not os.access(parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise AssayError(f"{path} cannot be written", where=option, fix=fix)


def check_distinct(outputs: Mapping[str, Path | None], *inputs: Path) -> None:
    """Refuse an output that would take the place of an input, or of another output.

    Parameters
    ----------
    outputs : files by their option.

    Raises
    ------
    AssayError
        Two of the paths are one file.
    """
    taken = {os.path.realpath(path): "what is read" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise AssayError(f"{path} is {taken[place]}, too", where=option, fix="name another file")
        taken[place] = f"the file of {option}"


def check_text(text: str, option: str) -> None:
    """Refuse words of the command line that are no UTF-8: they could be neither kept nor shown."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise AssayError(
            "the text is no valid UTF-8", where=option, fix=f"mend its character {error.start + 1}"
        ) from error


def read_text(path: Path, option: str) -> str:
    """A text file, UTF-8.

    Raises
    ------
    DataError
        It is missing, unreadable, not UTF-8, or larger than a list of formulas can be.
    """
    try:
        with open(path, "rb") as file:
            # not by its size: a device has none and does not end
            content = file.read(MAX_FORMULA_FILE + 1)
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {error.strerror or error}", where=option, fix="check the path"
        ) from error
    except ValueError as error:
        raise DataError(f"{str(path)!r} is not a path", where=option, fix="check the path") from error
    if len(content) > MAX_FORMULA_FILE:
        raise DataError(f"{path} is larger than 64 MiB", where=option, fix="split it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path} is not UTF-8: line {line}, byte {error.start}", where=option, fix="save it as UTF-8"
        ) from error
