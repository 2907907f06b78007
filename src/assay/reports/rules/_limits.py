"""How much is read at most: what goes beyond is refused as a whole, so that no part is left out silently.

The limits count characters and steps, not seconds, so that one document has one answer on every machine.
"""

from __future__ import annotations

from typing import Final

TEXT: Final = 200_000
"""Characters of a document."""

SENTENCE: Final = 1_500
"""Characters of a sentence."""

STARTS: Final = 60
"""Places of one sentence at which a formula may begin; shorter ones than :data:`SHORT` have no limit."""

SHORT: Final = 200

BINDINGS: Final = 60
"""Names that a document gives to quantities."""

DEFINITIONS: Final = 120
"""Sentences of a document that define a factor or the part of one."""

CELLS: Final = 250_000
"""Stretches of tokens that are looked at for a formula, over the whole document."""


class BeyondLimitError(Exception):
    """A document holds more than is read; ``start`` is where."""

    def __init__(self, what: str, start: int) -> None:
        super().__init__(what)
        self.start = start
