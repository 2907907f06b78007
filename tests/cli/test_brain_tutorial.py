"""The commands and programs of the page on BRAIN are run as they stand, by a shell as a reader has it."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assay.config import load_workspace

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "brain.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PORT = "8003"
EXAMPLES = "python examples/"


@dataclass
class Played:
    """A page that was run: what each block said, and where it ended."""

    here: Path
    port: str
    said: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    server: subprocess.Popen[bytes] | None = None

    def env(self) -> dict[str, str]:
        known = {
            name: value for name, value in os.environ.items() if not name.startswith(("BRAIN_", "ASSAY_"))
        }
        known.pop("DEEPSEEK_API_KEY", None)
        here = str(Path(sys.executable).parent)
        path = f"{here}{os.pathsep}{known['PATH']}"
        return {**known, "PATH": path, "BRAIN_USERNAME": "me@example.com", "BRAIN_PASSWORD": "of-my-own"}

    def bash(self, block: str) -> None:
        script = f"{block}\necho; echo 'now in:'\"$PWD\""
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=self.here, env=self.env(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (block, done.stdout, done.stderr)
        assert "internal error" not in done.stderr, (block, done.stderr)
        out, _, place = done.stdout.rpartition("now in:")
        self.here = Path(place.strip())
        self.said.append(out)

    def typed(self, command: str, words: str) -> None:
        """Run a command on a terminal where a person types ``words``."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            ["bash", "-c", command], cwd=self.here, env=self.env(), stdin=theirs, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        ) as process:  # fmt: skip
            os.close(theirs)
            os.write(ours, words.encode())
            assert process.stdout is not None
            self.said.append(process.stdout.read())
        os.close(ours)
        assert process.returncode == 0, self.said[-1]

    def serve(self, block: str) -> None:
        command = block.replace("assay brain serve", f"exec assay brain serve --port {self.port}")
        self.server = subprocess.Popen(
            ["bash", "-ec", command], cwd=self.here, env=self.env(), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while True:
            assert self.server.poll() is None
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", int(self.port))) == 0:
                    return
            time.sleep(0.1)

    def end(self) -> None:
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            self.server.communicate(timeout=60)

    def play(self, language: str, block: str) -> None:
        block = block.replace(f":{PORT}", f":{self.port}")
        if language == "bash":
            self.bash(block)
        elif language == "python":
            self.bash(f"python - <<'PROGRAM'\n{block}PROGRAM")
        elif language == "text":
            self.shown.append(block)
        elif language == "toml" and "[brain.client]" in block:
            with (self.here / "assay.toml").open("a", encoding="utf-8") as file:
                file.write(f"\n{block}")
        elif language == "sh" and "brain serve" in block:
            self.serve(block)
        elif language == "sh" and "brain submit" in block:
            self.typed(block, "submit 1\n")


def _free_port() -> str:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return str(tried.getsockname()[1])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    pytest.importorskip("wqb", reason="wqb comes with the extra dev")
    pytest.importorskip("uvicorn", reason="serving needs the extra server")
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    made = Played(tmp_path_factory.mktemp("page"), _free_port())
    try:
        for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            made.play(language, block)
        yield made
    finally:
        made.end()


def test_what_the_page_shows_is_what_the_commands_say(played: Played) -> None:
    for shown in played.shown[:2]:
        said = "".join(played.said).splitlines()
        assert [line for line in shown.splitlines() if line not in said] == []


def test_the_page_of_the_first_session_is_made(played: Played) -> None:
    assert (played.here / "first.html").stat().st_size > 10_000
    assert (played.here / "runs" / "brain-1" / "report.json").is_file()


def test_a_session_that_was_killed_and_one_that_was_steered_come_to_their_ends(played: Played) -> None:
    killed, steered = (
        next(said for said in played.said if said.lstrip().startswith("session") and f" {run}: " in said)
        for run in ("killed", "steered")
    )
    assert "ended      converged" in killed
    assert "rounds     1," not in steered, "the critique led to another round"


def test_an_idea_in_chinese_is_understood_and_replayed(played: Played) -> None:
    said = "".join(played.said)
    assert "idea       成交量放大后的短期反转" in said
    assert "replay     the same as zh" in said


def test_a_person_submits(played: Played) -> None:
    (said,) = (text for text in played.said if "cannot be taken back" in text)
    assert played.shown[2].strip() in said
    assert said.count(": submitted, its status is ACTIVE") == 1


def test_their_client_and_ours_work_with_the_server(played: Played) -> None:
    said = "".join(played.said)
    assert re.search(r"^COMPLETE [0-9.]+$", said, re.MULTILINE)
    assert f"1 of 1 simulated on BRAIN at 127.0.0.1:{played.port}" in said
    assert "quota      4998 of 5000 simulations left" in said


def test_the_settings_of_the_model_are_settings(tmp_path: Path) -> None:
    (text,) = (
        block
        for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8"))
        if language == "toml" and "researcher" in block
    )
    (tmp_path / "assay.toml").write_text(text, encoding="utf-8")
    llm = load_workspace(tmp_path).llm
    assert llm.roles["researcher"].backend == "deepseek"


def test_the_programs_that_the_page_names_are_there() -> None:
    named = re.findall(rf"^{EXAMPLES}(\S+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert named == ["brain_faults.py", "recorded_brain_session.py"]
    for name in named:
        assert (PAGE.parents[2] / "examples" / name).is_file()
