from __future__ import annotations

import importlib
from types import ModuleType

from assay.errors import AssayError


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional dependency, or say which extra brings it.

    Raises
    ------
    AssayError
        The module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise AssayError(
            f"this needs the package {module!r}, which is not installed",
            where=f"extra {extra!r}",
            fix=f"pip install 'alpha-assay[{extra}]'",
        ) from error
