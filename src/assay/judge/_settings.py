from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from datetime import date, datetime
from typing import Any, Literal, get_args

from assay.base import did_you_mean
from assay.config import DEFAULT_HORIZONS
from assay.errors import ConfigProblems, Problem

Fill = Literal["close", "open", "vwap"]
BookKind = Literal["decile", "top_k", "long_short", "dollar_neutral"]
AdjustmentPolicy = Literal["warn", "refuse", "off"]
Depth = Literal["full", "quick", "off"]
Direction = Literal["given", "auto"]
LotRule = Literal["fractional", "a_share"]
StampDuty = Literal["in_costs", "dated"]
Neutralize = Literal["none", "industry", "size", "industry_size"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Trading costs in basis points of the value traded, one figure for each side."""

    buy_bp: float
    sell_bp: float


class SettingProblems(ConfigProblems):
    """Settings of a judgement that cannot be used, all at once; a judgement writes nothing to mend."""

    def __init__(self, problems: Sequence[Problem], *, where: str = "judge settings") -> None:
        super().__init__(problems, where=where)
        lines = [_in_words(p) + (f" ({p.fix})" if p.fix else "") for p in self.problems]
        self.message = "\n  ".join(lines)
        self.fix = "mend the listed settings"
        if len(self.problems) == 1:
            only = self.problems[0]
            self.message = _in_words(only)
            self.fix = only.fix or "mend this setting"
        self.args = (self.message,)


def _in_words(problem: Problem) -> str:
    verb = problem.message.split(" ")[0]
    return f"{problem.where}{'' if verb in ('is', 'has', 'lacks') else ':'} {problem.message}"


COSTS: Mapping[str, Costs] = {"CN": Costs(buy_bp=5.0, sell_bp=15.0), "US": Costs(buy_bp=5.0, sell_bp=5.0)}
"""Default costs by market."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Names that the book may not buy. A filter never removes a name from IC or quantiles.

    Parameters
    ----------
    exclude_st : leave out names under special treatment.
    min_age : bars since listing; 0 for no filter.
    min_price : lowest price, unadjusted, in the panel's currency; 0 for no filter.
    min_traded_value : lowest traded value of the bar, in the panel's currency; 0 for no filter.
    """

    exclude_st: bool = False
    min_age: int = 0
    min_price: float = 0.0
    min_traded_value: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a factor must reach to pass. ``None`` leaves a criterion out.

    Parameters
    ----------
    min_days : days with a defined RankIC below which the verdict is ``undefined``.
    min_t : least absolute Newey-West t of the mean RankIC.
    min_rank_ic : least absolute mean RankIC.
    min_coverage : least mean share of the universe's names that have a value.
    stable_sign : the mean RankIC has the same sign in each sub-period.
    beyond_shuffle : the mean RankIC lies outside the band of a shuffled cross-section, and the shuffled
        signals lie inside it.
    min_late_share : least share of the mean RankIC that must remain when the signal comes one bar late.
    min_net_excess : least yearly excess return after cost.
    min_neutral_rank_ic : least absolute mean RankIC after industry and styles are taken out.
    leaks : prefix, scramble and permutation checks pass (adjustment follows the policy of the settings).
    """

    min_days: int = 60
    min_t: float | None = 3.0
    min_rank_ic: float | None = None
    min_coverage: float | None = 0.80
    stable_sign: bool = True
    beyond_shuffle: bool = True
    min_late_share: float | None = 0.25
    min_net_excess: float | None = None
    min_neutral_rank_ic: float | None = None
    leaks: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How factors are judged. Every field goes into the certificate.

    Parameters
    ----------
    horizon : bars that the judged label spans: ``price[t+1+horizon] / price[t+1] - 1``.
    horizons : horizons of the decay table; ``horizon`` is added when it is not among them.
    lag : bars between the last row that the signal of ``t`` may use and ``t``. 1 is the rule; 0 (the close of
        ``t`` is known, the trade is at ``t+1``) is printed in every table.
    fill : price at which trades are filled, and from which labels are made.
    universe : name of a membership of the panel; ``None`` for all instruments.
    period : name of a period of the workspace's plan, or ``"all"``. ``None``: ``search`` where there is a
        plan, else all dates.
    start, end : first and last date, both included; they narrow a named period. Without a name they are taken
        as given, and one that is left out is that of ``search``.
    allow_hidden : a range that meets a hidden period is refused unless this is set.
    market : ``"CN"`` or ``"US"``; ``None`` asks the panel's manifest. Gives the default costs and lot rules.
    costs : ``None`` for the market's default.
    stamp_duty : ``in_costs``: ``costs.sell_bp`` contains it; ``dated``: China's rate of the date is added.
    book : long-only top ``1/quantiles`` (``decile``), the best ``top_k`` with a buffer, long-short, or
        weights proportional to the demeaned rank (``dollar_neutral``).
    top_k, buffer : names of a ``top_k`` book; a held name stays while its place is within ``top_k + buffer``.
    max_weight : cap on one name of a long-only book.
    quantiles : number of groups of the quantile table.
    rebalance : bars between rebalances; weights drift in between.
    min_names : names that a date needs for an IC.
    newey_west_lags : ``None`` for twice the horizon.
    capital : opening capital of the book, which only the lot rules look at.
    lots : ``a_share`` buys whole lots of 100; ``fractional`` buys any number.
    benchmark : a universe whose members, equally weighted, are the benchmark; ``None`` for the judged one.
    delisting_value : share of the last price that a delisted holding is paid.
    filters : names that may not be bought.
    seed, shuffles : seed of the shuffle control, the bootstrap and the leak checks; number of shuffles.
    sub_periods : number of equal parts for the stability table.
    participation : share of a name's traded value that capacity assumes.
    bootstrap : resamples of the interval; 0 for none.
    trials : number of distinct trials that led to these factors; ``None``: unknown, and no deflated ratio.
    sharpe_variance : V[SR], the variance of the per-bar Sharpe ratios over those trials; ``None``: that of
        the batch.
    adjustment : what a factor does whose value changes with a stock's adjustment factor: a warning, a failed
        criterion (``refuse``), or nothing (``off``).
    neutralize : what is taken out of the signal, per date, before anything is made of it: the mean of its
        industry, what the log of market value explains, or both.
    neutral : compute the neutral RankIC, where the panel has the fields for it.
    direction : ``auto`` trades the factor with the sign of its mean RankIC, and says so.
    robustness, leak_checks : ``full``, ``quick`` (fewer repeats, for batches) or ``off``.
    thresholds : the decision rule.
    threads : threads of the engine; never changes a result.
    """

    horizon: int = 5
    horizons: tuple[int, ...] = DEFAULT_HORIZONS
    lag: int = 1
    fill: Fill = "close"
    universe: str | None = None
    period: str | None = None
    start: date | None = None
    end: date | None = None
    allow_hidden: bool = False
    market: str | None = None
    costs: Costs | None = None
    stamp_duty: StampDuty = "in_costs"
    book: BookKind = "decile"
    top_k: int = 30
    buffer: int = 0
    max_weight: float = 0.20
    quantiles: int = 10
    rebalance: int = 5
    min_names: int = 10
    newey_west_lags: int | None = None
    capital: float = 1e8
    lots: LotRule = "fractional"
    benchmark: str | None = None
    delisting_value: float = 1.0
    filters: Filters = field(default_factory=Filters)
    seed: int = 7
    shuffles: int = 5
    sub_periods: int = 4
    participation: float = 0.05
    bootstrap: int = 500
    trials: int | None = None
    sharpe_variance: float | None = None
    adjustment: AdjustmentPolicy = "warn"
    neutralize: Neutralize = "none"
    neutral: bool = True
    direction: Direction = "given"
    robustness: Depth = "full"
    leak_checks: Depth = "full"
    thresholds: Thresholds = field(default_factory=Thresholds)
    threads: int = 1

    def __post_init__(self) -> None:
        problems = _problems(self)
        if problems:
            raise SettingProblems(problems)

    @property
    def all_horizons(self) -> tuple[int, ...]:
        """The decay horizons and the judged one, ascending, each once."""
        return tuple(sorted({*self.horizons, self.horizon}))

    @property
    def t_lags(self) -> int:
        """Lags of the Newey-West t."""
        return 2 * self.horizon if self.newey_west_lags is None else self.newey_west_lags

    def to_dict(self) -> dict[str, Any]:
        """All settings, JSON-ready, without ``threads``, which changes no result."""
        data = asdict(self)
        del data["threads"]
        data["horizons"] = list(self.horizons)
        for key in ("start", "end"):
            day: date | None = data[key]
            data[key] = None if day is None else day.isoformat()
        return data

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> JudgeSettings:
        """Settings from plain data, as a configuration file or a command line gives them.

        Raises
        ------
        ConfigProblems
            Unknown names, wrong types or values out of range, all at once.
        """
        problems: list[Problem] = []
        arguments = _read(cls, values, "", problems)
        if problems:
            raise SettingProblems(problems)
        return cls(**arguments)


_NESTED: Mapping[str, type] = {"costs": Costs, "filters": Filters, "thresholds": Thresholds}


def _read(kind: type, values: Mapping[str, Any], prefix: str, problems: list[Problem]) -> dict[str, Any]:
    known = {item.name for item in fields(kind)}
    arguments: dict[str, Any] = {}
    for name, value in values.items():
        where = prefix + name
        if name not in known:
            near = did_you_mean(name, known)
            hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(sorted(known))}"
            problems.append(Problem(where, "is not a setting", hint))
        elif name in _NESTED and isinstance(value, Mapping):
            nested = _read(_NESTED[name], value, f"{where}.", problems)
            missing = {"buy_bp", "sell_bp"} - nested.keys() if name == "costs" else set()
            if missing:
                problems.append(Problem(where, f"lacks {' and '.join(sorted(missing))}", "give both sides"))
            else:
                arguments[name] = _NESTED[name](**nested)
        elif name in ("start", "end") and isinstance(value, str):
            arguments[name] = _day(value, where, problems)
        elif name == "horizons" and isinstance(value, (list, tuple)):
            arguments[name] = tuple(value)
        else:
            arguments[name] = value
    return arguments


def _day(text: str, where: str, problems: list[Problem]) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        problems.append(Problem(where, f"{text!r} is not a date", "write it as 2020-12-31"))
        return None


@dataclass(frozen=True, slots=True)
class _Range:
    low: float
    high: float
    whole: bool = False
    optional: bool = False


_RANGES: Mapping[str, _Range] = {
    "horizon": _Range(1, 252, whole=True),
    "lag": _Range(0, 20, whole=True),
    "top_k": _Range(1, 100_000, whole=True),
    "buffer": _Range(0, 100_000, whole=True),
    "max_weight": _Range(1e-6, 1.0),
    "quantiles": _Range(2, 100, whole=True),
    "rebalance": _Range(1, 252, whole=True),
    "min_names": _Range(3, 100_000, whole=True),
    "newey_west_lags": _Range(0, 1000, whole=True, optional=True),
    "capital": _Range(1.0, 1e15),
    "delisting_value": _Range(0.0, 1.0),
    "seed": _Range(0, 2**62, whole=True),
    "shuffles": _Range(1, 1000, whole=True),
    "sub_periods": _Range(1, 50, whole=True),
    "participation": _Range(1e-6, 1.0),
    "bootstrap": _Range(0, 100_000, whole=True),
    "trials": _Range(1, 10**12, whole=True, optional=True),
    "sharpe_variance": _Range(0.0, 1e6, optional=True),
    "threads": _Range(1, 1024, whole=True),
    "costs.buy_bp": _Range(0.0, 10_000.0),
    "costs.sell_bp": _Range(0.0, 10_000.0),
    "filters.min_age": _Range(0, 100_000, whole=True),
    "filters.min_price": _Range(0.0, 1e12),
    "filters.min_traded_value": _Range(0.0, 1e15),
    "thresholds.min_days": _Range(2, 100_000, whole=True),
    "thresholds.min_t": _Range(0.0, 1000.0, optional=True),
    "thresholds.min_rank_ic": _Range(0.0, 1.0, optional=True),
    "thresholds.min_coverage": _Range(0.0, 1.0, optional=True),
    "thresholds.min_late_share": _Range(0.0, 1.0, optional=True),
    "thresholds.min_net_excess": _Range(-10.0, 10.0, optional=True),
    "thresholds.min_neutral_rank_ic": _Range(0.0, 1.0, optional=True),
}

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "fill": get_args(Fill),
    "book": get_args(BookKind),
    "lots": get_args(LotRule),
    "stamp_duty": get_args(StampDuty),
    "adjustment": get_args(AdjustmentPolicy),
    "neutralize": get_args(Neutralize),
    "direction": get_args(Direction),
    "robustness": get_args(Depth),
    "leak_checks": get_args(Depth),
}

_SWITCHES = ("allow_hidden", "neutral", "filters.exclude_st", "thresholds.stable_sign",
             "thresholds.beyond_shuffle", "thresholds.leaks")  # fmt: skip


def _problems(settings: JudgeSettings) -> list[Problem]:
    found: list[Problem] = []
    for name, kind in _NESTED.items():
        value = getattr(settings, name)
        if not isinstance(value, kind) and not (name == "costs" and value is None):
            found.append(Problem(name, f"is {value!r}", f"give a {kind.__name__}"))
    broken = {problem.where for problem in found}
    for name, limits in _RANGES.items():
        if name.split(".")[0] not in broken:
            found += _out_of_range(name, _get(settings, name), limits)
    for name, choices in _CHOICES.items():
        if (value := getattr(settings, name)) not in choices:
            near = did_you_mean(str(value), choices)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join(choices)}"
            found.append(Problem(name, f"is {value!r}", hint))
    for name in _SWITCHES:
        if name.split(".")[0] not in broken and not isinstance(_get(settings, name), bool):
            found.append(Problem(name, f"is {_get(settings, name)!r}", "use true or false"))
    if settings.market is not None and settings.market not in COSTS:
        found.append(Problem("market", f"is {settings.market!r}", f"use {' or '.join(COSTS)}, or give costs"))
    found += _horizon_problems(settings.horizons)
    days = [name for name in ("start", "end") if not _is_day(getattr(settings, name))]
    found += [Problem(name, f"is {getattr(settings, name)!r}", "write it as 2020-12-31") for name in days]
    for name in ("universe", "period", "benchmark"):
        value = getattr(settings, name)
        if value is not None and not (isinstance(value, str) and value.strip()):
            found.append(Problem(name, f"is {value!r}", "give a name"))
    if not days and settings.start is not None and settings.end is not None and settings.start > settings.end:
        found.append(Problem("start", f"{settings.start} is after the end, {settings.end}", "swap them"))
    return found


def _is_day(value: Any) -> bool:
    # a datetime is a date to Python, and cannot be compared with one
    return value is None or (isinstance(value, date) and not isinstance(value, datetime))


def _get(settings: JudgeSettings, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part) if is_dataclass(value) else None
    return value


def _out_of_range(name: str, value: Any, limits: _Range) -> list[Problem]:
    if value is None and (limits.optional or name.startswith("costs.")):
        return []
    number = isinstance(value, int if limits.whole else (int, float)) and not isinstance(value, bool)
    if number and limits.low <= value <= limits.high:
        return []
    noun = "a whole number" if limits.whole else "a number"
    return [Problem(name, f"is {value!r}", f"give {noun} from {limits.low:g} to {limits.high:g}")]


def _horizon_problems(horizons: Any) -> list[Problem]:
    if not isinstance(horizons, tuple):
        return [Problem("horizons", f"is {horizons!r}", "give a tuple of whole numbers")]
    bad = [h for h in horizons if isinstance(h, bool) or not isinstance(h, int) or not 1 <= h <= 252]
    if not bad:
        return []
    more = f" and {len(bad) - 1} more like it" if len(bad) > 1 else ""
    return [Problem("horizons", f"has {bad[0]!r}{more}", "give whole numbers from 1 to 252")]
