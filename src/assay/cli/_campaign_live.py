"""How a campaign goes, told as it goes: a live view on a terminal, a line for each round elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.cli._output import console, printable
from assay.cli._progress import note

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from assay.campaign import CampaignConfig, CampaignReport, Funnel

_STAGES: Final = {
    "memory": "memory",
    "quota": "plan",
    "plan": "propose",
    "gate": "gate",
    "review": "review",
    "evaluation": "admission",
}
"""What goes on after an event."""


@dataclass
class Counts:
    """Slots of a round, or of all rounds, by how far they came."""

    slots: int = 0
    gated: int = 0
    scored: int = 0
    admitted: int = 0

    def add(self, other: Counts) -> None:
        """Count the slots of a round that is done."""
        self.slots += other.slots
        self.gated += other.gated
        self.scored += other.scored
        self.admitted += other.admitted

    @classmethod
    def of(cls, funnel: Funnel) -> Counts:
        """Of rounds that were recorded before."""
        return cls(funnel.slots, funnel.gated, funnel.evaluated, funnel.admitted)


@dataclass
class Progress:
    """Where a campaign stands, from what it tells.

    Parameters
    ----------
    max_rounds, max_trials : its limits; None: it has none of that kind.
    total, now : slots of the rounds that are done, and of the one that goes on.
    clock : seconds that only go on.
    """

    max_rounds: int | None
    max_trials: int | None
    clock: Callable[[], float] = time.monotonic
    total: Counts = field(default_factory=Counts)
    now: Counts = field(default_factory=Counts)
    rounds: int = 0
    round: int = 0
    stage: str = "start"
    best: str = ""
    best_t: float = 0.0
    best_rank_ic: float | None = None
    n: int | None = None
    tokens: int = 0
    money: float = 0.0
    calls: int = 0
    unpriced: int = 0
    _begun: float = field(init=False)
    _done: int = field(default=0, init=False)
    _scored: int = field(default=0, init=False)
    _passed: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._begun = self.clock()

    @classmethod
    def of(cls, config: CampaignConfig, before: CampaignReport | None = None) -> Progress:
        """At a start; with what was recorded ``before``, at a resume."""
        made = cls(config.stop.max_rounds, config.stop.max_trials)
        if before is not None:
            made.total = Counts.of(before.funnel)
            made.rounds = sum(not row.dropped for row in before.rounds)
            made.n, made.tokens, made.money = before.n, before.tokens, before.money
            made.calls = sum(cost.calls for cost in before.costs)
            made.unpriced = sum(cost.unpriced for cost in before.costs)
            if before.best is not None:
                made._better(before.best.id, before.best.figures)
        return made

    def tell(self, event: str, data: Mapping[str, Any]) -> None:
        """Take in one event of the run."""
        self.stage = _STAGES.get(event, self.stage)
        if event == "quota":
            self.round, self.now, self._passed = data["round"], Counts(sum(data["quota"].values())), set()
        elif event == "gate":
            (self._passed.add if data["passed"] else self._passed.discard)(data["slot"])
            self.now.gated = len(self._passed)
        elif event == "evaluation":
            self.now.scored += 1
            self._better(data["trial"], data["figures"])
        elif event == "admission":
            self.now.admitted += data["admitted"]
        elif event == "llm_call":
            self.calls += 1
            self.tokens += data["input"] + data["output"]
            self.money += data["cost"] or 0.0
            self.unpriced += data["cost"] is None and data["ok"]
        elif event == "round":
            self.total.add(self.now)
            self.rounds, self._done = self.rounds + 1, self._done + 1
            self._scored += self.now.scored
            self.n = data["n"] if data["n"] is not None else self.n
            self.stage = "recorded"

    def _better(self, trial: str, figures: Mapping[str, float | None]) -> None:
        value = figures.get("t")
        if value is not None and abs(value) > self.best_t:
            self.best, self.best_t, self.best_rank_ic = trial, abs(value), figures.get("rank_ic")

    @property
    def elapsed(self) -> float:
        """Seconds since this start."""
        return self.clock() - self._begun

    @property
    def left(self) -> float | None:
        """Seconds to the nearest of its limits at the pace so far; None where that cannot be said."""
        shares = []
        if self.max_rounds is not None and self._done:
            shares.append((self.max_rounds - self.rounds) / self._done)
        if self.max_trials is not None and self._scored:
            shares.append((self.max_trials - self.total.scored) / self._scored)
        return max(min(shares), 0.0) * self.elapsed if shares else None

    def line(self) -> str:
        """One line about the round that is done."""
        of = f"/{self.max_rounds}" if self.max_rounds is not None else ""
        now = self.now
        parts = [
            f"round {self.round}{of}",
            f"slots {now.slots}, past the gate {now.gated}, scored {now.scored}, admitted {now.admitted}",
            f"zoo {self.total.admitted}",
            f"N {'unknown' if self.n is None else self.n}",
            f"best {self.best_text()}",
        ]
        if self.calls:
            parts.append(self.cost_text())
        if self.left:
            parts.append(f"left about {_clock(self.left)}")
        return "  ".join(parts)

    def best_text(self) -> str:
        """The best trial so far, which was picked from all."""
        if not self.best:
            return "none"
        rank_ic = "" if self.best_rank_ic is None else f" RankIC {self.best_rank_ic:+.4f}"
        return f"{self.best} |t| {self.best_t:.2f}{rank_ic}"

    def cost_text(self) -> str:
        """Calls, tokens and money so far."""
        unpriced = f" ({self.unpriced} calls without a price)" if self.unpriced else ""
        return f"{self.calls} calls, {self.tokens:,} tokens, money {self.money:.4f}{unpriced}"


class RoundLines:
    """Tells of each round in one line, on standard output or, where that is JSON, on standard error."""

    def __init__(self, progress: Progress, *, as_json: bool) -> None:
        self._progress, self._say = progress, note if as_json else _echo

    def __enter__(self) -> RoundLines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tell(self, event: str, data: Mapping[str, Any]) -> None:
        """See :class:`Progress`."""
        self._progress.tell(event, data)
        if event == "round":
            self._say(self._progress.line())
        elif event == "round_dropped":
            self._say(f"round {data['round']} dropped at {data['stage']}: {data['by']}")
        elif event == "resume":
            for warning in data["warnings"]:
                note(f"warning: {warning}")


class LiveView:
    """The same on a terminal: one block that is drawn anew."""

    def __init__(self, progress: Progress, title: str, terminal: Console) -> None:
        from rich.live import Live

        self._progress, self._title = progress, title
        self._live = Live(get_renderable=self._drawn, console=terminal, refresh_per_second=8, transient=True)

    def __enter__(self) -> LiveView:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def tell(self, event: str, data: Mapping[str, Any]) -> None:
        """See :class:`Progress`."""
        self._progress.tell(event, data)
        if event == "resume":
            for warning in data["warnings"]:
                self._live.console.print(f"warning: {warning}")

    def _drawn(self) -> RenderableType:
        return live_table(self._progress, self._title)


def live_table(progress: Progress, title: str) -> RenderableType:
    """The live view as a table: round, funnel, best so far, N, cost, time."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Table.grid(padding=(0, 2))
    of = f" of {progress.max_rounds}" if progress.max_rounds is not None else ""
    left = "" if progress.left is None else f", about {_clock(progress.left)} left"
    head.add_row(Text("round", style="bold"), f"{progress.round}{of}: {progress.stage}")
    head.add_row(Text("time", style="bold"), f"{_clock(progress.elapsed)}{left}")
    funnel = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for name in ("", "slots", "past the gate", "scored", "admitted"):
        funnel.add_column(name, justify="left" if not name else "right")
    both = Counts()
    both.add(progress.total)
    if progress.stage != "recorded":
        both.add(progress.now)
    for label, counts in (("this round", progress.now), ("all rounds", both)):
        numbers = (counts.slots, counts.gated, counts.scored, counts.admitted)
        funnel.add_row(label, *(str(number) for number in numbers))
    foot = Table.grid(padding=(0, 2))
    foot.add_row(Text("best", style="bold"), f"{progress.best_text()}, picked from all")
    foot.add_row(Text("N", style="bold"), "unknown yet" if progress.n is None else str(progress.n))
    foot.add_row(Text("models", style="bold"), progress.cost_text() if progress.calls else "no calls")
    parts: list[RenderableType] = [Text(title, style="bold"), head]
    if progress.max_rounds is not None:
        parts.append(ProgressBar(total=progress.max_rounds, completed=progress.rounds, width=48))
    return Group(*parts, funnel, foot)


def view_of(
    progress: Progress, title: str, *, as_json: bool
) -> AbstractContextManager[RoundLines | LiveView]:
    """The live view where standard output is a terminal and shows the result; lines elsewhere."""
    terminal = console()
    if not as_json and terminal.is_terminal:
        return LiveView(progress, printable(title), terminal)
    (note if as_json else _echo)(title)
    return RoundLines(progress, as_json=as_json)


def _echo(text: str) -> None:
    import typer

    typer.echo(printable(text))


def _clock(seconds: float) -> str:
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
