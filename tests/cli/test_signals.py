"""Ctrl-C and SIGTERM end a command in order: a run says that it was stopped, nobody sees a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main
from assay.ledger import Ledger

JUDGE = """
import sys, threading
from assay.judge import _judge

def wait(*_, **__):
    print("judging", flush=True)
    threading.Event().wait()

_judge._leak_checks = wait
from assay.cli import main
sys.exit(main(["judge", "rank(volume)", "--data", "small", "--period", "score", "--yes"]))
"""

IMPORTS = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from assay.cli import main
sys.exit(main(["doctor"]))
"""


def begun(script: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(
    ("sent", "code", "told"),
    [(signal.SIGTERM, 143, "stopped: the process was asked to end"), (signal.SIGINT, 130, "interrupted")],
)
def test_a_judge_that_is_ended_closes_its_run(desk: Path, sent: signal.Signals, code: int, told: str) -> None:
    process = begun(JUDGE, desk)
    assert process.stdout is not None
    assert process.stdout.readline() == "judging\n"
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert told in err
    assert "Traceback" not in err
    ledger = Ledger.open(desk / "ledger")
    last = list(ledger.entries())[-2:]
    assert [entry.kind for entry in last] == ["trial", "run_stop"], "what may have been seen counts"
    assert last[-1].body["reason"] == "stopped"
    with ledger.index() as index:
        assert not any(state.open for state in index.runs().values())


def test_an_interruption_of_the_imports_shows_no_traceback(tmp_path: Path) -> None:
    _, err = (process := begun(IMPORTS, tmp_path)).communicate(timeout=60)
    assert (process.returncode, err) == (130, "\ninterrupted\n")


def test_the_handler_of_before_is_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert main(["library", "--help"]) == 0
    assert signal.getsignal(signal.SIGTERM) is before
