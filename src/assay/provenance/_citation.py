from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from assay.base import ID_PATTERN, is_agent_identifier
from assay.errors import Refusal
from assay.provenance._reasons import BAD_CITATION

CitationKind = Literal["note", "agent", "certificate"]

_HASH = re.compile(r"[0-9a-f]{64}")
_SHOWN = 120


class CitationRefused(Refusal, ValueError):
    """A citation that is malformed, missing, or names nothing that exists. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Citation:
    """What a record rests on: ``note:<slug>``, ``agent:<model>/<uuid7>`` or ``certificate:<sha256>``."""

    kind: CitationKind
    target: str

    @classmethod
    def parse(cls, text: str) -> Citation:
        """The citation that a text is.

        Raises
        ------
        CitationRefused
            ``bad_citation``: it has none of the three forms.
        """
        kind, mark, target = text.partition(":")
        if mark and kind == "note" and ID_PATTERN.fullmatch(target):
            return cls("note", target)
        if mark and kind == "agent" and is_agent_identifier(target):
            return cls("agent", target)
        if mark and kind == "certificate" and _HASH.fullmatch(target):
            return cls("certificate", target)
        raise CitationRefused(
            BAD_CITATION, f"{text[:_SHOWN]!r} is no citation", where="citations", details={"citation": text}
        )

    def __str__(self) -> str:
        return f"{self.kind}:{self.target}"
