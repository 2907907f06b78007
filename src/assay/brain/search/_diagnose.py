"""What is wrong with a result, as named findings, and which mutations may help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from assay.brain._limits import TURNOVER_FLOOR, Limits, limits
from assay.brain._result import JobResult
from assay.brain._wire import Check, Recordset, Stats
from assay.expr import FieldInfo, check

FindingName = Literal[
    "expression_error",
    "simulation_error",
    "no_figures",
    "wrong_sign",
    "high_turnover",
    "low_turnover",
    "too_few_names",
    "concentrated",
    "sub_universe",
    "self_correlated",
    "unstable",
    "low_sharpe",
    "low_fitness",
]
Severity = Literal["fail", "warn"]

MIN_NAMES: Final = 20
"""Fewer names on a side than this is pointed out; the platform does not publish its own count."""
_NEAR: Final = 0.85
_UNSTABLE_SHARE: Final = 0.4

RULES: Final[Mapping[FindingName, tuple[str, ...]]] = {
    "expression_error": (),
    "simulation_error": ("unwrap", "shorter"),
    "no_figures": ("backfill", "nan_handling", "unwrap"),
    "wrong_sign": ("flip",),
    "high_turnover": (
        "decay_up", "ts_decay_linear", "ts_mean", "longer", "hump", "trade_when", "ts_rank_for_mean",
    ),
    "low_turnover": ("shorter", "decay_down", "ts_delta", "ts_zscore", "ts_zscore_for_mean"),
    "too_few_names": ("backfill", "nan_handling", "unwrap", "universe"),
    "concentrated": ("rank", "truncation", "winsorize", "zscore", "group_rank"),
    "sub_universe": ("group_rank", "size_neutral", "rank", "neutralization", "group_neutralize"),
    "self_correlated": ("combine", "neutralization", "group_neutralize", "window", "random"),
    "unstable": ("risk_scale", "group_neutralize", "longer", "combine", "neutralization"),
    "low_sharpe": (
        "neutralization", "group_neutralize", "ts_rank_for_mean", "ts_zscore_for_mean", "ts_zscore", "rank",
        "group_rank", "window", "risk_scale", "combine", "log", "random",
    ),
    "low_fitness": (
        "decay_up", "ts_decay_linear", "longer", "rank", "group_neutralize", "trade_when", "hump",
    ),
}  # fmt: skip
"""Mutation rules by finding, the likeliest first."""

_OF_CHECK: Final[Mapping[str, FindingName]] = {
    "LOW_SHARPE": "low_sharpe",
    "LOW_FITNESS": "low_fitness",
    "LOW_TURNOVER": "low_turnover",
    "HIGH_TURNOVER": "high_turnover",
    "CONCENTRATED_WEIGHT": "concentrated",
    "LOW_SUB_UNIVERSE_SHARPE": "sub_universe",
    "LOW_ROBUST_UNIVERSE_SHARPE": "sub_universe",
    "LOW_ROBUST_UNIVERSE_SHARPE.WITH_RATIO": "sub_universe",
    "SELF_CORRELATION": "self_correlated",
    "PROD_CORRELATION": "self_correlated",
    "POWER_POOL_CORRELATION": "self_correlated",
    "LOW_2Y_SHARPE": "unstable",
    "IS_LADDER_SHARPE": "unstable",
}
_OF_SIGN: Final = frozenset({"low_sharpe", "low_fitness", "sub_universe", "unstable"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or nearly so (``warn``).

    ``value`` and ``limit`` are those of the figure; ``rules`` the mutations that may help, likeliest first.
    """

    name: FindingName
    severity: Severity
    message: str
    value: float | None = None
    limit: float | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        return RULES[self.name]


Commentator = Callable[[JobResult, Sequence[Finding]], str]
"""A model that says in words what it makes of a result."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings, the worst first, and what a model had to say, if one was asked."""

    findings: tuple[Finding, ...]
    comment: str = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """All rules that the findings suggest, each once."""
        return tuple(dict.fromkeys(rule for finding in self.findings for rule in finding.rules))


def diagnose(
    result: JobResult,
    *,
    bounds: Limits | None = None,
    yearly: Recordset | None = None,
    fields: Mapping[str, FieldInfo] | None = None,
    comment: Commentator | None = None,
) -> Diagnosis:
    """What is wrong with a result.

    Parameters
    ----------
    bounds : what an alpha has to reach; by default a user's at the delay of the request.
    yearly : the record set ``yearly-stats``, for findings of stability.
    fields : fields of the platform, for the cause of a failure.
    comment : asked for its words after the findings are there.
    """
    if result.status == "failed":
        findings: list[Finding] = [_failure(result, fields)]
    elif result.stats is None or result.stats.sharpe is None:
        findings = [Finding("no_figures", "fail", "the alpha has no Sharpe ratio: it holds no positions")]
    else:
        known = bounds or limits("user", result.proposal.request.settings.delay)
        figures = _of_figures(result.stats, known)
        turned = any(f.name == "wrong_sign" and f.severity == "fail" for f in figures)
        findings = [*figures, *_of_checks(result.checks, turned=turned), *_of_years(yearly)]
    unique = _worst_of_each(findings)
    return Diagnosis(unique, "" if comment is None else comment(result, unique))


