from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from assay.base import Operator
from assay.config import load_secrets, parse_config
from assay.errors import ProviderError, ProviderQuotaExhausted, ProviderTransient
from assay.ledger import Ledger
from assay.llm import (
    BodySink,
    CallKey,
    Client,
    Message,
    Provider,
    ReplayMiss,
    ReplayProvider,
    Reply,
    Request,
    RetryPolicy,
    Roles,
    ScriptedProvider,
    ToolSpec,
    read_calls,
)

from .records import ASK, Folder, Memory
from .server import Answer, Service, completion, error

CANARY = "sk-canary-3f9a27c1d4"


class Idea(BaseModel):
    formula: str


def conversation(roles: Roles) -> list[Any]:
    """What a small run does: a plan, two branches side by side, a tool, an error that it goes on from."""
    said: list[Any] = [roles.client("planner").complete(ASK).text]

    def branch(lane: Roles) -> Any:
        # equal requests: only the ordinal tells the branches apart
        return lane.client("proposer").structured(ASK, Idea).value.model_dump()

    with ThreadPoolExecutor(2) as pool:
        said += pool.map(branch, roles.lanes(2))
    tool = ToolSpec("panel.field", "reads a field", {"type": "object", "properties": {"name": {}}})
    reply = roles.client("researcher").complete([Message("user", "长" * 2000)], [tool])
    said.append([call.as_dict() for call in reply.tool_calls])
    try:
        roles.client("reviewer").complete(ASK)
    except ProviderError as caught:
        said.append(caught.as_dict())
    return said


ANSWERS = (
    Answer(completion("momentum")),
    Answer(completion("{'formula': 'rank(close)',}")),
    Answer(completion('```json\n{"formula": "rank(volume)"}\n```')),
    error(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, retry_after="0"),
    Answer(completion(None, ("panel__field", '{"name": "close"}'), finish="tool_calls")),
    error(401, {"error": {"message": f"Incorrect API key provided: {CANARY}", "code": "invalid_api_key"}}),
)

CONFIG = """
[llm.backends.local]
kind = "openai"
base_url = "{url}/v1"
key = "ASSAY_TEST_API_KEY"
model = "toy"
[llm.roles.planner]
backend = "local"
[llm.roles.proposer]
backend = "local"
temperature = 0.5
[llm.roles.researcher]
backend = "local"
[llm.roles.reviewer]
backend = "local"
[llm.budget]
calls = 20
money = 1.0
[llm.prices.toy]
input = 0.3
output = 1.1
"""


def record(root: Path, environ: Mapping[str, str]) -> list[Any]:
    """Records the conversation under ``root`` against a service on the loopback."""
    pytest.importorskip("openai", reason="the extra llm is not installed")
    with Service(*ANSWERS) as service:
        (root / "assay.toml").write_text(CONFIG.format(url=service.url))
        settings = parse_config((root / "assay.toml").read_text(), root=root).llm
        secrets = load_secrets(root, environ=environ)
        said = conversation(Roles.of(settings, sink=Folder(root / "run").sink, secrets=secrets))
        assert len(service.seen) == len(ANSWERS)
        assert service.seen[0].headers["authorization"] == f"Bearer {CANARY}"
    (root / "said.json").write_text(json.dumps(said, sort_keys=True))
    return said


def replay(root: Path) -> None:
    """Replays the log under ``root``; run in a process of its own."""
    settings = parse_config((root / "assay.toml").read_text(), root=root).llm
    log = ReplayProvider(Folder(root / "run").calls())
    said = conversation(Roles.of(settings, sink=Folder(root / "again").sink, replay=log))
    (root / "said-again.json").write_text(json.dumps(said, sort_keys=True))


_REPLAY = """
import socket, sys
from pathlib import Path
def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
sys.path.insert(0, sys.argv[2])
from tests.llm.test_replay import replay
replay(Path(sys.argv[1]))
"""


def without_network() -> list[str]:
    """The command that takes the network away, where the machine allows it; sockets are blocked anyway."""
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0:
        return [unshare, "-rn"]
    return []


def lines_of(log: Path) -> list[bytes]:
    # branches that run side by side are recorded in the order in which they end
    return sorted(log.read_bytes().splitlines())


