"""An option that takes one of a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import AssayError


def one_of(value: str, known: Sequence[str], option: str) -> Any:
    """``value`` itself, if it is one of the known words.

    Raises
    ------
    AssayError
        It is not.
    """
    if value in known:
        return value
    from assay.base import did_you_mean

    near = did_you_mean(value, known)
    hint = f"did you mean {near[0]}? " if near else ""
    raise AssayError(f"{value!r} is not a choice", where=option, fix=f"{hint}use {', '.join(known)}")
