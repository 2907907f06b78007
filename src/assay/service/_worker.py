"""The process that does the work: it can be stopped when it takes too long, as a thread cannot."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from assay.service._desk import Answer, Job, open_desk
from assay.service._faults import fault
from assay.service._reasons import TIME_LIMIT, WORKER_LOST

READY_SECONDS = 120.0


class Worker:
    """One worker process, started when it is first needed and again after it was stopped.

    Jobs are done one at a time, in the order in which their threads come. A worker whose parent dies finishes
    its job, records it, and ends.
    """

    def __init__(self, data: Path, memory: int) -> None:
        self._data, self._memory = data, memory
        self._turn = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def start(self) -> None:
        """Start the process and wait until it has opened the data set."""
        with self._turn:
            self._running()

    def call(self, job: Job, seconds: float) -> Answer:
        """Do a job, for so many seconds at most; ``time_limit`` and ``worker_lost`` are answers (503)."""
        with self._turn:
            pipe = self._running()
            try:
                pipe.send(job)
                if not pipe.poll(seconds):
                    self._kill()
                    return Answer(503, fault("environment", TIME_LIMIT))
                answer: Answer = pipe.recv()
            except (EOFError, OSError):
                self._kill()
                return Answer(503, fault("environment", WORKER_LOST))
            return answer

    def stop(self) -> None:
        """End the process once its job, if it has one, is done."""
        with self._turn:
            if self._pipe is not None:
                self._pipe.close()
            if self._process is not None:
                self._process.join()
            self._process = self._pipe = None

    @property
    def pid(self) -> int | None:
        """The id of the process that runs now."""
        return None if self._process is None else self._process.pid

    def _running(self) -> Connection:
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            return self._pipe
        self._kill()
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=work, args=(there, self._data, self._memory), name="assay-service-worker"
        )
        process.start()
        there.close()
        self._process, self._pipe = process, here
        if here.poll(READY_SECONDS):
            with suppress(EOFError):  # it ended at once: the job finds a closed pipe, and says so
                here.recv()
        return here

    def _kill(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def work(pipe: Connection, data: Path, memory: int) -> None:
    """The worker's life: open the data set, say so, and do jobs until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when the work ends
    confine(memory)
    desk = open_desk(data)
    pipe.send(True)
    while True:
        try:
            job: Job = pipe.recv()
        except (EOFError, OSError):
            return
        answer = desk.do(job)
        try:
            pipe.send(answer)
        except OSError:
            return


def confine(memory: int) -> None:
    """Bounds the bytes of data of this process, on Linux; mapped files, such as the data set, are free."""
    if sys.platform == "linux":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        allowed = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