def test_a_recorded_run_is_replayed_without_a_network_to_the_same_bytes(tmp_path: Path) -> None:
    said = record(tmp_path, {"ASSAY_TEST_API_KEY": CANARY})
    assert sorted(idea["formula"] for idea in said[1:3]) == ["rank(close)", "rank(volume)"]
    calls = list(Folder(tmp_path / "run").calls())
    assert [(call.role, call.attempts, call.reply is None) for call in calls if call.role != "proposer"] == [
        ("planner", 1, False),
        ("researcher", 2, False),
        ("reviewer", 1, True),
    ]
    assert sorted(call.ordinal for call in calls if call.role == "proposer") == [0, 1]
    env = {name: value for name, value in os.environ.items() if name != "ASSAY_TEST_API_KEY"}
    done = subprocess.run(
        [*without_network(), sys.executable, "-c", _REPLAY, str(tmp_path), str(Path(__file__).parents[2])],
        capture_output=True,
        text=True,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "said-again.json").read_bytes() == (tmp_path / "said.json").read_bytes()
    again, run = tmp_path / "again", tmp_path / "run"
    assert {path.name for path in again.iterdir()} == {path.name for path in run.iterdir()}
    for path in run.iterdir():
        if path.name != "calls.jsonl":
            assert (again / path.name).read_bytes() == path.read_bytes()
    assert lines_of(again / "calls.jsonl") == lines_of(run / "calls.jsonl")


@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_key_is_nowhere_in_what_a_run_leaves(tmp_path: Path, place: str) -> None:
    environ = {"ASSAY_TEST_API_KEY": CANARY} if place == "environment" else {}
    if place == ".env":
        (tmp_path / ".env").write_text(f"ASSAY_TEST_API_KEY={CANARY}\n")
    said = record(tmp_path, environ)
    assert "canary" not in json.dumps(said)
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".env"]
    assert len(written) >= 4
    assert not [path for path in written if b"canary" in path.read_bytes()]


def recorded(script: list[Any], asks: Callable[[Client], None]) -> Memory:
    memory = Memory()
    asks(Client(role="proposer", model="toy", provider=ScriptedProvider(script), sink=memory))
    return memory


def replaying(memory: Memory, **more: Any) -> tuple[Client, Memory]:
    new = Memory()
    given = {"role": "proposer", "model": "toy", **more}
    return Client(provider=ReplayProvider(memory.calls()), sink=new, **given), new


def test_equal_calls_are_replayed_in_their_order() -> None:
    memory = recorded(["one", "two"], lambda asked: [asked.complete(ASK) for _ in range(2)] and None)
    asked, new = replaying(memory)
    assert [asked.complete(ASK).text for _ in range(2)] == ["one", "two"]
    assert new.bodies == memory.bodies
    with pytest.raises(ReplayMiss, match="holds this call of proposer 2 times; number 3 is missing"):
        asked.complete(ASK)


def test_a_recorded_error_is_raised_again_and_not_tried_again() -> None:
    memory = Memory()
    script = [ProviderQuotaExhausted("empty", status=402), "never"]
    with pytest.raises(ProviderQuotaExhausted):
        Client(role="proposer", model="toy", provider=ScriptedProvider(script), sink=memory).complete(ASK)
    asked, new = replaying(memory, retry=RetryPolicy(attempts=5))
    with pytest.raises(ProviderQuotaExhausted, match="empty"):
        asked.complete(ASK)
    assert new.bodies == memory.bodies
    assert asked.budget.spent.calls == 1


def test_of_a_call_that_was_made_anew_the_last_counts() -> None:
    memory = Memory()
    with pytest.raises(ProviderQuotaExhausted):
        Client(
            role="proposer",
            model="toy",
            provider=ScriptedProvider([ProviderQuotaExhausted("empty")]),
            sink=memory,
        ).complete(ASK)
    Client(role="proposer", model="toy", provider=ScriptedProvider(["x"]), sink=memory).complete(ASK)
    assert replaying(memory)[0].complete(ASK).text == "x"


