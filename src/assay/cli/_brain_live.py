"""How a session goes, told as it goes: a live view on a terminal, lines elsewhere; all on standard error."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from assay.cli._output import console, printable
from assay.cli._progress import note

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from assay.brain.agent import Status
    from assay.config import BrainAgentSettings

_SHOWN: Final = 60
_DIRECTIONS: Final = 8


class Lines:
    """Tells of each round, and of what the engine has to say, in one line."""

    def __init__(self, title: str) -> None:
        note(title)

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tell(self, status: Status) -> None:
        """Take in where the session stands."""
        if not status.message:
            return
        best = best_text(status)
        note(
            f"{status.message}  {status.phase}  simulations {status.simulations}/{status.budget}  "
            f"directions {sum(not item.abandoned for item in status.directions)}  best {best}"
        )


class LiveView:
    """The same on a terminal: one block that is drawn anew."""

    def __init__(self, title: str, policy: str, settings: BrainAgentSettings, terminal: Console) -> None:
        from rich.live import Live

        self._title, self._policy, self._settings = title, policy, settings
        self._status: Status | None = None
        self._live = Live(get_renderable=self._drawn, console=terminal, refresh_per_second=8, transient=True)

    def __enter__(self) -> LiveView:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def tell(self, status: Status) -> None:
        """Take in where the session stands."""
        self._status = status
        if status.message:
            self._live.console.print(printable(status.message))

    def _drawn(self) -> RenderableType:
        return live_table(self._title, self._policy, self._settings, self._status)


def live_table(
    title: str, policy: str, settings: BrainAgentSettings, status: Status | None
) -> RenderableType:
    """Phase, slots, queue, directions, the best alpha against the limits, quota, tokens."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    head = Table.grid(padding=(0, 2))
    if status is None:
        return Group(Text(title, style="bold"), Text("opening"))
    head.add_row(Text("phase", style="bold"), f"{status.phase}, round {status.round}, decided by {policy}")
    used = f"{status.simulations} of {status.budget}"
    head.add_row(Text("simulations", style="bold"), f"{used}{_quota(status)}")
    waiting = f", {status.background} in the background" if status.background else ""
    head.add_row(Text("queue", style="bold"), f"{status.queue} waiting{waiting}")
    head.add_row(Text("best", style="bold"), Text(best_text(status)))
    head.add_row(Text("limits", style="bold"), limits_text(settings))
    if status.tokens:
        head.add_row(Text("tokens", style="bold"), f"{status.tokens:,}")
    slots = _listing("slot", "job", "done", "expression")
    for number, slot in enumerate(status.slots, 1):
        done = "" if slot.progress is None else f"{slot.progress:.0%}"
        slots.add_row(str(number), slot.job or "idle", done, Text(_cut(slot.expression)))
    parts: list[RenderableType] = [Text(printable(title), style="bold"), head, slots]
    if status.directions:
        parts.append(_directions(status))
    return Group(*parts)


def _listing(*names: str) -> Table:
    """A table whose last column takes the room that is left, and is cut there."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), expand=True)
    for name in names[:-1]:
        table.add_column(name, no_wrap=True, min_width=len(name))
    table.add_column(names[-1], no_wrap=True, ratio=1)
    return table


def _directions(status: Status) -> RenderableType:
    from rich.text import Text

    table = _listing("direction", "rounds", "improved", "best Sharpe", "hypothesis")
    for item in status.directions[-_DIRECTIONS:]:
        best = "" if item.best_sharpe is None else f"{item.best_sharpe:.2f}"
        name = f"{item.id} (left)" if item.abandoned else item.id
        table.add_row(name, str(item.rounds), str(item.improvement_count), best, Text(_cut(item.hypothesis)))
    return table


def best_text(status: Status) -> str:
    """The figures of the best alpha so far."""
    best = status.best
    if best is None:
        return "none yet"
    named = (
        ("Sharpe", best.sharpe, ".2f"),
        ("fitness", best.fitness, ".2f"),
        ("turnover", best.turnover, ".1%"),
    )
    figures = "  ".join(
        f"{name} {'?' if value is None else format(value, form)}" for name, value, form in named
    )
    failing = f"  fails {', '.join(best.failing)}" if best.failing else ""
    return f"{best.job}  {figures}{failing}"


def limits_text(settings: BrainAgentSettings) -> str:
    """What an alpha has to reach."""
    return (
        f"Sharpe {settings.min_sharpe:g}  fitness {settings.min_fitness:g}  "
        f"turnover {settings.min_turnover:.0%} to {settings.max_turnover:.0%}"
    )


def _quota(status: Status) -> str:
    quota = status.quota
    if quota.remaining is None:
        return ""
    of = "" if quota.limit is None else f" of {quota.limit}"
    return f"; the platform leaves {quota.remaining}{of} today"


def _cut(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "\u2026"


def view_of(
    title: str, policy: str, settings: BrainAgentSettings, *, plain: bool
) -> AbstractContextManager[Lines | LiveView]:
    """The live view where standard error is a terminal; lines elsewhere, and where ``plain`` is wanted."""
    terminal = console(stderr=True)
    if plain or not terminal.is_terminal:
        return Lines(f"{title}, decided by {policy}")
    return LiveView(title, policy, settings, terminal)
