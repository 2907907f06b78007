from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy_names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The ``__getattr__`` (PEP 562) of a package some of whose public names are loaded when first used.

    Parameters
    ----------
    package : the package's ``__name__``.
    homes : for each private module of the package, the public names that it defines.
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(home_of[name], package), name)
        setattr(sys.modules[package], name, value)  # found at once from now on
        return value

    return load
