"""A session of the BRAIN agent that a model decides, recorded, broken off, resumed and done again without it.

    python examples/recorded_brain_session.py FOLDER

makes a workspace in FOLDER with a simulated market, starts a service on the loopback that plays the role
``researcher``, and does what a person would do at the command line. The service refuses a request (429),
replies with half a JSON object, proposes an operator that does not exist, and runs out of credit. No key
and no network are needed: the last command runs where there is none, if the system lets a process go
without one (Linux, ``unshare``).
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from model_service import serving
from recorded_campaign import assay

PAUSED = 3
CREDIT = 5
"""Answers that are paid for at first: too few for the second round."""

MODEL = """
[llm.backends.loopback]
kind = "openai"
base_url = "{address}"
stream = false

[llm.roles.researcher]
backend = "loopback"
model = "researcher"
structured = "tool"
"""

CALM = "rank(-ts_std_dev(returns, 21))"
WINNERS = "rank(ts_delay(close, 21) / ts_delay(close, 126))"
RESEARCH = {
    "summary": "Prices alone serve both sides of the idea.",
    "hypotheses": ["winners go on winning", "calm stocks earn more for their risk"],
    "fields": ["close", "returns"],
}
DIRECTIONS = {
    "type": "submit",
    "directions": [
        {"hypothesis": "winners go on winning", "expressions": [{"expression": WINNERS}]},
        {
            "hypothesis": "calm stocks earn more for their risk",
            "target_check": "LOW_SHARPE",
            "expressions": [{"expression": CALM}, {"expression": "rank(-ts_calmness(returns, 21))"}],
        },
    ],
}
SUM = {
    "type": "analyze",
    "reasoning": "Both directions work; their sum should have less noise.",
    "improvements": [
        {
            "direction_id": "d1",
            "replace_job_id": "j0001",
            "expression": f"{WINNERS} + {CALM}",
            "settings": {"decay": 10},
        }
    ],
}
DONE = {
    "type": "done",
    "converged": True,
    "knowledge": [{"topic": "calm winners", "insight": "the sum beats both", "tags": ["combination"]}],
}


class Researcher:
    """Answers by the phase that a prompt names, until its credit is used up."""

    def __init__(self, credit: int) -> None:
        self.credit, self.answered = credit, 0
        self._refused = self._cut = False
        self._lock = threading.Lock()

    def answer(self, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """HTTP status and body."""
        with self._lock:
            if not self._refused:
                self._refused = True
                return 429, _fault("rate_limit_exceeded", "Too many requests")
            if self.credit == 0:
                return 429, _fault("insufficient_quota", "You exceeded your current quota")
            self.credit -= 1
            self.answered += 1
            return 200, self._reply(request["messages"])

    def _reply(self, told: list[Mapping[str, Any]]) -> dict[str, Any]:
        prompt = next(message["content"] for message in told if message["role"] == "user")
        if prompt.startswith("Research phase"):
            asked = any(message["role"] == "tool" for message in told)
            return _says(RESEARCH) if asked else _calls("brain__list_fields", dataset_id="pv1")
        if prompt.startswith("Creative phase"):
            if not self._cut:
                self._cut = True
                return _completion({"content": json.dumps(DIRECTIONS)[:90]})
            return _says(DIRECTIONS)
        return _says(SUM if "round 2" in prompt else DONE)


def _says(value: Any) -> dict[str, Any]:
    return _completion({"content": json.dumps(value)})


def _calls(tool: str, **arguments: Any) -> dict[str, Any]:
    call = {"name": tool, "arguments": json.dumps(arguments)}
    return _completion(
        {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": call}]},
        finish="tool_calls",
    )


def _completion(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "reply",
        "object": "chat.completion",
        "created": 1,
        "model": "researcher",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020},
    }


def _fault(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code}}


def main(folder: Path) -> None:
    """All of it, each command shown before what it says."""
    assay(folder.parent, "init", folder.name)
    assay(folder, "data", "simulate", "sim", "--instruments", "120", "--days", "1000")
    assay(folder, "periods", "set", "sim")
    service = Researcher(CREDIT)
    with serving(service) as address:
        with (folder / "assay.toml").open("a", encoding="utf-8") as file:
            file.write(MODEL.format(address=address))
        idea = ("--idea", "Momentum combined with low volatility")
        assay(folder, "brain", "agent", *idea, "--local", "--run", "recorded", expected=PAUSED)
        print("\n# the service is paid for again", flush=True)
        service.credit = 1000
        assay(folder, "brain", "agent", "--resume", "recorded", "--local")
    print(f"\n# the service gave {service.answered} answers and is gone", flush=True)
    again = ("--replay", "recorded", "--local", "--run", "again")
    assay(folder, "brain", "agent", *again, offline=True)
    assay(folder, "ledger", "verify", offline=True)


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        raise SystemExit("usage: python examples/recorded_brain_session.py FOLDER (which does not exist yet)")
    main(Path(sys.argv[1]).resolve())
