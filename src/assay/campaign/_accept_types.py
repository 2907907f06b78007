"""What accepting a campaign asks for and what it finds; plain, and the same whenever it is read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

from assay.campaign._combine import Combination

HoldOutName = Literal["eval", "validate"]


@dataclass(frozen=True, slots=True)
class AcceptChoice:
    """What is asked for.

    Parameters
    ----------
    combine : the portfolios to make of the factors; each costs a look as a factor does.
    only : ids of admitted trials to look at; empty for all.
    """

    combine: tuple[Combination, ...] = ("equal", "ridge")
    only: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"combine": list(self.combine), "only": sorted(self.only)}


@dataclass(frozen=True, slots=True)
class HoldOut:
    """Dates that the loop never saw: ``eval`` of the plan, else the ``validate`` tail of ``search``."""

    name: HoldOutName
    start: date
    end: date

    @property
    def hidden(self) -> bool:
        """Whether reading it is a charged look."""
        return self.name == "eval"


@dataclass(frozen=True, slots=True)
class AcceptPlan:
    """What accepting would open.

    Parameters
    ----------
    certificates : how many; of a hidden hold-out, the looks that are charged.
    looks_left : of the budget; None where no look is charged.
    done : the campaign was accepted before: nothing is opened.
    """

    run: str
    hold_out: HoldOut
    factors: int
    certificates: int
    looks_left: int | None
    done: bool

    @property
    def affordable(self) -> bool:
        """Whether the looks left suffice for all certificates."""
        return self.looks_left is None or self.certificates <= self.looks_left


@dataclass(frozen=True, slots=True)
class FormulaText:
    """A formula in another language; ``text`` is None where it has no form there, and ``note`` says why.

    ``differences`` are the conventions that are another than ours.
    """

    text: str | None
    differences: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class AcceptedFactor:
    """One admitted factor on the hold-out.

    Parameters
    ----------
    name : in the zoo.
    trial, fingerprint : of the trial that was admitted; ``fingerprint`` is that of ``expression``.
    expression : the formula with the sign that it had on the training segment: high is bought.
    training, hold_out : figures; those of training are of the formula as it was tried, ``direction`` is the
        sign that ``expression`` gave it.
    status : of the certificate.
    passed : it passed, kept its sign, and both engines agree.
    reasons : why not.
    in_zoo : it joined the workspace's zoo.
    """

    name: str
    trial: str
    expression: str
    fingerprint: str
    direction: int
    certificate: str
    status: str
    passed: bool
    reasons: tuple[str, ...]
    in_zoo: bool
    training: Mapping[str, float | None]
    hold_out: Mapping[str, float | None]
    second_engine: Mapping[str, Any]
    fastexpr: FormulaText
    qlib: FormulaText


@dataclass(frozen=True, slots=True)
class AcceptedPortfolio:
    """The factors as one, on the hold-out; see :class:`Combined`."""

    name: str
    kind: Combination
    certificate: str
    status: str
    weights: Mapping[str, float]
    penalty: float | None
    validate_rank_ic: float | None
    hold_out: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Overfit:
    """Probability of backtest overfitting over the run's trials; None with a note where it cannot be told."""

    pbo: float | None
    splits: int
    trials: int
    days: int
    note: str


@dataclass(frozen=True, slots=True)
class OrderSpread:
    """How much the order of admission decided, on the training segment at the N of the run's end.

    Parameters
    ----------
    orders : orders of the run's trials that were tried, its own included.
    given : how many its own order admits; fewer than the run where N has outgrown an early admission.
    least, most : how many the other orders admit.
    always, ever : factors that every order admits, and that any does.
    overlap : mean Jaccard index of what two orders admit; 1 where order decides nothing.
    """

    orders: int
    given: int
    least: int
    most: int
    always: int
    ever: int
    overlap: float

    @property
    def span(self) -> str:
        """How many the orders admit, in words."""
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What accepting a campaign found. ``folder`` is where it was exported to.

    ``seen`` lists by period its dates and who saw them, before this and with it. ``order`` None: the record
    is older than this figure.
    """

    run: str
    data: str
    simulated: bool
    choice: AcceptChoice
    hold_out: HoldOut
    factors: tuple[AcceptedFactor, ...]
    portfolios: tuple[AcceptedPortfolio, ...]
    overfit: Overfit
    seen: tuple[Mapping[str, Any], ...]
    operator: Mapping[str, Any]
    order: OrderSpread | None = None
    again: bool = False
    folder: Path | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without what another call would tell in another way."""
        data = asdict(replace(self, again=False, folder=None))
        del data["again"], data["folder"]
        if self.order is None:
            del data["order"]
        data["choice"] = self.choice.as_dict()
        for side in ("start", "end"):
            data["hold_out"][side] = data["hold_out"][side].isoformat()
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Acceptance:
        """What :meth:`as_dict` told, also after a detour through JSON."""
        held = data["hold_out"]
        return cls(
            **{name: data[name] for name in ("run", "data", "simulated", "operator")},
            choice=AcceptChoice(tuple(data["choice"]["combine"]), tuple(data["choice"]["only"])),
            hold_out=HoldOut(
                held["name"], date.fromisoformat(held["start"]), date.fromisoformat(held["end"])
            ),
            factors=tuple(_factor(item) for item in data["factors"]),
            portfolios=tuple(AcceptedPortfolio(**item) for item in data["portfolios"]),
            overfit=Overfit(**data["overfit"]),
            seen=tuple(data["seen"]),
            order=OrderSpread(**data["order"]) if "order" in data else None,
        )


def _factor(data: Mapping[str, Any]) -> AcceptedFactor:
    texts = {
        name: FormulaText(data[name]["text"], tuple(data[name]["differences"]), data[name]["note"])
        for name in ("fastexpr", "qlib")
    }
    return AcceptedFactor(**{**data, **texts, "reasons": tuple(data["reasons"])})
