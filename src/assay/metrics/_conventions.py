from __future__ import annotations

from dataclasses import dataclass

MIN_NAMES = 10
"""Names a date needs for a defined IC."""

ADMISSION_MIN_NAMES = 30
"""Names a date needs for an IC that counts towards admission."""

PERIODS_PER_YEAR = 252
"""Trading days in a year, for annualising."""

UNDEFINED_TOLERANCE = 1e-12
"""A standard deviation of at most this times ``max(1, |mean|)`` makes a ratio undefined."""

DDOF = 1
"""Degrees of freedom of the standard deviations behind ICIR, IR and volatility."""

NEWEY_WEST_LAGS = 10
"""Default lags of the Newey-West t statistic."""

QUANTILES = 10
"""Default number of quantiles; the last one holds the highest signals."""

WEIGHT_CAP = 0.20
"""Largest weight of one name in a long-only book."""

ENTRY = 1
"""Rows between a signal and the bar at whose close it is traded."""

STYLE_WINDOW = 20
"""Bars of the volatility, traded value and return in the neutral RankIC."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Proportional costs of a purchase and a sale, in basis points of the traded value."""

    buy_bp: float
    sell_bp: float

    @property
    def buy(self) -> float:
        """Cost of buying one unit of value."""
        return self.buy_bp / 1e4

    @property
    def sell(self) -> float:
        """Cost of selling one unit of value."""
        return self.sell_bp / 1e4


COSTS_CN = Costs(5.0, 15.0)
COSTS_US = Costs(5.0, 5.0)


@dataclass(frozen=True, slots=True)
class Convention:
    """One row of the table of numeric conventions."""

    point: str
    rule: str


def conventions() -> tuple[Convention, ...]:
    """The numeric conventions; the table in the documentation is this one."""
    return (
        Convention(
            "missing",
            "NaN means missing; ±inf becomes NaN at the node that made it; nothing is forward-filled; "
            "missing is not zero",
        ),
        Convention(
            "lookbacks",
            "strict: the first value at row w-1, any NaN inside gives NaN; platforms that differ map to "
            "explicit variants of the op",
        ),
        Convention(
            "std, zscore",
            "ddof 0 in `core` and `report`; ddof 1 in `qlib`; op by op, as its examples show, in `fastexpr`",
        ),
        Convention("rank", "average ties, r/n in (0, 1]; `fastexpr`: (r-1)/(n-1)"),
        Convention(
            "ts_rank, argmax",
            "average ties, r/w; argmax = bars since the maximum, the latest wins a tie",
        ),
        Convention(
            "correlation",
            "NaN where either side is constant; never outside [-1, 1]; exact where O(1) updates lose digits",
        ),
        Convention("division, log", "x/0 and log(x<=0) are NaN; no protected values"),
        Convention(
            "float",
            "float32 storage, float64 accumulation; rank and quantile sums are exact integers",
        ),
        Convention(
            "timing",
            f"the signal of t uses rows <= t-1 (lag 1) and trades at the close of t+{ENTRY}; "
            f"label h is close[t+{ENTRY}+h]/close[t+{ENTRY}]-1, adjusted; `lag=0` (close of t known) is "
            "a named option, printed in every table",
        ),
        Convention(
            "label",
            "missing where either price is missing or after delisting; rows are never filtered by label",
        ),
        Convention(
            "trading",
            "no price: no trade and no label; limit-up blocks buys, limit-down blocks sells; a suspended "
            "holding stays at its last price; a delisted holding closes at a stated value; A-share options: "
            "T+1, 100-share lots, dated stamp duty",
        ),
        Convention("membership", "by date; overlapping spans refused; nothing used after its `known until`"),
        Convention(
            "IC",
            f"Pearson, and Spearman as Pearson of average ranks, per date over at least {MIN_NAMES} names "
            f"({ADMISSION_MIN_NAMES} for admission); undefined days are dropped and counted, never zero",
        ),
        Convention(
            "neutral RankIC",
            "per date, ranks regressed on industry dummies and the ranks of "
            f"{STYLE_WINDOW}-bar volatility, traded value and return; RankIC of the residual",
        ),
        Convention(
            "ICIR, IR",
            f"ICIR = mean/std of the daily IC; IR = annualised mean/std of excess return; ddof {DDOF}, "
            f"{PERIODS_PER_YEAR} days",
        ),
        Convention("t statistic", f"Newey-West with Bartlett weights, {NEWEY_WEST_LAGS} lags unless stated"),
        Convention(
            "quantiles",
            f"{QUANTILES}, equal split of average ranks: quantile = ceil(Q·r/n); equal values stay "
            "together; an empty quantile is NaN",
        ),
        Convention(
            "long-only book",
            f"equal weights in the top quantile, at most {WEIGHT_CAP:.0%} a name, the rest cash; "
            "weights drift between rebalances",
        ),
        Convention(
            "undefined",
            f"std <= {UNDEFINED_TOLERANCE:g}·max(1, |mean|) is undefined (NaN) and can never be admitted",
        ),
        Convention("drawdown", "NAV starts at 1 before the first return"),
        Convention(
            "costs",
            f"CN {COSTS_CN.buy_bp:g} bp of purchases and {COSTS_CN.sell_bp:g} bp of sales, "
            f"US {COSTS_US.buy_bp:g}/{COSTS_US.sell_bp:g}; net = gross - cost exactly; "
            "a day without trades costs nothing",
        ),
        Convention(
            "PSR, DSR",
            "raw (not excess) kurtosis, biased moments, root n-1; N and V[SR] are arguments and printed; "
            "without N there is no DSR",
        ),
        Convention(
            "`fastexpr` where public sources conflict",
            "a published numeric example beats text; each choice is a note in the op table",
        ),
    )


def conventions_table() -> str:
    """The conventions as a Markdown table."""
    lines = ["| point | rule |", "|---|---|"]
    lines += [f"| {row.point} | {row.rule.replace('|', chr(92) + '|')} |" for row in conventions()]
    return "\n".join(lines) + "\n"
