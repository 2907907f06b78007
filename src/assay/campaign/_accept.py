"""The end of a campaign: its hold-out is opened once, and what it admitted is certified there."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from assay.base import Operator, check_id
from assay.campaign._accept_export import export_acceptance
from assay.campaign._accept_types import (
    Acceptance,
    AcceptChoice,
    AcceptedFactor,
    AcceptedPortfolio,
    AcceptPlan,
    FormulaText,
    HoldOut,
    Overfit,
)
from assay.campaign._combine import Combined, require_combination
from assay.campaign._hold_out import Material, hold_out_of, hold_out_settings
from assay.campaign._order import order_spread
from assay.campaign._prepare import Market, open_market
from assay.campaign._reasons import (
    ACCEPTED_OTHERWISE,
    CHANGED_SINCE,
    HOLD_OUT_CLOSED,
    NOT_A_CAMPAIGN,
    NOT_FINISHED,
    NOTHING_ADMITTED,
)
from assay.campaign._records import DESK
from assay.campaign._resume import Recorded
from assay.campaign._second_engine import SecondEngine, second_engine
from assay.campaign._seen import periods_seen
from assay.campaign._settings import CampaignConfig
from assay.campaign._snapshot import recorded_config
from assay.campaign._types import History, TrialRecord
from assay.config import Workspace
from assay.errors import LedgerDamaged, Refusal
from assay.expr import DialectName, Expression, convert, parse
from assay.ledger import LOOK_BUDGET_EXHAUSTED, Ledger, Run, Scope

if TYPE_CHECKING:
    from assay.judge import JudgeSettings, Recording

ACCEPTED: Final = "accepted"
ACCEPT_DESK: Final = "acceptance"
_NAME: Final = 64
_BLOCKS: Final = 16
_FIGURES: Final = (
    "rank_ic", "neutral_rank_ic", "t", "rank_icir", "net_excess", "ir", "turnover", "break_even_bp",
    "coverage", "days",
)  # fmt: skip


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
    return _Accepting.of(workspace, run_id, choice or AcceptChoice()).plan()


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
    return _Accepting.of(workspace, run_id, choice or AcceptChoice()).accept(
        operator, confirmed=confirmed, threads=threads
    )


def recorded_acceptance(run: Run) -> Acceptance | None:
    """What accepting a campaign found, as the ledger has it; None where it was not accepted.

    Raises
    ------
    LedgerDamaged
        The record is none that this version writes.
    """
    for entry in _own_run(run).entries(kind="provenance"):
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


def _own_run(run: Run) -> Run:
    """The run of the acceptance of a campaign."""
    return run.ledger.run("accept-" + hashlib.sha256(run.id.encode()).hexdigest()[:16])


@dataclass(frozen=True)
class _Accepting:
    """One run that is to be accepted, and what was recorded of it."""

    workspace: Workspace
    run: Run
    choice: AcceptChoice
    config: CampaignConfig
    history: History

    @classmethod
    def of(cls, workspace: Workspace, run_id: str, choice: AcceptChoice) -> _Accepting:
        check_id(run_id, "id of a run")
        run = Ledger.open(workspace.ledger_dir).run(run_id)
        desk = run.state().desk
        if desk != DESK:
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
        return _own_run(self.run)

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
        return {self.name(trial.id): _oriented(trial, fields) for trial in self.trials}

    def name(self, part: str) -> str:
        """What a factor or portfolio is called."""
        return f"{self.run.id[: _NAME - 1 - len(part)]}-{part}"

    @property
    def combined(self) -> tuple[Any, ...]:
        """The portfolios; of one factor there is none."""
        return self.choice.combine if len(self.trials) > 1 else ()

    def plan(self) -> AcceptPlan:
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

    def accept(self, operator: Operator, *, confirmed: bool, threads: int) -> Acceptance:
        from assay.library import HUMANS_ONLY

        if operator.kind != "human":
            raise Refusal(HUMANS_ONLY, where="operator", details={"operator": operator.kind})
        plan = self.plan()
        if self.done is not None:
            exported = self._exported(replace(self.done, again=True), self._material(threads))
            if self.own.state().open:  # it was killed after its record
                self.own.stop("finished")
            return exported
        self._require_open(plan, confirmed)
        self._begin(operator)
        with self.own.ending():
            found, material = self._certified(operator, threads)
            self.own.append(
                "provenance",
                {
                    "operator": operator.as_dict(),
                    "subject": f"campaign:{self.run.id}",
                    "citations": [],
                    "details": {"event": ACCEPTED, "acceptance": found.as_dict()},
                },
            )
            return self._exported(found, material)

    def _require_open(self, plan: AcceptPlan, confirmed: bool) -> None:
        if plan.looks_left is not None and not plan.affordable:
            data = self.market.panel.name
            budget = self.market.own.looks.eval + plan.certificates - plan.looks_left
            raise Refusal(
                LOOK_BUDGET_EXHAUSTED,
                f"{plan.certificates} certificates cost {plan.certificates} looks at 'eval', and "
                f"{plan.looks_left} are left",
                where="period",
                fix="accept fewer factors with --only, fewer portfolios with --combine, or allow "
                f"{budget} looks in assay.toml: [data.{data}.looks] eval = {budget}",
                details={"wanted": plan.certificates, "left": plan.looks_left, "budget": budget},
            )
        if not confirmed:
            raise Refusal(HOLD_OUT_CLOSED, where=plan.hold_out.name)

    def _begin(self, operator: Operator) -> None:
        """Start the acceptance's own run, or take it up where it was killed."""
        inputs = {
            f"data:{self.market.panel.name}": self.market.digest,
            "periods": self.market.plan.digest,
            **{f"choice:{name}": str(value) for name, value in self.choice.as_dict().items()},
        }
        with self.run.ledger.index() as index:
            known = self.own.id in index.runs()
        if known:
            self.own.resume(operator, self.config.hash, inputs)
        else:
            self.own.start(ACCEPT_DESK, operator, self.config.hash, inputs)

    def _certified(self, operator: Operator, threads: int) -> tuple[Acceptance, Material]:
        from assay.judge import Recording

        market = self.market
        # of the training segment alone, so that nothing is paid where it fails
        order = order_spread(self.workspace, self.run, self.config, self.history, market, threads)
        settings = hold_out_settings(market, self.hold_out, threads)
        recording = Recording(self.run.ledger, operator, market.own.looks, ACCEPT_DESK, self.own.id)
        certificates = self._judged(self.factors, settings, recording)
        material = self._material(threads)
        engines = {
            name: second_engine(expression, material.view, material.members, self.config.seed)
            for name, expression in self.factors.items()
        }
        made = material.portfolios(self.combined, self.config.seed)
        rows = market.panel.shape[0]
        mixed = self._judged(
            {self.name(item.kind): material.padded(item.values, rows) for item in made}, settings, recording
        )
        factors = [
            _factor(name, trial, self.factors[name], certificates[name], engines[name])
            for name, trial in zip(self.factors, self.trials, strict=True)
        ]
        found = Acceptance(
            run=self.run.id,
            data=market.panel.name,
            simulated=market.panel.manifest.simulated,
            choice=self.choice,
            hold_out=self.hold_out,
            factors=tuple(self._joined(factors, certificates, operator)),
            portfolios=tuple(
                _portfolio(name, item, certificate, list(self.factors))
                for item, (name, certificate) in zip(made, mixed.items(), strict=True)
            ),
            overfit=overfitting(self.run),
            seen=periods_seen(market, self.run, self.config, operator),
            operator=operator.as_dict(),
            order=order,
        )
        return found, material

    def _judged(
        self, items: Mapping[str, Any], settings: JudgeSettings, recording: Recording
    ) -> dict[str, Mapping[str, Any]]:
        """Certificates by name; those that a killed acceptance recorded are not made again."""
        from assay.judge import judge
        from assay.library import find_certificate, read_document

        ledger = self.run.ledger
        known = {
            entry.body["name"]: entry.body["content_hash"] for entry in self.own.entries(kind="certificate")
        }
        if items and not items.keys() <= known.keys():
            panel, plan = self.market.panel, self.market.plan
            verdicts = judge(items, panel, settings, plan=plan, recording=recording)
            return {verdict.name: verdict.certificate for verdict in verdicts}
        return {name: read_document(ledger, find_certificate(ledger, known[name])) for name in items}

    def _joined(
        self,
        factors: Sequence[AcceptedFactor],
        certificates: Mapping[str, Mapping[str, Any]],
        operator: Operator,
    ) -> list[AcceptedFactor]:
        """The factors, those that passed admitted to the workspace's zoo."""
        from assay.library import ALREADY_ADMITTED, NAME_TAKEN, admit

        joined = []
        for factor in factors:
            if not factor.passed:
                joined.append(factor)
                continue
            try:
                admit(self.run.ledger, certificates[factor.name], factor.name, operator)
                joined.append(replace(factor, in_zoo=True))
            except Refusal as refusal:
                if refusal.reason not in (ALREADY_ADMITTED, NAME_TAKEN):
                    raise
                mine = self._is_mine(factor)
                reasons = factor.reasons if mine else (*factor.reasons, refusal.message)
                joined.append(replace(factor, in_zoo=mine, reasons=reasons))
        return joined

    def _is_mine(self, factor: AcceptedFactor) -> bool:
        """Whether a killed acceptance admitted this very factor."""
        from assay.library import Zoo

        return any(
            member.name == factor.name and member.fingerprint == factor.fingerprint
            for member in Zoo.read(self.run.ledger).members()
        )

    def _material(self, threads: int) -> Material:
        return Material.of(self.market, self.hold_out, self.factors, threads)

    def _exported(self, found: Acceptance, material: Material) -> Acceptance:
        made = material.portfolios(self.combined, self.config.seed)
        values = {**material.values, **{self.name(item.kind): item.values for item in made}}
        folder = self.workspace.runs_dir / self.run.id / ACCEPTED
        export_acceptance(found, self.run.ledger, material, values, folder)
        return replace(found, folder=folder)


