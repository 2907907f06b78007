from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from assay.reports._document import NumeralUnit

Script = Literal["arabic", "chinese", "share", "half", "english"]
"""How a number is written: 20, 二十, 三分之一, 半, twenty."""


@dataclass(frozen=True, slots=True)
class Token:
    """A number as written: its place and value, and its unit where the spelling itself has one (5%, 1/3)."""

    start: int
    end: int
    value: Fraction
    script: Script
    unit: NumeralUnit = "none"