def _failure(result: JobResult, fields: Mapping[str, FieldInfo] | None) -> Finding:
    """The cause of a failure by the local checks; the platform's words are passed on, not read."""
    words = "" if result.failure is None else result.failure.message
    found = check(result.proposal.request.regular, "fastexpr", fields=fields)
    if found.error is None:
        return Finding("simulation_error", "fail", words or "the platform gave no reason")
    near = f"; perhaps {', '.join(found.error.suggestions)}" if found.error.suggestions else ""
    return Finding("expression_error", "fail", f"{words or found.error.message}{near}")


def _of_figures(stats: Stats, bounds: Limits) -> list[Finding]:
    """Where the sign alone is wrong, the figures are judged as those of the expression with the other one."""
    found: list[Finding] = []
    sharpe, fitness, turnover = stats.sharpe or 0.0, stats.fitness, stats.turnover
    if sharpe < 0:
        found.append(_sign(sharpe, bounds))
        if found[0].severity == "fail":
            sharpe, fitness = -sharpe, None if fitness is None else abs(fitness)
    if turnover is not None:
        found += _of_turnover(turnover, bounds)
    if sharpe < bounds.sharpe:
        found.append(_below("low_sharpe", "Sharpe", sharpe, bounds.sharpe))
    if fitness is not None and fitness < bounds.fitness:
        found.append(_below("low_fitness", "fitness", fitness, bounds.fitness))
        if turnover is not None and turnover > TURNOVER_FLOOR and sharpe >= bounds.sharpe:
            message = f"fitness is divided by turnover above {TURNOVER_FLOOR:.1%}, and it is {turnover:.1%}"
            found.append(Finding("high_turnover", "warn", message, turnover, TURNOVER_FLOOR))
    names = [count for count in (stats.long_count, stats.short_count) if count is not None]
    if names and min(names) < MIN_NAMES:
        message = f"{stats.long_count} names long and {stats.short_count} short"
        found.append(Finding("too_few_names", "warn", message, float(min(names)), MIN_NAMES))
    return found


def _sign(sharpe: float, bounds: Limits) -> Finding:
    strong = -sharpe >= bounds.sharpe
    said = "good enough with the other sign" if strong else "the sign may be the wrong one"
    return Finding("wrong_sign", "fail" if strong else "warn", f"Sharpe {sharpe:.2f}: {said}", sharpe, 0.0)


def _of_turnover(turnover: float, bounds: Limits) -> list[Finding]:
    if turnover > bounds.max_turnover:
        message = f"turnover {turnover:.1%} is above {bounds.max_turnover:.0%}"
        return [Finding("high_turnover", "fail", message, turnover, bounds.max_turnover)]
    if turnover > _NEAR * bounds.max_turnover:
        message = f"turnover {turnover:.1%} is near {bounds.max_turnover:.0%}"
        return [Finding("high_turnover", "warn", message, turnover, bounds.max_turnover)]
    if turnover < bounds.min_turnover:
        return [_below("low_turnover", "turnover", turnover, bounds.min_turnover)]
    return []


def _below(name: FindingName, what: str, value: float, limit: float) -> Finding:
    return Finding(name, "fail", f"{what} {value:.4g} is below {limit:.4g}", value, limit)


def _of_checks(checks: Sequence[Check], *, turned: bool) -> list[Finding]:
    """Checks of a Sharpe ratio say nothing where only its sign is wrong (``turned``)."""
    found = []
    for item in checks:
        name = _OF_CHECK.get(item.name)
        if name is None or item.result not in ("FAIL", "ERROR", "WARNING"):
            continue
        if turned and name in _OF_SIGN:
            continue
        severity: Severity = "warn" if item.result == "WARNING" else "fail"
        found.append(Finding(name, severity, _said(item), item.value, item.limit))
    return found


def _said(item: Check) -> str:
    value = "" if item.value is None else f" {item.value:.4g}"
    limit = "" if item.limit is None else f" (limit {item.limit:.4g})"
    return f"{item.name}{value}{limit}"


def _of_years(yearly: Recordset | None) -> list[Finding]:
    """Unstable: in too many of at least three years the sign is not that of most."""
    sharpes = [] if yearly is None else _column(yearly, "sharpe")
    if len(sharpes) < 3:
        return []
    losing = min(sum(s < 0 for s in sharpes), sum(s > 0 for s in sharpes))
    if losing / len(sharpes) < _UNSTABLE_SHARE:
        return []
    message = f"in {losing} of {len(sharpes)} years the sign is another"
    return [Finding("unstable", "warn", message, losing / len(sharpes), _UNSTABLE_SHARE)]


def _column(records: Recordset, name: str) -> list[float]:
    place = next((i for i, column in enumerate(records.columns) if column.name == name), None)
    if place is None:
        return []
    return [float(row[place]) for row in records.records if row[place] is not None]


def _worst_of_each(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """One finding a name: a failed one before a warning; then in the order of the vocabulary."""
    best: dict[FindingName, Finding] = {}
    for finding in sorted(findings, key=lambda item: item.severity != "fail"):
        best.setdefault(finding.name, finding)
    order = list(RULES)
    return tuple(sorted(best.values(), key=lambda f: (f.severity != "fail", order.index(f.name))))
