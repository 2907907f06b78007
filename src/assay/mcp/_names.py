from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from assay.errors import AssayError

NameStyle: TypeAlias = Literal["underscore", "dotted"]


class WireNames:
    """Names of tools on the wire and their canonical ids; both are understood, whichever is shown.

    Several clients take only letters, digits, ``_`` and ``-`` in a name, so ``writing.get_note`` is shown as
    ``writing_get_note``.

    Raises
    ------
    AssayError
        Two tools would have one name.
    """

    def __init__(self, ids: Iterable[str], style: NameStyle = "underscore") -> None:
        self._style = style
        self._ids: dict[str, str] = {}
        for canonical in ids:
            for name in {canonical, canonical.replace(".", "_")}:
                taken = self._ids.setdefault(name, canonical)
                if taken != canonical:
                    raise AssayError(
                        f"the tools {taken!r} and {canonical!r} would both be named {name!r}",
                        where="tool names",
                        fix="rename one of them",
                    )

    def shown(self, canonical: str) -> str:
        """The name under which a tool is listed."""
        return canonical if self._style == "dotted" else canonical.replace(".", "_")

    def canonical(self, name: str) -> str | None:
        """The id of a tool by either of its names; None where no tool has it."""
        return self._ids.get(name)
