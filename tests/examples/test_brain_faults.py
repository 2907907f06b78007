"""The example of a session under faults runs as a reader runs it, and its faults are those that it names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "brain_faults.py"
HEAD = re.compile(
    r"^(clean|faulty): (\d+) requests: (\d+) answered by a 5xx, (\d+) by 429, (\d+) expired sessions$",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    here = tmp_path_factory.mktemp("faults")
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], cwd=here, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(here.iterdir()) == []
    return done.stdout


def test_both_sessions_come_to_the_same(said: str) -> None:
    clean, faulty = (part.splitlines()[1:] for part in said.split("\n\n")[:2])
    assert clean == faulty
    assert len([line for line in clean if re.match(r"j\d{4} ", line)]) == 24
    assert said.splitlines()[-1] == "equal"


def test_the_clean_one_met_no_fault_and_the_other_one_all(said: str) -> None:
    found = {name: [int(figure) for figure in figures] for name, *figures in HEAD.findall(said)}
    assert found["clean"][1:] == [0, 0, 0]
    requests, errors, refused, expired = found["faulty"]
    assert errors >= 0.02 * requests
    assert refused >= 8, "two storms"
    assert expired == 2


def test_a_difference_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import brain_faults

    monkeypatch.setattr(brain_faults, "first_difference", lambda one, other: "j0001: 1.0, then 0.9")
    monkeypatch.setattr(
        brain_faults, "SETTINGS", brain_faults.replace(brain_faults.SETTINGS, agent=_few(brain_faults))
    )
    assert brain_faults.main() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "different: j0001: 1.0, then 0.9"


def _few(module):  # type: ignore[no-untyped-def]
    return module.replace(module.SETTINGS.agent, simulations=2)
