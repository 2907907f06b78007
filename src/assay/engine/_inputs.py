from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Panel: TypeAlias = npt.NDArray[np.float32]
"""float32, C order, (dates, instruments); NaN = missing."""

Groups: TypeAlias = npt.NDArray[np.int32]
"""int32, (dates, instruments); codes from 0, -1 = no group."""

Mask: TypeAlias = npt.NDArray[np.bool_]

AnyArray: TypeAlias = npt.NDArray[Any]


class Inputs(Protocol):
    """What an engine reads: named arrays of one shape. A panel of `assay.market` is one."""

    @property
    def shape(self) -> tuple[int, int]:
        """Dates and instruments."""
        ...

    def field(self, name: str) -> Panel:
        """A number for each date and instrument."""
        ...

    def group(self, name: str) -> Groups:
        """A group code for each date and instrument."""
        ...

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        """(K, dates, instruments): up to K numbers for each date and instrument, padded with NaN."""
        ...
