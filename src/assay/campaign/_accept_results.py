"""What the certificates and the second engine say of the factors and portfolios of a campaign."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.campaign._accept_types import AcceptedFactor, AcceptedPortfolio, FormulaText, Overfit
from assay.campaign._combine import Combined
from assay.campaign._second_engine import SecondEngine
from assay.campaign._types import TrialRecord
from assay.errors import Refusal
from assay.expr import DialectName, Expression, convert, parse
from assay.ledger import Run, Scope

_BLOCKS: Final = 16
_FIGURES: Final = (
    "rank_ic", "neutral_rank_ic", "t", "rank_icir", "net_excess", "ir", "turnover", "break_even_bp",
    "coverage", "days",
)  # fmt: skip


def oriented(trial: TrialRecord, fields: Mapping[str, Any]) -> Expression:
    """The formula of an admitted trial with the sign that it had in training: high is bought."""
    assert trial.candidate is not None  # an admitted trial has one
    text = trial.candidate.expression
    return parse(text if _direction(trial) > 0 else f"-({text})", fields=fields)


def _direction(trial: TrialRecord) -> int:
    return 1 if (trial.figures.get("rank_ic") or 0.0) >= 0 else -1


def factor_result(
    name: str,
    trial: TrialRecord,
    expression: Expression,
    certificate: Mapping[str, Any],
    engine: SecondEngine,
) -> AcceptedFactor:
    """One factor on the hold-out; whether it joins the zoo is decided later."""
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


def portfolio_result(
    name: str, item: Combined, certificate: Mapping[str, Any], factors: Sequence[str]
) -> AcceptedPortfolio:
    """One portfolio on the hold-out."""
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
