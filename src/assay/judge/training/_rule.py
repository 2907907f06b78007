"""What admission asks of a candidate, and the one place of its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import Any, Final, Literal

from assay.errors import Problem
from assay.judge._settings import SettingProblems

Deflation = Literal["haircut", "dsr"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionRule:
    """What a candidate must reach on the training segment. ``None`` leaves a check out.

    ================== ======== ======================================================================
    threshold          default  of
    ================== ======== ======================================================================
    min_days           0.50     share of the segment's dates with a RankIC
    min_coverage       0.80     mean share of the members with a value
    min_t              3.0      absolute Newey-West t of the mean RankIC
    min_payoff_t       3.0      Newey-West t of the mean payoff, in the RankIC's direction
    max_value_corr     0.70     largest absolute rank correlation of values with a member of the pool
    max_ic_corr        0.80     largest absolute correlation of daily RankICs with a member of the pool
    min_residual_ic    0.005    mean RankIC, in the candidate's direction, that the pool leaves over
    max_turnover       45       one-way turnover a year of the book
    min_break_even_bp  10       cost of a unit traded at which the book's gross excess return is used up
    max_adjusted_p     0.05     p of RankIC and payoff (``haircut``), or 1 - DSR (``dsr``), after N trials
    min_rank_ic        None     absolute mean RankIC
    min_neutral_ic     None     absolute mean neutral RankIC
    ================== ======== ======================================================================

    Parameters
    ----------
    residual_members : how many members of the pool, those with the largest absolute correlation of RankICs,
        the residual is taken against; more would fit noise.
    deflation : ``haircut``: the p of RankIC and payoff becomes ``1 - (1 - p)**N``, the chance that the best
        of N independent worthless trials shows as much (Sidak; Harvey and Liu 2015). Every trial has it, and
        RankIC is what was searched by. ``dsr``: 1 minus the deflated Sharpe ratio of the book's net excess
        return (Bailey and Lopez de Prado 2014), by N and V[SR].
    least_n : trials that the deflation counts at least. A search decides as it goes: the first of a hundred
        trials would be held to p 0.05 and the tenth to 0.005, and all hundred together would admit
        ``0.05 (1 + 1/2 + ... + 1/100) = 0.26`` factors by chance. With 100 it is 0.05 for these hundred, and
        ``0.05 (1 + log(N / 100))`` after N.

    Notes
    -----
    Why a payoff. Returns are skewed, and the more volatile a stock, the further its median lies below its
    mean. So ranks of volatility foretell ranks of returns although no portfolio earns by it: a RankIC that is
    told from zero is no proof of skill. The payoff is the return, over the label, of the portfolio that
    weighs names by their ranks; where nothing foretells returns its mean is zero whatever their
    distribution. A candidate must show both, in one direction; the larger of the two p-values is the one that
    counts (the intersection-union test, Berger 1982: at its level without a correction).

    Why not the normal distribution. Labels overlap and segments are short: see :func:`newey_west_p`.
    """

    min_days: float | None = 0.50
    min_coverage: float | None = 0.80
    min_t: float | None = 3.0
    min_payoff_t: float | None = 3.0
    max_value_corr: float | None = 0.70
    max_ic_corr: float | None = 0.80
    min_residual_ic: float | None = 0.005
    max_turnover: float | None = 45.0
    min_break_even_bp: float | None = 10.0
    max_adjusted_p: float | None = 0.05
    min_rank_ic: float | None = None
    min_neutral_ic: float | None = None
    residual_members: int = 10
    deflation: Deflation = "haircut"
    least_n: int = 100

    def __post_init__(self) -> None:
        found = [
            Problem(
                name,
                f"is {getattr(self, name)!r}",
                f"give a number from {low:g} to {high:g}, or leave it out",
            )
            for name, (low, high) in _RANGES.items()
            if not _within(getattr(self, name), low, high)
        ]
        for name, most in (("residual_members", 100), ("least_n", 1_000_000)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                found.append(Problem(name, f"is {value!r}", f"give a whole number from 1 to {most}"))
        if self.deflation not in ("haircut", "dsr"):
            found.append(Problem("deflation", f"is {self.deflation!r}", "use haircut or dsr"))
        if found:
            raise SettingProblems(found, where="admission")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all settings."""
        return tuple(item.name for item in fields(cls))


_RANGES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "min_days": (0.0, 1.0),
        "min_coverage": (0.0, 1.0),
        "min_t": (0.0, 1000.0),
        "min_payoff_t": (0.0, 1000.0),
        "max_value_corr": (0.0, 1.0),
        "max_ic_corr": (0.0, 1.0),
        "min_residual_ic": (0.0, 1.0),
        "max_turnover": (0.0, 1e6),
        "min_break_even_bp": (-1e6, 1e6),
        "max_adjusted_p": (0.0, 1.0),
        "min_rank_ic": (0.0, 1.0),
        "min_neutral_ic": (0.0, 1.0),
    }
)


def _within(value: object, low: float, high: float) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and low <= value <= high)  # type: ignore[operator]
