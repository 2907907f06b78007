from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMPILING = (
    "compiling kernels that this kind of run needs for the first time (a few seconds); "
    "the next one starts at once"
)


def note(text: str) -> None:
    """One line for the person at the terminal; standard output stays free for the result."""
    sys.stderr.write("".join(c if c.isprintable() else " " for c in text) + "\n")
    sys.stderr.flush()


def ask(question: str) -> bool:
    """Ask the person at the terminal, on standard error; anything but yes is no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@contextmanager
def slow_notice() -> Iterator[None]:
    """Say why it takes long, when numeric kernels are compiled rather than taken from the cache."""
    from numba.core import event

    class Compiling(event.Listener):  # type: ignore[misc]
        """Hears of compilations; a kernel from the cache is none."""

        def __init__(self) -> None:
            self.said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                self.said = True
                note(COMPILING)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Compiling()):
        yield


def usable_cores(most: int = 8) -> int:
    """Cores that this process may use, at most ``most``; the count of threads never changes a result."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(cores, most))


class Steps:
    """Progress of a long command on standard error: bars on a terminal, one line a step elsewhere."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        from assay.cli._output import console

        self._console = console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task: Any = None
        self._step = ""
        self._stage = ""

    def __enter__(self) -> Steps:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def begin(self, text: str) -> None:
        """The next step; its parts are counted by :meth:`advance`."""
        self._step, self._stage = text, ""
        self._start(text)

    def advance(self, stage: str, done: int, total: int) -> None:
        """``done`` of ``total`` parts of a stage of the step are finished."""
        if stage != self._stage:
            self._stage = stage
            self._start(f"{self._step}: {stage}", total)
        self._bars.update(self._task, completed=done)

    def _start(self, text: str, total: int | None = None) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(text, total=total)
        if not self._console.is_terminal:
            note(text)
