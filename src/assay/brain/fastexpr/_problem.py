"""What is wrong with an expression, as the platform would say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.brain._wire import Place
from assay.errors import Span

ProblemKind = Literal["syntax", "operator", "variable", "inputs", "attribute", "type", "resource"]
"""What kind of fault: the grammar, an operator's name, a variable or field, how many inputs an operator has,
an attribute (a parameter such as a window), the type of an input, size or history."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an expression cannot be simulated.

    Parameters
    ----------
    message : in the platform's wording.
    place : in the text, as in the platform's ``location``.
    hint : more than the platform says: what was expected, what may have been meant; may be empty.
    """

    message: str
    place: Place
    kind: ProblemKind
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint and self.hint != self.message else ""
        place = self.place
        return f"{self.message} at line {place.line}, characters {place.start} to {place.end}{hint}"

    def pointer(self, text: str) -> str:
        """The offending line of ``text`` with a caret under the place, for a terminal."""
        return Span(self.place.start, self.place.end, self.place.line, self.place.start + 1).pointer(text)
