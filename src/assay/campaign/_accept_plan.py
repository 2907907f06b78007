"""What accepting a campaign would open, and what was recorded if it was accepted before."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from assay.base import check_id
from assay.campaign._accept_results import oriented
from assay.campaign._accept_types import Acceptance, AcceptChoice, AcceptPlan, HoldOut
from assay.campaign._combine import Combination, require_combination
from assay.campaign._hold_out import hold_out_of
from assay.campaign._prepare import Market, open_market
from assay.campaign._reasons import (
    ACCEPTED_OTHERWISE,
    CHANGED_SINCE,
    NOT_A_CAMPAIGN,
    NOT_FINISHED,
    NOTHING_ADMITTED,
)
from assay.campaign._records import DESK
from assay.campaign._resume import Recorded
from assay.campaign._settings import CampaignConfig
from assay.campaign._snapshot import recorded_config
from assay.campaign._types import History, TrialRecord
from assay.config import Workspace
from assay.errors import LedgerDamaged, Refusal
from assay.expr import Expression
from assay.ledger import Ledger, Run

ACCEPTED: Final = "accepted"
"""The event of the record, and the folder of the export."""
_NAME: Final = 64


def plan_acceptance(workspace: Workspace, run_id: str, choice: AcceptChoice | None = None) -> AcceptPlan:
    """What :func:`accept` would open. Nothing is read of the hold-out, and nothing is written.

    Raises
    ------
    Refusal
        ``unknown_run``, ``not_a_campaign``, ``campaign_unfinished``, ``nothing_admitted``,
        ``accepted_otherwise``, ``changed_since``.
    AssayError
        A portfolio needs an extra that is not installed.
    """
    return RunToAccept.of(workspace, run_id, choice or AcceptChoice()).plan()


def recorded_acceptance(run: Run) -> Acceptance | None:
    """What accepting a campaign found, as the ledger has it; None where it was not accepted.

    Raises
    ------
    LedgerDamaged
        The record is none that this version writes.
    """
    for entry in acceptance_run(run).entries(kind="provenance"):
        details = entry.body["details"]
        if details.get("event") == ACCEPTED:
            try:
                return Acceptance.from_dict(details["acceptance"])
            except (KeyError, TypeError, ValueError) as error:
                raise LedgerDamaged(
                    f"line {entry.line} is no acceptance that this version writes",
                    where=f"line {entry.line}",
                    fix="verify it: assay ledger verify",
                ) from error
    return None


def acceptance_run(run: Run) -> Run:
    """The run of the acceptance of a campaign."""
    return run.ledger.run("accept-" + hashlib.sha256(run.id.encode()).hexdigest()[:16])


@dataclass(frozen=True)
class RunToAccept:
    """One run that is to be accepted, and what was recorded of it."""

    workspace: Workspace
    run: Run
    choice: AcceptChoice
    config: CampaignConfig
    history: History

    @classmethod
    def of(cls, workspace: Workspace, run_id: str, choice: AcceptChoice) -> RunToAccept:
        """The run of a campaign that came to its end.

        Raises
        ------
        Refusal
            ``unknown_run``, ``not_a_campaign``, ``campaign_unfinished``.
        AssayError
            A portfolio needs an extra that is not installed.
        """
        check_id(run_id, "id of a run")
        run = Ledger.open(workspace.ledger_dir).run(run_id)
        if run.state().desk != DESK:
            raise Refusal(NOT_A_CAMPAIGN, f"the run {run_id!r} is no campaign", where="run")
        recorded = Recorded.read(run)
        if not recorded.ended:
            raise Refusal(NOT_FINISHED, f"the campaign {run_id!r} has not come to its end", where="run")
        for kind in choice.combine:
            require_combination(kind)
        config = recorded_config(workspace.runs_dir / run_id)
        return cls(workspace, run, choice, config, recorded.history)

    @cached_property
    def own(self) -> Run:
        """The run of the acceptance itself: a campaign's records stay as they were when it ended."""
        return acceptance_run(self.run)

    @cached_property
    def done(self) -> Acceptance | None:
        """What was recorded, if the campaign was accepted before."""
        return recorded_acceptance(self.run)

    @cached_property
    def market(self) -> Market:
        """The data that the campaign worked with."""
        market = open_market(self.config, self.workspace)
        before = self.run.inputs()
        now = {f"data:{market.panel.name}": market.digest, "periods": market.plan.digest}
        changed = sorted(name for name, value in now.items() if before.get(name) != value)
        if changed:
            listed = ", ".join(changed)
            raise Refusal(
                CHANGED_SINCE, f"{listed} changed since the campaign ran", where="run",
                details={"changed": changed},
            )  # fmt: skip
        return market

    @cached_property
    def hold_out(self) -> HoldOut:
        """The dates that are opened."""
        return hold_out_of(self.market)

    @cached_property
    def trials(self) -> tuple[TrialRecord, ...]:
        """Those that are certified."""
        zoo = {trial.id: trial for trial in self.history.zoo}
        unknown = [name for name in self.choice.only if name not in zoo]
        if unknown or not zoo:
            message = f"{', '.join(unknown)} was not admitted" if unknown else "the campaign admitted nothing"
            raise Refusal(
                NOTHING_ADMITTED, message, where="only" if unknown else "run", details={"admitted": list(zoo)}
            )
        return tuple(zoo[name] for name in zoo if not self.choice.only or name in self.choice.only)

    @cached_property
    def factors(self) -> dict[str, Expression]:
        """By the name that they get in the zoo: each formula with the sign that it had in training."""
        from assay.judge import panel_fields

        fields = panel_fields(self.market.panel)
        return {self.name(trial.id): oriented(trial, fields) for trial in self.trials}

    def name(self, part: str) -> str:
        """What a factor or portfolio is called."""
        return f"{self.run.id[: _NAME - 1 - len(part)]}-{part}"

    @property
    def combined(self) -> tuple[Combination, ...]:
        """The portfolios; of one factor there is none."""
        return self.choice.combine if len(self.trials) > 1 else ()

    def plan(self) -> AcceptPlan:
        """What accepting it would open; see :func:`plan_acceptance`."""
        done = self._same_choice(self.done)
        hold_out = self.hold_out if done is None else done.hold_out
        factors = len(self.trials)
        certificates = factors + len(self.combined)
        left = None if not hold_out.hidden or done is not None else self._looks_left()
        return AcceptPlan(self.run.id, hold_out, factors, certificates, left, done is not None)

    def _same_choice(self, done: Acceptance | None) -> Acceptance | None:
        if done is not None and done.choice.as_dict() != self.choice.as_dict():
            raise Refusal(
                ACCEPTED_OTHERWISE,
                f"the campaign {self.run.id!r} was accepted with {done.choice.as_dict()}",
                where="choice",
                details={"accepted": done.choice.as_dict()},
            )
        return done

    def _looks_left(self) -> int:
        """Looks at the hold-out that may be charged still, those that a killed acceptance paid included."""
        with self.run.ledger.index() as index:
            looks = index.looks(data=self.market.panel.name, period="eval")
        paid = sum(look.run == self.own.id for look in looks)
        return max(self.market.own.looks.eval - len(looks), 0) + paid
