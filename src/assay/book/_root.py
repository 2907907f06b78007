from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from assay.config import Workspace

ROOT_VARIABLES: Final = ("ASSAY_BOOK_STATE_ROOT", "ALPHAKERNEL_BOOK_STATE_ROOT")


def find_state_root(
    named: Path | None, environment: Mapping[str, str], workspace: Workspace | None
) -> Path | None:
    """Where the book is, or would be: what is named, the environment's, or the workspace's ``book/``.

    The first that is set counts, whether there is a book in it or not: a name that is misspelt must not lead
    to another book.
    """
    if named is not None:
        return named
    for variable in ROOT_VARIABLES:
        if environment.get(variable):
            return Path(environment[variable])
    return None if workspace is None else workspace.book_dir
