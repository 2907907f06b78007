"""The end of a campaign: its hold-out is opened once, and what it admitted is certified there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from assay.base import Operator
from assay.campaign._accept_export import export_acceptance
from assay.campaign._accept_plan import ACCEPTED, RunToAccept
from assay.campaign._accept_results import factor_result, overfitting, portfolio_result
from assay.campaign._accept_types import Acceptance, AcceptChoice, AcceptedFactor, AcceptPlan
from assay.campaign._hold_out import Material, hold_out_settings
from assay.campaign._order import order_spread
from assay.campaign._reasons import HOLD_OUT_CLOSED
from assay.campaign._second_engine import second_engine
from assay.campaign._seen import periods_seen
from assay.config import Workspace
from assay.errors import Refusal
from assay.ledger import LOOK_BUDGET_EXHAUSTED

if TYPE_CHECKING:
    from assay.judge import JudgeSettings, Recording

ACCEPT_DESK: Final = "acceptance"


def accept(
    workspace: Workspace,
    run_id: str,
    operator: Operator,
    choice: AcceptChoice | None = None,
    *,
    confirmed: bool = False,
    threads: int = 1,
) -> Acceptance:
    """Open the hold-out of a campaign, once, and certify what it admitted.

    Each admitted factor, with the sign that it had in training, is judged by the one judge with all leak
    checks, and evaluated a second time by the reference engine on a sample. The factors are combined with
    penalties that the ``validate`` tail picks, and the portfolios judged, too. Factors whose certificate
    passed, whose sign held and on which both engines agree join the workspace's zoo, with the expected
    RankIC and the kill rule frozen. All of it is exported to ``accepted/`` in the run's folder, whole or not
    at all.

    Repeated, it reads what was recorded: no look is charged, nothing is judged, and the export has the same
    bytes. One that was killed goes on, and pays no look twice.

    Parameters
    ----------
    operator : a person, who answers for what joins the zoo.
    confirmed : that the hold-out is to be opened.

    Raises
    ------
    Refusal
        As :func:`plan_acceptance`; ``hold_out_closed``: not confirmed; ``humans_only``;
        ``look_budget_exhausted``: the looks left do not suffice for all certificates, and none is charged.
    AssayError
        The export was altered.
    """
    case = RunToAccept.of(workspace, run_id, choice or AcceptChoice())
    return _Opening(case, operator, threads).accept(confirmed=confirmed)


@dataclass(frozen=True)
class _Opening:
    """A hold-out that a person opens, to certify there what the campaign admitted."""

    case: RunToAccept
    operator: Operator
    threads: int

    def accept(self, *, confirmed: bool) -> Acceptance:
        from assay.library import HUMANS_ONLY

        if self.operator.kind != "human":
            raise Refusal(HUMANS_ONLY, where="operator", details={"operator": self.operator.kind})
        plan, own, done = self.case.plan(), self.case.own, self.case.done
        if done is not None:
            exported = self._exported(replace(done, again=True), self._material())
            if own.state().open:  # it was killed after its record
                own.stop("finished")
            return exported
        self._require_open(plan, confirmed)
        self._begin()
        with own.ending():
            found, material = self._certified()
            own.append(
                "provenance",
                {
                    "operator": self.operator.as_dict(),
                    "subject": f"campaign:{self.case.run.id}",
                    "citations": [],
                    "details": {"event": ACCEPTED, "acceptance": found.as_dict()},
                },
            )
            return self._exported(found, material)

    def _require_open(self, plan: AcceptPlan, confirmed: bool) -> None:
        if plan.looks_left is not None and not plan.affordable:
            market = self.case.market
            budget = market.own.looks.eval + plan.certificates - plan.looks_left
            raise Refusal(
                LOOK_BUDGET_EXHAUSTED,
                f"{plan.certificates} certificates cost {plan.certificates} looks at 'eval', and "
                f"{plan.looks_left} are left",
                where="period",
                fix="accept fewer factors with --only, fewer portfolios with --combine, or allow "
                f"{budget} looks in assay.toml: [data.{market.panel.name}.looks] eval = {budget}",
                details={"wanted": plan.certificates, "left": plan.looks_left, "budget": budget},
            )
        if not confirmed:
            raise Refusal(HOLD_OUT_CLOSED, where=plan.hold_out.name)

    def _begin(self) -> None:
        """Start the acceptance's own run, or take it up where it was killed."""
        case = self.case
        inputs = {
            f"data:{case.market.panel.name}": case.market.digest,
            "periods": case.market.plan.digest,
            **{f"choice:{name}": str(value) for name, value in case.choice.as_dict().items()},
        }
        with case.run.ledger.index() as index:
            known = case.own.id in index.runs()
        if known:
            case.own.resume(self.operator, case.config.hash, inputs)
        else:
            case.own.start(ACCEPT_DESK, self.operator, case.config.hash, inputs)

    def _certified(self) -> tuple[Acceptance, Material]:
        from assay.judge import Recording

        case, market = self.case, self.case.market
        # of the training segment alone, so that nothing is paid where it fails
        order = order_spread(case.workspace, case.run, case.config, case.history, market, self.threads)
        settings = hold_out_settings(market, case.hold_out, self.threads)
        recording = Recording(case.run.ledger, self.operator, market.own.looks, ACCEPT_DESK, case.own.id)
        certificates = self._judged(case.factors, settings, recording)
        material = self._material()
        engines = {
            name: second_engine(expression, material.view, material.members, case.config.seed)
            for name, expression in case.factors.items()
        }
        made = material.portfolios(case.combined, case.config.seed)
        rows = market.panel.shape[0]
        mixed = self._judged(
            {case.name(item.kind): material.padded(item.values, rows) for item in made}, settings, recording
        )
        factors = [
            factor_result(name, trial, case.factors[name], certificates[name], engines[name])
            for name, trial in zip(case.factors, case.trials, strict=True)
        ]
        found = Acceptance(
            run=case.run.id,
            data=market.panel.name,
            simulated=market.panel.manifest.simulated,
            choice=case.choice,
            hold_out=case.hold_out,
            factors=tuple(self._joined(factor, certificates[factor.name]) for factor in factors),
            portfolios=tuple(
                portfolio_result(name, item, certificate, list(case.factors))
                for item, (name, certificate) in zip(made, mixed.items(), strict=True)
            ),
            overfit=overfitting(case.run),
            seen=periods_seen(market, case.run, case.config, self.operator),
            operator=self.operator.as_dict(),
            order=order,
        )
        return found, material

    def _judged(
        self, items: Mapping[str, Any], settings: JudgeSettings, recording: Recording
    ) -> dict[str, Mapping[str, Any]]:
        """Certificates by name; those that a killed acceptance recorded are not made again."""
        from assay.judge import judge
        from assay.library import find_certificate, read_document

        ledger, market = self.case.run.ledger, self.case.market
        known = {
            entry.body["name"]: entry.body["content_hash"]
            for entry in self.case.own.entries(kind="certificate")
        }
        if items and not items.keys() <= known.keys():
            verdicts = judge(items, market.panel, settings, plan=market.plan, recording=recording)
            return {verdict.name: verdict.certificate for verdict in verdicts}
        return {name: read_document(ledger, find_certificate(ledger, known[name])) for name in items}

    def _joined(self, factor: AcceptedFactor, certificate: Mapping[str, Any]) -> AcceptedFactor:
        """The factor, admitted to the workspace's zoo if it passed."""
        from assay.library import ALREADY_ADMITTED, NAME_TAKEN, admit

        if not factor.passed:
            return factor
        try:
            admit(self.case.run.ledger, certificate, factor.name, self.operator)
        except Refusal as refusal:
            if refusal.reason not in (ALREADY_ADMITTED, NAME_TAKEN):
                raise
            mine = self._is_mine(factor)
            reasons = factor.reasons if mine else (*factor.reasons, refusal.message)
            return replace(factor, in_zoo=mine, reasons=reasons)
        return replace(factor, in_zoo=True)

    def _is_mine(self, factor: AcceptedFactor) -> bool:
        """Whether a killed acceptance admitted this very factor."""
        from assay.library import Zoo

        return any(
            member.name == factor.name and member.fingerprint == factor.fingerprint
            for member in Zoo.read(self.case.run.ledger).members()
        )

    def _material(self) -> Material:
        return Material.of(self.case.market, self.case.hold_out, self.case.factors, self.threads)

    def _exported(self, found: Acceptance, material: Material) -> Acceptance:
        case = self.case
        made = material.portfolios(case.combined, case.config.seed)
        values = {**material.values, **{case.name(item.kind): item.values for item in made}}
        folder = case.workspace.runs_dir / case.run.id / ACCEPTED
        export_acceptance(found, case.run.ledger, material, values, folder)
        return replace(found, folder=folder)