def overfitting(run: Run) -> Overfit:
    """The probability of backtest overfitting by CSCV, over the net excess returns of a run's trials."""
    from assay.metrics import pbo_cscv

    found = run.ledger.trials(Scope(runs=(run.id,)), within=run.id).series()
    days, trials = found.matrix.shape
    if trials < 2 or days < 2 * _BLOCKS:
        note = f"{trials} trials with a book share {days} days; it needs 2 trials and {2 * _BLOCKS} days"
        return Overfit(None, 0, trials, days, note)
    split = pbo_cscv(found.matrix, _BLOCKS)
    note = f"CSCV over {split.splits} splits of {_BLOCKS} blocks of daily net excess returns"
    return Overfit(split.pbo, split.splits, trials, days, note)


def _oriented(trial: TrialRecord, fields: Mapping[str, Any]) -> Expression:
    assert trial.candidate is not None  # an admitted trial has one
    text = trial.candidate.expression
    return parse(text if _direction(trial) > 0 else f"-({text})", fields=fields)


def _direction(trial: TrialRecord) -> int:
    return 1 if (trial.figures.get("rank_ic") or 0.0) >= 0 else -1


def _factor(
    name: str,
    trial: TrialRecord,
    expression: Expression,
    certificate: Mapping[str, Any],
    engine: SecondEngine,
) -> AcceptedFactor:
    decision, figures = certificate["body"]["decision"], _figures(certificate)
    reasons = [row["detail"] for row in decision["criteria"] if row["outcome"] in ("failed", "undefined")]
    mean = figures["rank_ic"]
    kept = mean is not None and mean > 0
    if not kept:
        shown = "undefined" if mean is None else f"{mean:.4f}"
        reasons.append(f"the sign did not hold: RankIC {shown} on the hold-out")
    if not engine.agreed:
        reasons.append(f"the engines differ on {engine.apart:.1%} of {engine.cells} cells")
    return AcceptedFactor(
        name=name,
        trial=trial.id,
        expression=expression.text,
        fingerprint=expression.fingerprint,
        direction=_direction(trial),
        certificate=certificate["content_hash"],
        status=decision["status"],
        passed=decision["status"] == "passed" and kept and engine.agreed,
        reasons=tuple(reasons),
        in_zoo=False,
        training=dict(trial.figures),
        hold_out=figures,
        second_engine=engine.as_dict(),
        fastexpr=_written(expression.text, "fastexpr"),
        qlib=_written(expression.text, "qlib"),
    )


def _portfolio(
    name: str, item: Combined, certificate: Mapping[str, Any], factors: Sequence[str]
) -> AcceptedPortfolio:
    return AcceptedPortfolio(
        name=name,
        kind=item.kind,
        certificate=certificate["content_hash"],
        status=certificate["body"]["decision"]["status"],
        weights=dict(zip(factors, item.weights, strict=True)),
        penalty=item.penalty,
        validate_rank_ic=_number(item.validate_rank_ic),
        hold_out=_figures(certificate),
    )


def _figures(certificate: Mapping[str, Any]) -> dict[str, float | None]:
    metrics = certificate["body"]["metrics"]
    return {name: metrics[name] for name in _FIGURES}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _written(text: str, target: DialectName) -> FormulaText:
    try:
        found = convert(text, "core", target, exact=False)
    except Refusal as refusal:
        return FormulaText(None, (), refusal.message)
    return FormulaText(found.text, tuple(str(item) for item in found.differences))
