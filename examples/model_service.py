"""A model service on the loopback, in OpenAI's form, that plays every role of a campaign without a model.

It reads the prompts as a model does, answers from a small book of ideas, and goes wrong as services do: it
refuses a first request, replies with half a JSON object, an empty text and the wrong form, writes formulas
that the gate refuses, describes one of them wrongly, repeats itself, lies about its usage, and runs out of
credit. What it answers hangs on the request alone, but for the first refusal and the credit.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

ROLES = ("planner", "proposer", "reviewer", "distiller")


@dataclass(frozen=True)
class Idea:
    """A direction, and the candidate that is written for it."""

    direction: str
    name: str
    expression: str
    description: str

    def candidate(self, slot: int) -> dict[str, Any]:
        return {
            "slot": slot,
            "name": self.name,
            "expression": self.expression,
            "hypothesis": self.direction,
            "description": self.description,
        }


IDEAS: Mapping[str, tuple[Idea, ...]] = {
    "reversal": (
        Idea("Losers of a week rebound.", "week reversal", "-ts_return(close, 5)",
             "return of 5 bars, its sign turned"),
        Idea("Who closes above the day's mean price goes on.", "strong close", "ts_mean(close / vwap, 10)",
             "mean of 10 bars of close over mean price"),
        Idea("Gaps at the open close again.", "gaps", "-ts_mean(open / delay(close, 1) - 1, 20)",
             "mean of 20 bars of the gap since the close 1 bar before, its sign turned"),
        Idea("Losers of a fortnight rebound.", "fortnight reversal", "-ts_return(close, 10)",
             "return of 10 bars, its sign turned"),
        Idea("What fell furthest below its high rebounds.", "far from the high",
             "-(close / ts_max(high, 20))", "close over the highest price of 20 bars, its sign turned"),
    ),
    "volume": (
        Idea("Rising prices on falling volume go on.", "divergence", "-ts_corr(close, volume, 10)",
             "correlation of close and volume over 10 bars, its sign turned"),
        Idea("Crowded shares fall.", "turnover", "-ts_mean(turn, 10)",
             "mean of 10 bars of the share of the float that traded, its sign turned"),
        Idea("A surge of volume marks a top.", "volume surge", "-volume / ts_mean(volume, 20)",
             "volume over its mean of 20 bars, its sign turned"),
        Idea("What is costly to trade pays for it.", "price impact", "ts_mean(abs(returns) / amount, 20)",
             "mean of 20 bars of the size of the return over the traded value"),
        Idea("Volume that lags the price foretells it.", "divergence again", "-ts_corr(close, volume, 11)",
             "correlation of close and volume over 11 bars, its sign turned"),
    ),
    "risk": (
        Idea("Calm shares earn more for their risk.", "low volatility", "-ts_std(returns, 20)",
             "standard deviation of the returns of 20 bars, its sign turned"),
        Idea("Lottery tickets are too dear.", "skewness", "-ts_skew(returns, 20)",
             "skewness of the returns of 20 bars, its sign turned"),
        Idea("Wide days foretell falls.", "daily range", "-ts_mean((high - low) / close, 10)",
             "mean of 10 bars of the day's range over the close, its sign turned"),
        Idea("The best day of a month is paid back.", "best day", "-ts_max(returns, 20)",
             "highest return of 20 bars, its sign turned"),
        Idea("Old calm goes on.", "long calm", "-ts_std(returns, 60)",
             "standard deviation of the returns of 60 bars, its sign turned"),
    ),
}  # fmt: skip

FIRST_DRAFTS: Mapping[str, dict[str, str]] = {
    "volume surge": {"expression": "-volume"},  # changes with the adjustment of a stock
    "price impact": {"expression": "ts_mean(abs(returns) / amonut, 20)"},  # no such field
    "low volatility": {"description": "standard deviation of the returns of 60 bars, its sign turned"},
}
"""What is written at first in place of an idea's own words."""


