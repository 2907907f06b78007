from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import Field

from assay import library
from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.tools._tool import Context, Result, Tool
from assay.tools.builtin._pages import PageArguments, page_of
from assay.tools.builtin._reasons import BAD_LIMIT, BAD_OFFSET, NO_ZOO
from assay.tools.builtin._runs import undamaged

if TYPE_CHECKING:
    from assay.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ZooFactor:
    """One admitted factor, as anybody may see it: no dates, and no figures of hidden periods.

    A certificate on hidden dates may stand behind an admission; that the factor is in the zoo, or has left,
    is all that is told of it. Names are a person's words; where they tell of later dates, the guard of the
    registry withholds them.
    """

    name: str
    expression: str | None
    dialect: str | None
    fingerprint: str | None
    status: Literal["admitted", "retired"]


class Zoo(Protocol):
    """The admitted factors."""

    def factors(self) -> Sequence[ZooFactor]:
        """All of them in order of admission, also those retired since."""
        ...


class LedgerZoo:
    """The zoo of a ledger, read anew at each question."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def factors(self) -> list[ZooFactor]:
        """See :class:`Zoo`."""
        return [_factor(member) for member in library.Zoo.read(self._ledger).members(retired=True)]


def _factor(member: library.Member) -> ZooFactor:
    return ZooFactor(
        name=member.name,
        expression=member.expression,
        dialect=member.dialect,
        fingerprint=member.fingerprint,
        status="admitted" if member.retired is None else "retired",
    )


class ZooRow(Result):
    name: str
    expression: str | None = Field(description="Missing for a factor that was given as values.")
    dialect: str | None
    fingerprint: str | None
    status: Literal["admitted", "retired"]


class ListResult(Result):
    rows: list[ZooRow]
    total: int
    next_offset: int | None = Field(description="Where the next page begins; missing on the last one.")


def zoo_tools(zoo: Zoo | None) -> tuple[Tool, ...]:
    """``zoo.list``."""

    def run(arguments: PageArguments, context: Context) -> ListResult:
        if zoo is None:
            raise Refusal(NO_ZOO)
        with undamaged():
            factors = zoo.factors()
        rows, following = page_of(factors, arguments, "factors")
        return ListResult(
            rows=[ZooRow(**asdict(factor)) for factor in rows],
            total=len(factors),
            next_offset=following,
        )

    return (
        Tool(
            "zoo.list",
            "Lists the factors that were admitted, those retired since included.",
            PageArguments,
            ListResult,
            (BAD_LIMIT, BAD_OFFSET, NO_ZOO, DAMAGED_STATE),
            run,
        ),
    )
