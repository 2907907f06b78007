"""Daily use of the zoo: values of its factors on a date, and its factors held against new data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import numpy.typing as npt

from assay.base import Operator
from assay.campaign._reasons import VALUES_CLOSED
from assay.config import DataSettings, as_date
from assay.errors import DataError, Refusal
from assay.expr import DialectName, Expression, parse
from assay.ledger import Ledger
from assay.library import HUMANS_ONLY, Followed, Member, Watch, Zoo, follow

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel

MONITOR_DESK: Final = "monitor"
FOLLOWED: Final = "followed"
SUBJECT: Final = "zoo_factor:"
ALL: Final = "all"


@dataclass(frozen=True)
class ZooValues:
    """Values of factors on one date.

    Parameters
    ----------
    day : the last trading day up to the date that was asked for.
    hidden : names of the hidden periods that it lies in.
    instruments : members of the universe that day.
    values : float32 ``(len(instruments),)`` by factor, NaN where missing.
    left_out : factors without a formula, or that the data cannot evaluate, and why.
    """

    data: str
    day: date
    hidden: tuple[str, ...]
    instruments: tuple[str, ...]
    values: Mapping[str, npt.NDArray[np.float32]]
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Monitored:
    """One factor held against new data.

    Parameters
    ----------
    watch : what was frozen at its admission; None where nothing was.
    followed : the new days; None where it cannot be followed, and ``note`` says why.
    read : days were read now; else this is the record of an earlier reading.
    """

    name: str
    watch: Watch | None
    followed: Followed | None
    note: str = ""
    read: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "watch": None if self.watch is None else self.watch.as_dict(),
            "followed": None if self.followed is None else self.followed.as_dict(),
            "note": self.note,
            "read": self.read,
        }


def zoo_values(
    ledger: Ledger,
    members: Sequence[Member],
    panel: Panel,
    day: date,
    own: DataSettings | None,
    operator: Operator,
    *,
    confirmed: bool = False,
    threads: int = 1,
) -> ZooValues:
    """Values of factors from bars up to a date; the judge's lag is not applied, so they are for the next bar.

    A value is no label: it says nothing of a return after its date, so it costs no look. But a date is hidden
    by the plan whatever is read of it. On hidden dates, which those of today are as a rule, values go to a
    person who confirmed it, and a ``provenance`` record says so.

    Parameters
    ----------
    members : those to evaluate, of the workspace's zoo.
    day : of the last bar that is read; on a day without trading, that before it.
    own : the workspace's settings of the data set.
    confirmed : that hidden dates are to be read.

    Raises
    ------
    Refusal
        ``values_closed``: the date is hidden, and that was not confirmed; ``humans_only``.
    DataError
        The data begins later, or ends earlier than ``day``.
    """
    found = _row(panel, day)
    plan = None if own is None else own.periods
    hidden = () if plan is None else tuple(plan.hidden(found, found))
    if hidden:
        if operator.kind != "human":
            raise Refusal(HUMANS_ONLY, where="operator", details={"operator": operator.kind})
        if not confirmed:
            named = " and ".join(hidden)
            raise Refusal(VALUES_CLOSED, f"the date lies in the hidden period {named}", where="date")
    view = panel.between(None, found)
    inside = view.universe((None if own is None else own.universe) or ALL)
    formulas, left_out = _formulas(members, view)
    values = _evaluated(formulas, view, inside, threads)
    if hidden:
        ledger.append("provenance", {
            "operator": operator.as_dict(), "subject": f"zoo_values:{panel.name}", "citations": [],
            "details": {"event": "values read", "date": found.isoformat(), "hidden": list(hidden),
                        "factors": list(values)},
        })  # fmt: skip
    here = inside[-1]
    names = tuple(name for name, is_member in zip(view.instruments, here, strict=True) if is_member)
    last = {name: np.ascontiguousarray(item[here]) for name, item in values.items()}
    return ZooValues(panel.name, found, hidden, names, last, left_out)


def _row(panel: Panel, day: date) -> date:
    """The last trading day up to ``day``; values of an old bar must not pass for those of a new one.

    Raises
    ------
    DataError
        The data begins later or ends earlier.
    """
    at = int(np.searchsorted(panel.dates, np.datetime64(day, "D"), side="right")) - 1
    last = as_date(panel.dates[-1])
    if at < 0 or day > last:
        raise DataError(
            f"{panel.name!r} has no bar of {day}",
            where="date",
            fix="update the data first: assay data update" if at >= 0 else "give a later date",
        )
    return as_date(panel.dates[at])


def _formulas(members: Sequence[Member], panel: Panel) -> tuple[dict[str, Expression], dict[str, str]]:
    from assay.judge import panel_fields

    fields = panel_fields(panel)
    found: dict[str, Expression] = {}
    left_out: dict[str, str] = {}
    for member in members:
        if member.expression is None or member.dialect is None:
            left_out[member.name] = "it was given as values and has no formula"
            continue
        try:
            found[member.name] = parse(member.expression, cast(DialectName, member.dialect), fields=fields)
        except Refusal as refusal:
            left_out[member.name] = refusal.message
    return found, left_out


def _evaluated(
    formulas: Mapping[str, Expression], view: Panel, inside: npt.NDArray[np.bool_], threads: int
) -> dict[str, npt.NDArray[np.float32]]:
    """The last row of each; all rows are evaluated, as some ops never forget."""
    from assay.engine import evaluate

    if not formulas:
        return {}
    found = evaluate(
        {name: item.node for name, item in formulas.items()}, view, universe=inside, threads=threads
    )
    return {name: np.array(found[name][-1]) for name in formulas}


def monitor(
    ledger: Ledger,
    members: Sequence[Member],
    panel: Panel,
    own: DataSettings,
    operator: Operator,
    *,
    confirmed: bool = False,
    threads: int = 1,
) -> tuple[Monitored, ...]:
    """Hold factors against the days after those that they were admitted on, by their frozen kill rules.

    The one judge reads the new days, with label, lag, universe and fill of the certificate. Where they are
    hidden, that is a charged look for each factor. A reading is recorded as a control and adds nothing to N:
    the factor was counted when it was tried, and no factor is chosen by it. What a reading found is a
    ``provenance`` record; while no later day has a label it is served from there, and nothing is read. An
    alarm stands once it was raised. Nothing is fitted anew: the factor, what was expected of it, and the
    rule stay as they were frozen.

    Parameters
    ----------
    members : those to follow, of the workspace's zoo.
    own : the workspace's settings of the data set.
    confirmed : that hidden dates may be read.

    Raises
    ------
    Refusal
        ``hidden_period``: new days are hidden, and that was not confirmed; ``look_budget_exhausted``;
        ``humans_only``: hidden days are for a person to open.
    """
    from assay.judge import JudgeSettings

    zoo, earlier = Zoo.read(ledger), _recorded(ledger)
    formulas, left_out = _formulas(members, panel)
    found: dict[str, Monitored] = {}
    due: dict[str, _Due] = {}
    for member in members:
        watch, before = member.watch, earlier.get((member.name, member.certificate))
        if member.name in left_out:
            found[member.name] = Monitored(member.name, watch, None, left_out[member.name])
            continue
        if member.data != panel.name:
            note = f"it was admitted on {member.data!r}, not on {panel.name!r}"
            found[member.name] = Monitored(member.name, watch, None, note)
            continue
        if watch is None:
            found[member.name] = Monitored(member.name, None, None, "nothing was frozen at its admission")
            continue
        told = JudgeSettings.from_mapping(zoo.certificate(member.name)["body"]["settings"])
        last = _last_labelled(panel, watch, told.horizon)
        if last is None:
            nothing = follow(watch, np.empty(0, "datetime64[D]"), np.empty(0))
            found[member.name] = Monitored(member.name, watch, nothing, "no new day has a label yet")
        elif before is not None and before.last is not None and before.last >= last:
            found[member.name] = Monitored(member.name, watch, before)
        else:
            settings = _on_new_days(told, watch, panel, threads)
            due[member.name] = _Due(member, watch, formulas[member.name], settings, before)
    _require_permit([item.settings for item in due.values()], own, operator)
    for settings in dict.fromkeys(item.settings for item in due.values()):
        group = [item for item in due.values() if item.settings == settings]
        found.update(_read(ledger, group, panel, own, replace(settings, allow_hidden=confirmed), operator))
    return tuple(found[member.name] for member in members)


@dataclass(frozen=True)
class _Due:
    """A factor that has new days to read."""

    member: Member
    watch: Watch
    expression: Expression
    settings: JudgeSettings
    before: Followed | None


def _on_new_days(told: JudgeSettings, watch: Watch, panel: Panel, threads: int) -> JudgeSettings:
    """The settings of a certificate on the days after it, without what only a certificate shows."""
    return replace(
        told,
        period=None,
        start=watch.after + timedelta(days=1),
        end=as_date(panel.dates[-1]),
        allow_hidden=False,
        horizons=(told.horizon,),
        robustness="off",
        leak_checks="off",
        bootstrap=0,
        neutral=False,
        threads=threads,
    )


def _last_labelled(panel: Panel, watch: Watch, horizon: int) -> date | None:
    """The last new day that has a label; None where none has."""
    new = panel.dates[panel.dates > np.datetime64(watch.after, "D")]
    reach = horizon + 1
    return as_date(new[-1 - reach]) if len(new) > reach else None


def _require_permit(every: Sequence[JudgeSettings], own: DataSettings, operator: Operator) -> None:
    plan = own.periods
    hidden = plan is not None and any(plan.hidden(item.start, item.end) for item in every)
    if hidden and operator.kind != "human":
        raise Refusal(HUMANS_ONLY, where="operator", details={"operator": operator.kind})


def _read(
    ledger: Ledger,
    group: Sequence[_Due],
    panel: Panel,
    own: DataSettings,
    settings: JudgeSettings,
    operator: Operator,
) -> dict[str, Monitored]:
    """Judge the factors on their new days, hold them against what was frozen, and record it."""
    from assay.judge import Recording, judge

    recording = Recording(ledger, operator, own.looks, MONITOR_DESK, control=True)
    named = {item.member.name: item.expression for item in group}
    verdicts = judge(named, panel, settings, plan=own.periods, recording=recording)
    found = {}
    for item, verdict in zip(group, verdicts, strict=True):
        followed = follow(item.watch, verdict.dates, verdict.series["rank_ic"])
        if item.before is not None and item.before.alarm is not None:
            followed = replace(followed, health="alarm", alarm=item.before.alarm)
        ledger.append("provenance", {
            "operator": operator.as_dict(), "subject": f"{SUBJECT}{item.member.name}", "citations": [],
            "details": {"event": FOLLOWED, "certificate": item.member.certificate, **followed.as_dict()},
        })  # fmt: skip
        found[item.member.name] = Monitored(item.member.name, item.watch, followed, read=True)
    return found


def _recorded(ledger: Ledger) -> dict[tuple[str, str], Followed]:
    """The last reading of each factor, by its name and certificate."""
    found: dict[tuple[str, str], Followed] = {}
    for entry in ledger.entries(kind="provenance"):
        details = entry.body.get("details", {})
        subject = str(entry.body["subject"])
        if subject.startswith(SUBJECT) and details.get("event") == FOLLOWED:
            key = subject.removeprefix(SUBJECT), str(details["certificate"])
            found[key] = Followed.from_dict(details)
    return found
