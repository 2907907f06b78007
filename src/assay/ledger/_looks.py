from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from assay.base import Operator
from assay.errors import Reason, Refusal
from assay.ledger._index import Index, locked_index
from assay.ledger._keys import TrialKey

if TYPE_CHECKING:
    from assay.ledger._ledger import Ledger

HiddenPeriod = Literal["score", "eval"]

LOOK_BUDGET_EXHAUSTED = Reason(
    "look_budget_exhausted",
    "the budget of looks at this hidden period is used up",
    "judge on the open period; the budget is in assay.toml, for the owner of the workspace to change",
)


@dataclass(frozen=True, slots=True)
class Look:
    """One permitted read of hidden dates.

    ``line`` is the record that charged it; ``charged`` is False where an earlier look paid for it.
    ``used`` of ``budget`` looks at this period are gone, this one included.
    """

    period: HiddenPeriod
    line: int
    charged: bool
    used: int
    budget: int


@dataclass(frozen=True, slots=True)
class LooksUsed:
    """Looks charged to a period, and the budget that the latest of them was held to."""

    used: int
    budget: int


def charge_look(
    ledger: Ledger,
    period: HiddenPeriod,
    dates: tuple[date, date],
    *,
    data: str,
    budget: int,
    key: TrialKey,
    operator: Operator,
    run: str | None = None,
    plan: str | None = None,
) -> Look:
    """Charge one look to the budget of a hidden period of a data set, before the dates are read.

    ``score`` costs a look each time; ``eval`` costs one for each key, however often it is read. Counting and
    charging happen under the ledger's lock, so processes at work side by side cannot exceed the budget.

    Parameters
    ----------
    dates : first and last day that are read.
    budget : looks allowed at this period of this data set, in all.
    plan : name of the object that holds the period plan, by its digest: with it a later reader can tell
        whether the plan was moved. Records of before have no such key.

    Raises
    ------
    Refusal
        ``look_budget_exhausted``; a ``refusal`` record says so too. It names no date.
    """
    with locked_index(ledger) as index:
        before = index.looks(data=data, period=period)
        paid = [look for look in before if look.key == key] if period == "eval" else []
        if paid:
            return Look(period, paid[0].line, False, len(before), budget)
        if len(before) >= budget:
            ledger.append("refusal", _refusal(period, data, len(before), budget, key, operator), run=run)
            raise Refusal(
                LOOK_BUDGET_EXHAUSTED,
                f"{len(before)} of {budget} looks at {period!r} of {data!r} are used",
                where="period",
                details={"period": period, "data": data, "used": len(before), "budget": budget},
            )
        body = {
            "period": period,
            "start": dates[0].isoformat(),
            "end": dates[1].isoformat(),
            "data": data,
            "budget": budget,
            "key": key.as_body(),
            "operator": asdict(operator),
            **({} if plan is None else {"plan": plan}),
        }
        entry = ledger.append("look", body, run=run)
        return Look(period, entry.line, True, len(before) + 1, budget)


def _refusal(
    period: str, data: str, used: int, budget: int, key: TrialKey, operator: Operator
) -> dict[str, Any]:
    return {
        "reason": LOOK_BUDGET_EXHAUSTED.code,
        "message": f"{used} of {budget} looks at {period!r} of {data!r} are used",
        "key": key.as_body(),
        "operator": asdict(operator),
    }


def looks_used(index: Index, data: str) -> dict[str, LooksUsed]:
    """What has been charged to each hidden period of a data set; a period without looks is left out."""
    found: dict[str, LooksUsed] = {}
    for look in index.looks(data=data):
        used = found[look.period].used if look.period in found else 0
        found[look.period] = LooksUsed(used + 1, look.budget or 0)
    return found
