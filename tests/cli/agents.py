"""A model on the loopback that looks for factors, and what its runs leave, for tests of agent runs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from ..llm.server import Answer, Seen, Service, completion

CANARY = "sk-canary-0123456789abcdef-canary"
KEY = "ASSAY_TEST_API_KEY"
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")

CONFIG = """
[llm.backends.local]
kind = "openai"
base_url = "{url}/v1"
key = "ASSAY_TEST_API_KEY"
model = "toy-1"
retries = 0
[llm.roles.researcher]
backend = "local"
structured = "{structured}"
max_tokens = 500
[llm.prices."toy-1"]
input = 1.0
output = 2.0
"""

Call = tuple[str, str]


def evaluate(formula: str, **more: Any) -> Call:
    return ("factor.evaluate", json.dumps({"expression": formula, **more}))


# what the model does: ok; ok; refused; illegal in four ways; ok; a repeat; the answer
TURNS: tuple[tuple[Call, ...], ...] = (
    (("data.describe", "{}"),),
    (evaluate("rank(volume)"),),
    (evaluate("no_such_op(volume)"),),
    (("launch.missiles", "{not json"),),
    (evaluate("rank(close)"), evaluate("rank(open)")),
    (("factor.evaluate", '{"expression": "rank(close)"'),),
    (evaluate("rank(close)", horizon=1000),),
    (evaluate("-ts_return(close, 5)"),),
    (evaluate("rank(volume)"),),
    (("ledger.counts", "{}"),),
)
OUTCOMES = ["ok", "ok", "refused", *["illegal"] * 5, "ok", "ok", "ok"]
KINDS = [
    "unknown_tool",
    "multi_tool_per_step",
    "multi_tool_per_step",
    "unparsable_arguments",
    "schema_invalid",
]


TOKENS = (7_000, 300)
"""Input and output that the model says each reply took."""


class Model(Service):
    """A model whose reply hangs on how far the conversation is, so it can be asked by any process.

    ``failing`` are answers by turn that come instead, once each.
    """

    def __init__(self, *, structured: str = "tool", failing: dict[int, Answer] | None = None) -> None:
        super().__init__()
        self.structured = structured
        self.failing = dict(failing or {})

    def next_answer(self, seen: Seen) -> Answer:
        self.seen.append(seen)
        turn = sum(message["role"] == "assistant" for message in seen.body["messages"])
        if turn in self.failing:
            return self.failing.pop(turn)
        if turn >= len(TURNS):
            return Answer(completion(self._final(seen), tokens=TOKENS))
        calls = TURNS[turn]
        if self.structured == "tool":
            sent = [(name.replace(".", "__"), arguments) for name, arguments in calls]
            return Answer(completion(f"turn {turn}", *sent, finish="tool_calls", tokens=TOKENS))
        return Answer(completion("\n".join(as_json(*call) for call in calls), tokens=TOKENS))

    def _final(self, seen: Seen) -> str:
        # a model that repeats what it should not know
        answer = f"Done. {seen.headers.get('authorization', '')}"
        return answer if self.structured == "tool" else json.dumps({"answer": answer})

    def configure(self, workspace: Path) -> None:
        """Name this model in the workspace's settings, instead of any other."""
        path = workspace / "assay.toml"
        text = path.read_text("utf-8").partition("\n[llm.backends.local]")[0]
        path.write_text(text + CONFIG.format(url=self.url, structured=self.structured), "utf-8")


def as_json(name: str, arguments: str) -> str:
    """A call as text; arguments that are no JSON stay a text, as a model would have to send them."""
    try:
        value = json.loads(arguments)
    except ValueError:
        value = arguments
    return json.dumps({"tool": name, "arguments": value})


def copied(workspace: Path, to: Path) -> Path:
    shutil.copytree(workspace, to, symlinks=True)
    return to


def cut_back(workspace: Path, lines: int) -> None:
    """Leave only the first lines of the ledger, and nothing that the run stored: as after a kill."""
    folder = workspace / "ledger"
    log = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "ledger.jsonl").write_bytes(b"".join(log[:lines]))
    for name in ("head", "index.sqlite"):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(workspace / "runs" / "r", ignore_errors=True)


def left(workspace: Path, run: str = "r") -> dict[str, bytes]:
    """The canonical export and the files of a run."""
    from assay.ledger import Ledger

    found = {"export": Ledger.open(workspace / "ledger").export(run)}
    folder = workspace / "runs" / run
    for path in sorted(folder.rglob("*.json")):
        found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def nameless(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same without the identifiers that two agents of one model differ by."""
    return {name: UUID.sub(b"UUID", content) for name, content in files.items()}
