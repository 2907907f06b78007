"""An agent that proposes a cross-sectional momentum strategy, and may do nothing else.

    python examples/agent_propose_xs_momentum/agent.py --out-dir agent_out

binds an operator, reads features and notes through the client of the Model Context Protocol, branches on
refusals by their reasons, sees a hallucinated citation refused before anything is written, runs one search on
a simulated market, and lands one entry on the leaderboard with one row of provenance. No network is needed.

Clock and ids are pinned, so that each run says the same to the byte: ``sample_run*.json``. ``--live`` takes
those of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.base import Operator
from assay.book import LEADERBOARD, Book, CandidateEntry
from assay.config import init_workspace
from assay.errors import AssayError
from assay.ledger import Ledger
from assay.mcp import build_server, surface
from assay.notes import NoteStore
from assay.tools import read_instant
from mcp import Client


@dataclass(frozen=True)
class Config:
    """What is pinned of a run."""

    model: str = "claude-opus-4-7"
    seed: str = "propose-xs-momentum"
    clock: str = "2026-05-21T09:14:30Z"
    target: str = "fwd_ret_5"
    inputs: tuple[str, ...] = ("momentum", "classic-momentum-126-21", "classic-trend-quality-60", "turn")
    candidates: int = 60
    cites: tuple[str, ...] = ("walk-forward-without-leakage", "the-promotion-gate")
    invented: str = "momentum-always-works"

    @classmethod
    def read(cls, path: Path) -> Config:
        """The configuration of a sample run."""
        found = json.loads(path.read_text(encoding="utf-8"))["config"]
        return cls(
            **{key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}
        )


class PinnedClock:
    """A clock that stands."""

    def __init__(self, text: str) -> None:
        self._time = read_instant(text)

    def now(self) -> datetime:
        return self._time


class PinnedBytes:
    """Bytes that look random and follow from a seed."""

    def __init__(self, seed: str) -> None:
        self._seed, self._count = seed, 0

    def __call__(self, size: int) -> bytes:
        self._count += 1
        return hashlib.sha256(f"{self._seed}/{self._count}".encode()).digest()[:size]


class Refused(Exception):
    """A tool said no; ``reason`` is what to branch on."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool gives; a refusal raises."""
    answer = await client.call_tool(tool, arguments)
    if answer.is_error:
        raise Refused(answer.meta["reason"])
    return answer.structured_content


