"""Forked children that work on a ledger and tell their parent by a pipe how far they are."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

Tell = Callable[[str], None]


@dataclass
class Child:
    pid: int
    messages: BinaryIO
    code: int | None = None

    def read(self) -> str:
        """The next message, or "" when the child has ended."""
        return self.messages.readline().decode().rstrip("\n")

    def wait(self) -> int:
        """The exit code, negative for a signal."""
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def kill(self) -> int:
        os.kill(self.pid, signal.SIGKILL)
        return self.wait()


@contextmanager
def child(work: Callable[[Tell], None]) -> Iterator[Child]:
    """A child that runs ``work``; it is dead when the block ends."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of forking beside the threads of numerical libraries
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(read)
            work(lambda text: os.write(write, text.encode() + b"\n") and None)
            code = 0
        except SystemExit as done:
            code = int(done.code or 0)
        finally:
            os._exit(code)
    os.close(write)
    with open(read, "rb") as messages:
        made = Child(pid, messages)
        try:
            yield made
        finally:
            if made.code is None:
                made.kill()