class Answers(Protocol):
    """What a service does."""

    def answer(self, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """HTTP status and body."""
        ...


class ModelService:
    """Answers requests until its credit is used up; ``top_up`` lets it go on."""

    def __init__(self, credit: int) -> None:
        self.credit = credit
        self.answered = 0
        self._refused = False
        self._lock = threading.Lock()

    def top_up(self, credit: int) -> None:
        """Pay for so many answers more."""
        with self._lock:
            self.credit += credit

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
        told = request["messages"]
        # prompt, form of the reply; more when a reply was sent back
        first = len(told) == 3
        role = str(request["model"])
        prompt = told[1]["content"]
        text = _wrong(role, prompt, first=first)
        if text is None:
            text = json.dumps(_REPLIES[role](prompt))
        return 200, _completion(role, text)


@contextmanager
def serving(service: Answers) -> Iterator[str]:
    """The address of a service, for the time of a ``with``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            status, body = service.answer(json.loads(self.rfile.read(size)))
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            if status == 429:
                self.send_header("retry-after", "0")
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """A request is no news."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(role: str, text: str) -> dict[str, Any]:
    # nobody believes these figures of the distiller: the record has an estimate in their place
    usage = (-1, 10**15) if role == "distiller" else (900, max(len(text) // 4, 1))
    return {
        "id": "reply",
        "object": "chat.completion",
        "created": 1,
        "model": role,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
    }


def _fault(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code}}


def _wrong(role: str, prompt: str, *, first: bool) -> str | None:
    """A reply that is no use, for some requests, most of them at first only; None: reply properly."""
    if role == "distiller" and "## Memory so far\nNone." not in prompt:
        return '["not a memory"]'
    if role == "proposer" and "# Round 3" in prompt and "slot 5 |" in prompt:
        return ""
    if role == "reviewer" and "name: week reversal" in prompt and first:
        return '{"reviews": "all of them are fine"}'
    if role == "proposer" and "# Round 1" in prompt and "slot 1 |" in prompt and first:
        return '{"candidates": [{"slot": 1, "name": "week rev'
    return None


def _plan(prompt: str) -> dict[str, Any]:
    """The next ideas of each slot's mechanism; a slot with a parent refines it."""
    number = int(_found(r"# Round (\d+)", prompt))
    taken = dict.fromkeys(IDEAS, 2 * (number - 1))
    directions = []
    for slot, mechanism, parent in re.findall(
        r"^- slot (\d+) \| (\w+)(?: \| parent (\S+))?$", prompt, re.MULTILINE
    ):
        if parent:
            said = {"kind": "refinement", "text": f"Smooth {parent}: its noise costs turnover."}
        else:
            ideas = IDEAS[mechanism]
            said = {"kind": "new", "text": ideas[taken[mechanism] % len(ideas)].direction}
            taken[mechanism] += 1
        directions.append({"slot": int(slot), "parent": parent or None, **said})
    return {"directions": directions}


def _propose(prompt: str) -> dict[str, Any]:
    """Candidates for directions, or for those that came back."""
    if "sent back by: " in prompt:
        return {"candidates": [_mended(block) for block in prompt.split("\n\n") if "sent back by: " in block]}
    candidates = []
    for slot, origin, text in re.findall(r"^- slot (\d+) \| \w+ \| (.+?) \| (.+)$", prompt, re.MULTILINE):
        if origin.startswith("refinement of "):
            parent = re.escape(origin.removeprefix("refinement of "))
            told = _found(rf"^{parent}: (?:.*\n)+?expression: (.+)$", prompt)
            idea = Idea(text, "smoothed", f"ts_mean({told}, 3)", f"mean of 3 bars of {told}")
            candidates.append(idea.candidate(int(slot)))
        else:
            idea = _by("direction", text)
            candidates.append(idea.candidate(int(slot)) | FIRST_DRAFTS.get(idea.name, {}))
    return {"candidates": candidates}


def _mended(block: str) -> dict[str, Any]:
    """A candidate that came back: as the idea has it, or if it was that, over twice as many bars."""
    slot = int(_found(r"slot (\d+)", block))
    name, expression = _found(r"^name: (.+)$", block), _found(r"^expression: (.+)$", block)
    description = _found(r"^description: (.+)$", block)
    hypothesis = _found(r"^hypothesis: (.+)$", block)
    wrong = Idea(hypothesis, name, expression, description)
    if name in FIRST_DRAFTS and (idea := _by("name", name)) != wrong:
        return idea.candidate(slot)
    window = _found(r".*\b(\d+)", expression)
    longer = str(2 * int(window))
    mended = replace(
        wrong,
        name=f"{name} over {longer}",
        expression=re.sub(rf"\b{window}\b", longer, expression),
        description=re.sub(rf"\b{window}\b", longer, description),
    )
    return mended.candidate(slot)


def _review(prompt: str) -> dict[str, Any]:
    """A description has to name every window of its formula."""
    reviews = []
    for block in re.split(r"\n\n", prompt.partition("## Candidates\n")[2]):
        expression, description = (_found(rf"^{key}: (.+)$", block) for key in ("expression", "description"))
        windows = set(re.findall(r", (\d+)\)", expression))
        missing = sorted(windows - set(re.findall(r"\d+", description)), key=int)
        reasons = f"the formula looks back {', '.join(missing)} bars, the description does not say so"
        slot = int(_found(r"slot (\d+)", block))
        reviews.append({"slot": slot, "consistent": not missing, "reasons": reasons if missing else ""})
    return {"reviews": reviews}


def _distill(prompt: str) -> dict[str, Any]:
    """Which trials were admitted, by mechanism."""
    lines = [line for line in prompt.splitlines() if line.startswith("- r")]
    kept = [line.split(" | ")[:2] for line in lines if " | admitted | " in line]
    found = "; ".join(f"{mechanism}: {trial[2:]}" for trial, mechanism in kept) or "none"
    return {"memory": f"Of {len(lines)} trials these were admitted: {found}."}


_REPLIES: Mapping[str, Callable[[str], dict[str, Any]]] = dict(
    zip(ROLES, (_plan, _propose, _review, _distill), strict=True)
)


def _by(key: str, value: str) -> Idea:
    return next(idea for ideas in IDEAS.values() for idea in ideas if getattr(idea, key) == value)


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise ValueError(f"the prompt has nothing like {pattern!r}")
    return found[1]
