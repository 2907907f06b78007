from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from assay.errors import AssayError

ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def check_id(text: str, what: str = "name") -> str:
    """``text`` itself if it is an id that Assay accepts for names of files, runs and data sets.

    Raises
    ------
    AssayError
        It is anything else; ids also name files, so nothing else may pass.
    """
    if not ID_PATTERN.fullmatch(text):
        raise AssayError(
            f"{text!r} cannot be a {what}",
            where=what,
            fix="use 1 to 64 of a-z, 0-9, '_' and '-', beginning with a letter or digit",
        )
    return text


@dataclass(frozen=True, slots=True)
class Operator:
    """Who acted: a human, an agent (with the model artifact it ran on), or the system itself."""

    kind: Literal["human", "agent", "system"]
    name: str
    model: str | None = None


def human(name: str = "user") -> Operator:
    """The identity of a person at the keyboard."""
    return Operator("human", name)