def test_a_miss_shows_the_nearest_prompt_as_a_diff() -> None:
    def asks(asked: Client) -> None:
        for text in ("far away\nfrom all", "find momentum\nin close\nand volume"):
            asked.complete([Message("system", "Be brief."), Message("user", text)], temperature=0.5)

    asked, new = replaying(recorded(["a", "b"], asks))
    with pytest.raises(ReplayMiss) as caught:
        asked.complete(
            [Message("system", "Be brief."), Message("user", "find momentum\nin open\nand volume")],
            temperature=0.7,
        )
    lines = caught.value.diff.splitlines()
    assert lines[0].startswith("--- recorded: proposer, call 1")
    assert {"-in close", "+in open", "-parameter temperature: 0.5", "+parameter temperature: 0.7"} <= {*lines}
    assert "far away" not in caught.value.diff
    assert caught.value.role == "proposer"
    assert caught.value.diff in str(caught.value)
    assert new.bodies == []


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"model": "other"}, "+model: other"),
        ({"role": "planner"}, "none of this role at all; the nearest is one of proposer"),
    ],
)
def test_a_miss_names_what_differs(more: dict[str, Any], line: str) -> None:
    asked, _ = replaying(recorded(["a"], lambda asked: asked.complete(ASK) and None), **more)
    with pytest.raises(ReplayMiss) as caught:
        asked.complete(ASK)
    assert line in str(caught.value)


def test_an_empty_log_is_named() -> None:
    with pytest.raises(ReplayMiss, match="it is empty"):
        replaying(Memory())[0].complete(ASK)


def test_a_diff_of_huge_prompts_is_short() -> None:
    long = "\n".join(f"line {i} " + "x" * 1000 for i in range(5000))
    asked, _ = replaying(recorded(["a"], lambda asked: asked.complete([Message("user", long)]) and None))
    with pytest.raises(ReplayMiss) as caught:
        asked.complete([Message("user", long.replace("line", "row"))])
    assert len(caught.value.diff) < 40_000
    assert caught.value.diff.endswith("left out")


def test_another_port_replays(tmp_path: Path) -> None:
    memory = Memory()
    common: dict[str, Any] = {"role": "proposer", "model": "toy"}
    live = Client(
        provider=ScriptedProvider(["a"]), sink=memory, base_url="http://127.0.0.1:1111/v1", **common
    )
    live.complete(ASK)
    asked, new = replaying(memory, base_url="http://127.0.0.1:2222/v1")
    assert asked.complete(ASK).text == "a"
    assert new.bodies == memory.bodies


def in_ledger(folder: Path) -> tuple[Ledger, BodySink]:
    ledger = Ledger.create(folder)
    run = ledger.run("r-1")
    run.start("campaign", Operator.human("ada"), "c" * 64, {})
    return ledger, BodySink(lambda body, latency: run.append("llm_call", body, latency=latency), ledger)


def test_a_run_in_a_ledger_is_replayed_to_the_same_export(tmp_path: Path) -> None:
    def talk(provider: Provider, sink: BodySink) -> None:
        asked = Client(role="proposer", model="toy", provider=provider, sink=sink, sleep=lambda seconds: None)
        asked.complete([*ASK, Message("user", "长" * 5000)])
        asked.complete(ASK)
        with pytest.raises(ProviderQuotaExhausted):
            asked.complete(ASK)

    script = [Reply("x" * 5000), ProviderTransient("busy"), "\ud800 half", ProviderQuotaExhausted("empty")]
    first, sink = in_ledger(tmp_path / "first")
    talk(ScriptedProvider(script), sink)
    again = Ledger.open(tmp_path / "first")
    bodies = [entry.body for entry in again.run("r-1").entries(kind="llm_call")]
    second, sink = in_ledger(tmp_path / "second")
    talk(ReplayProvider(read_calls(bodies, again)), sink)
    assert second.export("r-1") == first.export("r-1")
    assert first.export("r-1").count(b"llm_call") == 3
    assert first.verify().records == second.verify().records == 5


def test_a_replay_needs_a_client() -> None:
    log = ReplayProvider(recorded(["a"], lambda asked: asked.complete(ASK) and None).calls())
    request = Request("toy", ASK)
    assert log.check().reachable
    assert not ReplayProvider([]).check().reachable
    assert log.find(CallKey("proposer", request.hash, 0), request).outcome() == Reply("a", model="toy")
    with pytest.raises(Exception, match="through a Client"):
        log.complete(request)
