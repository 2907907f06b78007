from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from types import TracebackType
from typing import Self

from assay.config import LlmLimits, Price
from assay.errors import Reason, Refusal
from assay.llm._log import CallRecord
from assay.llm._reasons import CALL_BUDGET_EXHAUSTED, MONEY_BUDGET_EXHAUSTED, TOKEN_BUDGET_EXHAUSTED
from assay.llm._tokens import estimate_tokens, longest_output
from assay.llm._types import Request, Usage

_MILLION = Decimal(1_000_000)
_SMALLEST = Decimal("1e-9")
_WIDE = Context(prec=100)  # room for the price of a plan that nobody could pay


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls took. Money is exact, so that a sum does not depend on the order of the calls."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: Decimal = Decimal(0)

    def plus(self, other: Spent, sign: int = 1) -> Spent:
        return Spent(
            self.calls + sign * other.calls,
            self.input_tokens + sign * other.input_tokens,
            self.output_tokens + sign * other.output_tokens,
            self.money + sign * other.money,
        )


def cost_of(usage: Usage, price: Price) -> Decimal:
    """Money for one call, to the billionth."""
    fresh = max(usage.input - usage.cached, 0)
    parts = ((fresh, price.input), (usage.cached, price.cached), (usage.output, price.output))
    total = sum((tokens * Decimal(repr(per_million)) for tokens, per_million in parts), Decimal(0))
    return (total / _MILLION).quantize(_SMALLEST, ROUND_HALF_EVEN, _WIDE)


class Budget:
    """Hard limits on what the calls of one run take.

    Each call reserves what it could take at most before it is made: its input as estimated, its longest
    output, and the money for both. Calls side by side are counted together, so they cannot overspend
    together; only an input that was estimated too low can go over. Attempts count as calls; an attempt that
    failed counts no tokens.
    """

    def __init__(self, limits: LlmLimits | None = None, prices: Mapping[str, Price] | None = None) -> None:
        self.limits = limits or LlmLimits()
        self._prices = dict(prices or {})
        self._spent = Spent()
        self._reserved = Spent()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """What the calls so far took."""
        return self._spent

    def restore(self, calls: Iterable[CallRecord]) -> None:
        """Counts calls that the run made before. What was paid stays paid, whatever the price table says."""
        for call in calls:
            money = Decimal(repr(call.cost)) if call.cost is not None else Decimal(0)
            took = Spent(call.attempts, call.usage.input, call.usage.output, money)
            with self._lock:
                self._spent = self._spent.plus(took)

    def cost(self, model: str, usage: Usage) -> float | None:
        """Money that a call of ``model`` costs; None without a price."""
        price = self._prices.get(model)
        return None if price is None else float(cost_of(usage, price))

    def reserve(self, request: Request) -> Reservation:
        """Room for one call, to be used as a context manager.

        Raises
        ------
        Refusal
            ``call_budget_exhausted``, ``token_budget_exhausted``, ``money_budget_exhausted``: there is no
            room.
        """
        tokens = Usage(estimate_tokens(request), longest_output(request.parameters))
        wanted = Spent(1, tokens.input, tokens.output, self._money(request.model, tokens))
        self._take(wanted)
        return Reservation(self, wanted, request.model)

    def _money(self, model: str, usage: Usage) -> Decimal:
        price = self._prices.get(model)
        if price is not None:
            return cost_of(usage, price)
        if self.limits.money is None:
            return Decimal(0)
        raise Refusal(
            MONEY_BUDGET_EXHAUSTED,
            f"the model {model!r} has no price, so a money budget cannot hold",
            where="llm.prices",
            fix=f'add [llm.prices."{model}"] to assay.toml; prices of 0 are fine for a local model',
            details={"model": model},
        )

    def _take(self, wanted: Spent) -> None:
        with self._lock:
            in_flight = self._reserved.plus(wanted)
            self._check(wanted, self._spent.plus(in_flight))
            self._reserved = in_flight

    def _check(self, wanted: Spent, total: Spent) -> None:
        limits = self.limits
        named: tuple[tuple[str, Reason], ...] = (
            ("calls", CALL_BUDGET_EXHAUSTED),
            ("input_tokens", TOKEN_BUDGET_EXHAUSTED),
            ("output_tokens", TOKEN_BUDGET_EXHAUSTED),
            ("money", MONEY_BUDGET_EXHAUSTED),
        )
        for name, reason in named:
            limit = getattr(limits, name)
            asked, needed = getattr(wanted, name), getattr(total, name)
            if limit is None or not asked or needed <= Decimal(repr(limit)):
                continue
            words = name.replace("_", " ")
            raise Refusal(
                reason,
                f"the budget is {_figure(limit)} {words}; {_figure(needed - asked)} are spent or in use, "
                f"and the next call may take {_figure(asked)}",
                where=f"llm.budget.{name}",
                details={"limit": limit, "used": float(needed - asked), "wanted": float(asked)},
            )

    def _settle(self, reserved: Spent, took: Spent) -> None:
        with self._lock:
            self._reserved = self._reserved.plus(reserved, -1)
            self._spent = self._spent.plus(took)


