"""Whether a period plan was moved after looks: what was looked at is hidden no more by another plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.config import DateRange, HiddenPeriod, PeriodPlan, as_date
from assay.errors import Reason, Refusal
from assay.ledger import Ledger

PLAN_MOVED = Reason(
    "plan_moved",
    "the period plan is another one than at earlier looks, and hides less",
    "put the plan back as it was ('assay doctor' tells of it); to hide more is allowed at any time",
)

_PLAN_OBJECT = "sha256:"


@dataclass(frozen=True, slots=True)
class Moved:
    """A hidden period that was looked at when the plan was another one: ``dates`` are hidden under this name
    no more, or not all of them."""

    period: HiddenPeriod
    dates: DateRange


def plan_payload(plan: PeriodPlan) -> bytes:
    """The plan as an object of the ledger; its name there is the plan's digest."""
    return plan.canonical.encode()


def moved_plan(
    looks: Iterable[Mapping[str, Any]], plan: PeriodPlan | None, read: Callable[[str], bytes]
) -> tuple[Moved, ...]:
    """Hidden periods of a data set that its plan holds less of than at the time of the looks.

    A look names its plan by digest, and the ledger has the plan under it: each period that it hid must lie
    within the one of that name now. A look of before names none; then the dates that it read must meet its
    period still.

    Parameters
    ----------
    looks : bodies of ``look`` records of one data set; of one that names a plan no other key is read.
    plan : the plan as it is now; None where there is none any more.
    read : the ledger's objects by name.

    Raises
    ------
    LedgerDamaged
        A plan that a look names is missing or damaged.
    """
    found: dict[tuple[HiddenPeriod, DateRange], None] = {}
    seen: set[str] = {_name(plan)} if plan is not None else set()
    for look in looks:
        name = look.get("plan")
        if name is None:
            dates = DateRange(as_date(look["start"]), as_date(look["end"]))
            if plan is None or look["period"] not in plan.hidden(*dates):
                found[look["period"], dates] = None
        elif name not in seen:
            seen.add(name)
            found |= dict.fromkeys(_shrunk(PeriodPlan.from_dict(json.loads(read(name))), plan))
    return tuple(Moved(*item) for item in found)


def refuse_moved(ledger: Ledger, data: str, plan: PeriodPlan | None, judged: DateRange) -> None:
    """Refuse a judgement that would gain from a moved plan.

    Raises
    ------
    Refusal
        ``plan_moved``: it reads hidden dates, or dates that a plan hid at an earlier look. No date is named.
    """
    with ledger.index() as index:
        names = {look.plan for look in index.looks(data=data)}
        looks: list[Mapping[str, Any]] = [{"plan": name} for name in sorted(names - {None}, key=str)]
        if None in names:
            bodies = (entry.body for entry in index.entries(kind="look"))
            looks += [body for body in bodies if body["data"] == data and body.get("plan") is None]
    moved = moved_plan(looks, plan, ledger.get)
    opens = plan is not None and bool(plan.hidden(*judged))
    if moved and (opens or any(item.dates.meets(judged) for item in moved)):
        periods = sorted({item.period for item in moved})
        raise Refusal(
            PLAN_MOVED,
            f"looks at {' and '.join(periods)} of {data!r} were made under a plan that hides more",
            where=f"data.{data}.periods",
            details={"data": data, "periods": periods},
        )


def _shrunk(before: PeriodPlan, now: PeriodPlan | None) -> list[tuple[HiddenPeriod, DateRange]]:
    closed = {} if now is None else dict(now.closed())
    return [
        (name, dates)
        for name, dates in before.closed()
        if name not in closed or not (closed[name].start <= dates.start and dates.end <= closed[name].end)
    ]


def _name(plan: PeriodPlan) -> str:
    return f"{_PLAN_OBJECT}{plan.digest}"