class Run:
    """One run of the agent, and what it left."""

    def __init__(self, config: Config, out_dir: Path, *, live: bool = False) -> None:
        self.config = config
        self.clock = None if live else PinnedClock(config.clock)
        self.ids = os.urandom if live else PinnedBytes(config.seed)
        self.said: list[str] = []
        self.workspace = init_workspace(out_dir / "workspace")
        self.ledger = Ledger.create(self.workspace.ledger_dir)
        self.notes = NoteStore(self.workspace.notes_dir)
        parts = {"notes": self.notes, "workspace": self.ledger, "clock": self.clock, "ids": self.ids}
        self.book = Book.create(out_dir, **parts)

    def say(self, name: str, value: object) -> None:
        self.said.append(f"{name:<20} = {value}")

    def operator(self) -> Operator:
        """Bind who acts. Without a model artifact there is no agent."""
        model = self.config.model
        try:
            Operator("agent", f"{model}/01951b40-0000-7000-8000-000000000000")
        except AssayError as error:
            self.say("without an artifact", error.message)
        operator = Operator.agent(model, model, clock=self.clock, random=self.ids)
        self.say("agent operator", operator.identifier)
        return operator

    async def propose(self, operator: Operator) -> None:
        """Read, search, propose."""
        registry = surface(self.workspace, book=self.book.root)
        async with Client(build_server(registry, operator=operator)) as client:
            features = (await call(client, "features_list", limit=200))["rows"]
            self.say("features", len(features))
            cites = await self.citations(client)
            best = await self.search(client, [row["name"] for row in features if not row["is_label"]])
            described = await call(client, "data_describe")
        # what an agent may know ends with the search period, so that is when it acts
        now = read_instant(f"{described['last_date']}T23:59:59Z")
        self.land(operator, best["report"], cites, now)
        async with Client(build_server(registry, operator=operator)) as client:
            self.rows = (await call(client, "book_recent_provenance"))["rows"]

    def land(self, operator: Operator, report: dict[str, Any], cites: Sequence[str], now: datetime) -> None:
        """Enter the candidate; a citation of what does not exist raises before anything is written."""
        entry = CandidateEntry(
            strategy_slug="xs-momentum",
            title=f"Cross-sectional momentum: {report['subject']}",
            fingerprint=report["provenance"]["fingerprint"],
            config_hash=report["provenance"]["config_hash"],
            metric="rank_ic",
            score=round(report["metrics"]["rank_ic"], 4),
        )
        log = self.book.root / "ledger" / "ledger.jsonl"
        before = log.read_bytes()
        try:
            self.book.record_candidate(operator, entry, [*cites, f"note:{self.config.invented}"], as_of=now)
        except ValueError as error:
            self.say("invented citation", error)
        assert log.read_bytes() == before, "a refused citation wrote something"
        made = self.book.record_candidate(operator, entry, cites, as_of=now)
        self.say("provenance event_id", made.event.event_id)
        self.say("cited artifacts", made.event.cites)
        self.say("leaderboard entries", len(self.book.leaderboard()["entries"]))

    async def citations(self, client: Client) -> list[str]:
        """The notes to cite: what cannot be had by its slug is looked up in the list."""
        wanted = [self.config.invented, *self.config.cites]
        found = []
        for slug in wanted:
            try:
                note = await call(client, "writing_get_note", slug=slug)
            except Refused as refusal:
                self.say(f"note {slug}", f"refused: {refusal.reason}")
                listed = (await call(client, "writing_list_notes"))["rows"]
                self.say("published notes", ", ".join(row["slug"] for row in listed))
                continue
            found.append(f"note:{note['slug']}")
        return found

    async def search(self, client: Client, features: Sequence[str]) -> dict[str, Any]:
        """One search for formulas; the best row. A feature that does not exist is left out."""
        inputs = list(self.config.inputs)
        asked = {"target": self.config.target, "n_candidates": self.config.candidates, "objective": "signed"}
        try:
            found = await call(client, "discovery_factor_mining", inputs=inputs, **asked)
        except Refused as refusal:
            self.say("search", f"refused: {refusal.reason}")
            if refusal.reason != "unknown_feature":
                raise
            inputs = [name for name in inputs if name in features]
            found = await call(client, "discovery_factor_mining", inputs=inputs, **asked)
        self.say("search", f"{found['evaluated']} formulas of {', '.join(inputs)}; N = {found['n']}")
        best: dict[str, Any] = found["rows"][0]
        self.say("best formula", best["report"]["subject"])
        return best

    def record(self) -> dict[str, Any]:
        """All that the run left, JSON-ready."""
        return {
            "config": asdict(self.config),
            "said": self.said,
            "provenance": self.rows,
            "leaderboard": json.loads((self.book.root / LEADERBOARD).read_text(encoding="utf-8")),
        }


def run(config: Config, out_dir: Path, *, live: bool = False) -> Run:
    """Run the agent; ``out_dir`` becomes the state root of a new book."""
    made = Run(config, out_dir, live=live)
    asyncio.run(made.propose(made.operator()))
    made.say("book directory", out_dir.name)
    made.say("leaderboard json", f"{out_dir.name}/{LEADERBOARD}")
    return made


def sample_text(done: Run) -> str:
    """The file of a sample run."""
    return json.dumps(done.record(), indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out-dir", type=Path, required=True, help="state root of a new book")
    parser.add_argument("--config", type=Path, help="a sample run, whose configuration is taken")
    parser.add_argument("--sample", type=Path, help="write the sample run to this file")
    parser.add_argument("--live", action="store_true", help="the machine's clock, and random ids")
    asked = parser.parse_args(arguments)
    try:
        config = Config() if asked.config is None else Config.read(asked.config)
        done = run(config, asked.out_dir, live=asked.live)
    except AssayError as error:
        print(f"error: {error.message}\n  what to do: {error.fix}", file=sys.stderr)
        return 2
    print("\n".join(done.said))
    if asked.sample is not None:
        asked.sample.write_text(sample_text(done), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