class Reservation:
    """Room that a call holds in a budget until its context ends; what is not spent by then is given
    back."""

    def __init__(self, budget: Budget, reserved: Spent, model: str) -> None:
        self._budget = budget
        self._reserved = reserved
        self._took = Spent(calls=1)
        self._model = model

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._budget._settle(self._reserved, self._took)

    @property
    def attempts(self) -> int:
        """How often the service was asked, or is about to be."""
        return self._took.calls

    def another_attempt(self) -> bool:
        """Whether there is room for one attempt more; if so, it is taken."""
        one = Spent(calls=1)
        try:
            self._budget._take(one)
        except Refusal:
            return False
        self._reserved = self._reserved.plus(one)
        self._took = self._took.plus(one)
        return True

    def spend(self, usage: Usage) -> float | None:
        """Counts the tokens of the reply; what they cost, None without a price."""
        cost = self._budget.cost(self._model, usage)
        money = Decimal(repr(cost)) if cost is not None else Decimal(0)
        self._took = Spent(self._took.calls, usage.input, usage.output, money)
        return cost

    def repeat(self, call: CallRecord) -> None:
        """Counts a recorded call as it was."""
        money = Decimal(repr(call.cost)) if call.cost is not None else Decimal(0)
        self._took = Spent(call.attempts, call.usage.input, call.usage.output, money)


def _figure(amount: Decimal | float) -> str:
    """A count, or money without an exponent and without zeros at its end."""
    text = f"{Decimal(str(amount)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True, slots=True)
class Planned:
    """Calls that a run is going to make: how many, and the tokens of each."""

    role: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What planned calls take in all, before one is made.

    ``money`` is None where a model has no price; ``unpriced`` names those models, ``exceeded`` the limits
    that the plan would break.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    unpriced: tuple[str, ...]
    exceeded: tuple[str, ...]


def estimate(
    planned: Iterable[Planned], *, limits: LlmLimits | None = None, prices: Mapping[str, Price] | None = None
) -> Estimate:
    """What a run is going to take, for a person to agree to."""
    planned, prices, limits = tuple(planned), prices or {}, limits or LlmLimits()
    total = Spent()
    for part in planned:
        usage = Usage(part.calls * part.input_tokens, part.calls * part.output_tokens)
        money = cost_of(usage, prices[part.model]) if part.model in prices else Decimal(0)
        total = total.plus(Spent(part.calls, usage.input, usage.output, money))
    unpriced = tuple(sorted({part.model for part in planned if part.model not in prices}))
    names = ("calls", "input_tokens", "output_tokens", "money")
    over = [
        name
        for name in names
        if getattr(limits, name) is not None and getattr(total, name) > Decimal(repr(getattr(limits, name)))
    ]
    money_known = None if unpriced else float(total.money)
    return Estimate(total.calls, total.input_tokens, total.output_tokens, money_known, unpriced, tuple(over))
