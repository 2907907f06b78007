"""A campaign without a market: a judge that draws figures from fingerprints, and models that read prompts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.base import Operator
from assay.campaign import CampaignConfig, ContextSettings, QuotaSettings, RoleBackends, RoundSettings
from assay.campaign._campaign import Campaign, CampaignSetup
from assay.campaign._files import RunFiles
from assay.campaign._llm_team import LlmBackends
from assay.campaign._pools import Pools
from assay.campaign._ports import AdmissionVerdict, Count, GateVerdict, Near, Scored
from assay.campaign._scripted import ScriptedBackends
from assay.campaign._settings import StopSettings
from assay.campaign._snapshot import RunSnapshot
from assay.campaign._types import (
    Brief,
    Candidate,
    Candidates,
    Direction,
    Directions,
    FixRequest,
    MemoryContext,
    PlanContext,
    ProposeContext,
    Review,
    ReviewContext,
    Reviews,
    Team,
)
from assay.campaign.prompts import Prompts
from assay.config import BackendSettings, LlmSettings, RoleSettings
from assay.errors import ExpressionError
from assay.expr import STANDARD_FIELDS, Expression, parse
from assay.ledger import Draft, Ledger, Run, TrialKey
from assay.llm import CallRecord, CallSink, ReplayProvider, Request, Roles, ScriptedProvider

FIELDS = {name: STANDARD_FIELDS[name] for name in ("close", "volume", "amount", "returns")}
MECHANISMS = {"momentum": "goes on", "reversal": "turns back"}
RUN = "r-1"
MODEL_ROLES = ("planner", "proposer", "reviewer", "distiller")
ALL_MODELS = RoleBackends(*(["llm"] * 4))  # type: ignore[arg-type]


def config(**changes: Any) -> CampaignConfig:
    """A small campaign with everything on but models."""
    made = CampaignConfig(
        mechanisms=MECHANISMS,
        quota=QuotaSettings(slots=4, min_per_type=1),
        round=RoundSettings(groups=2, gate_fixes=2, picked_parents=True, max_children=2),
        context=ContextSettings(
            recent_rounds=1,
            memory_every=2,
            theme_correlation=0.95,
            lineage=True,
            send_back_repeats=True,
            seed_directions=("begin here",),
        ),
        stop=StopSettings(max_rounds=3),
    )
    return replace(made, **changes)


def drawn(text: str) -> float:
    """A number from 0 to 1 that hangs on a text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32


@dataclass
class FakeJudging:
    """A judge whose figures come from fingerprints; trials are recorded as the real one records them."""

    run: Run
    pools: Pools
    threshold: float = 0.5
    pool: list[str] = field(default_factory=list)
    zoo: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    tried_by_id: dict[str, np.ndarray] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    pools_seen: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = {
            item.expression.signature: item.name for item in (*self.pools.reference, *self.pools.known)
        }

    def read(self, text: str) -> Expression:
        return parse(text, fields=FIELDS)

    def gate(self, texts: Sequence[str], round_so_far: Sequence[Expression]) -> tuple[GateVerdict, ...]:
        found: list[GateVerdict] = []
        earlier = {item.signature for item in round_so_far}
        for text in texts:
            verdict = self._gate(text, earlier)
            if verdict.expression is not None and verdict.passed:
                earlier.add(verdict.expression.signature)
            found.append(verdict)
        return tuple(found)

    def _gate(self, text: str, earlier: set[str]) -> GateVerdict:
        try:
            one = self.read(text)
        except ExpressionError as error:
            return GateVerdict(False, None, "candidate.parse", error.message)
        if one.signature in self.known:
            return GateVerdict(False, one, "candidate.duplicate_known", "known")
        if one.signature in self.zoo:
            return GateVerdict(False, one, "candidate.duplicate_zoo", f"it is {self.zoo[one.signature]}")
        if one.signature in self.seen:
            return GateVerdict(False, one, "candidate.duplicate_run", f"it is {self.seen[one.signature]}")
        if one.signature in earlier:
            return GateVerdict(False, one, "candidate.duplicate_round", "twice in this round")
        return GateVerdict(True, one)

    def score(self, items: Sequence[Expression]) -> tuple[Scored, ...]:
        self.batches.append(len(items))
        known = {entry.body["fingerprint"] for entry in self.run.entries(kind="trial")}
        fresh = list({i.fingerprint: i for i in items if i.fingerprint not in known}.values())
        if fresh:
            self.run.append_many([Draft("trial", self._body(item)) for item in fresh])
        return tuple(Scored(item, self._figures(item), self._row(item)) for item in items)

    def _body(self, item: Expression) -> dict[str, Any]:
        return {
            **TrialKey(item.fingerprint, "c").as_body(),
            "expression": item.text, "data": "fake", "universe": None, "period": "search", "bars": 100,
            "sharpe": drawn(item.fingerprint) / 10, "series": None, "desk": "campaign", "control": False,
        }  # fmt: skip

    def _figures(self, item: Expression) -> dict[str, float | None]:
        share = drawn(item.fingerprint)
        return {"rank_ic": share / 10, "t": 6 * share, "coverage": 1.0, "icir": None}

    def _row(self, item: Expression) -> np.ndarray:
        # another rank around a formula changes nothing that matters
        seed = int(drawn(item.text.replace("rank(rank(", "rank(").rstrip(")")) * 2**32)
        return np.random.default_rng(seed).normal(size=30)

    def count(self) -> Count:
        return Count(sum(1 for _ in self.run.entries(kind="trial")), 0.001)

    def admit(self, scored: Scored, count: Count) -> AdmissionVerdict:
        value = drawn(scored.expression.fingerprint)
        self.pools_seen.append((scored.expression.text, tuple(self.pool)))
        checks = ({"name": "t", "outcome": "passed", "value": value, "threshold": self.threshold},)
        if value >= self.threshold:
            return AdmissionVerdict(True, checks=checks)
        return AdmissionVerdict(False, "admission.t", f"{value:.3f} of {count.n}", checks)

    def join(self, trial: str, scored: Scored) -> None:
        self.pool.append(trial)
        self.zoo[scored.expression.signature] = trial

    def remember(self, trial: str, expression: Expression) -> None:
        self.seen[expression.signature] = trial

    def tried(self, trial: str, scored: Scored) -> None:
        self.tried_by_id[trial] = scored.source

    def nearest(self, items: Sequence[Expression]) -> tuple[Near | None, ...]:
        return tuple(self._nearest(self._row(item)) for item in items)

    def _nearest(self, row: np.ndarray) -> Near | None:
        found = {name: float(np.corrcoef(row, other)[0, 1]) for name, other in self.tried_by_id.items()}
        if not found:
            return None
        best = max(found, key=lambda name: abs(found[name]))
        return Near(best, found[best])

    def correlation(self, left: str, right: str) -> float | None:
        return float(self.correlations([left, right])[0, 1])

    def correlations(self, ids: Sequence[str]) -> np.ndarray:
        n = len(ids)
        found = np.ones((n, n))
        for i in range(n):
            for j in range(i):
                rows = self.tried_by_id[ids[i]], self.tried_by_id[ids[j]]
                found[i, j] = found[j, i] = float(np.corrcoef(*rows)[0, 1])
        return found


def formula(number: int) -> str:
    """The ``number``-th of many different formulas."""
    op = ("ts_mean", "ts_std", "ts_max", "ts_min", "ts_rank")[number % 5]
    name = ("returns", "volume", "amount")[number // 5 % 3]
    return f"rank({op}({name}, {3 + number // 15}))"


# models that read their prompts


def reply(request: Request) -> str:
    """What a model says: a function of its prompt alone. Some replies are wrong on purpose."""
    system, user = request.messages[0].content, request.messages[1].content
    if "## Slots" in user:
        return _plan(user)
    if "came back" in user:
        return _fix(user)
    if "## Directions" in user:
        return _propose(user)
    if system and "## Candidates" in user:
        return _review(user)
    return json.dumps({"memory": f"learned {drawn(user):.6f}"})


def _number(user: str) -> int:
    return int(re.search(r"ound (\d+)", user)[1])  # type: ignore[index]


def _plan(user: str) -> str:
    directions = []
    buildable = re.findall(r"^- (r\d+-s\d+)$", user, re.MULTILINE)
    part = user.partition("## Slots")[2].partition("\n## ")[0]
    for slot, parent in re.findall(r"slot (\d+) \| \w+(?: \| parent (\S+))?", part):
        kind, of = ("refinement", parent) if parent else ("new", None)
        if not parent and buildable and int(slot) % 2:
            kind, of = "refinement", buildable[-1]
        directions.append({"slot": int(slot), "kind": kind, "text": f"idea {slot}", "parent": of})
    if _number(user) == 2:
        directions[-1] = "not a direction"
    return json.dumps({"directions": directions})


def _propose(user: str) -> str:
    number = _number(user)
    found = []
    for slot in re.findall(r"slot (\d+) \|", user.partition("## Directions")[2].partition("\n## ")[0]):
        text = formula(int(drawn(f"{number}/{slot}") * 150))
        if slot == "1" and number == 1:
            text = "rank(nonsense(close"
        if slot == "2":
            text = formula(int(drawn(f"{number}/0") * 150))  # the same as slot 0
        found.append(_candidate(int(slot), text, inconsistent=slot == "3"))
    return json.dumps({"candidates": found})


def _fix(user: str) -> str:
    number = _number(user)
    found = []
    for block in re.split(r"\n(?=slot \d+\n)", user)[1:]:
        slot = int(re.match(r"slot (\d+)", block)[1])  # type: ignore[index]
        found.append(_candidate(slot, formula(int(drawn(f"{number}/{slot}/{block}") * 150))))
    if number == 3:
        return "I would rather not."
    return json.dumps({"candidates": found})


def _candidate(slot: int, text: str, *, inconsistent: bool = False) -> dict[str, Any]:
    return {
        "slot": slot, "name": f"f{slot}", "expression": text,
        "hypothesis": "inconsistent" if inconsistent else "sound", "description": "what it says",
    }  # fmt: skip


def _review(user: str) -> str:
    found = []
    for block in re.split(r"(?:^|\n)(?=slot \d+\n)", user):
        match = re.match(r"slot (\d+)", block)
        if match:
            bad = "inconsistent" in block
            found.append({"slot": int(match[1]), "consistent": not bad, "reasons": "no" if bad else ""})
    return json.dumps({"reviews": found})


def models(
    chosen: RoleBackends = ALL_MODELS,
    *,
    say: Callable[[Request], Any] = reply,
    replay: ReplayProvider | None = None,
    settings: LlmSettings | None = None,
) -> Callable[[CallSink, Iterable[CallRecord], Iterable[CallRecord]], Any]:
    """A maker of backends on a scripted model."""
    backends = {"scripted": BackendSettings(name="scripted", kind="scripted")}
    roles = {name: RoleSettings("scripted", "m") for name in MODEL_ROLES}
    llm = settings or LlmSettings(backends=backends, roles=roles)  # type: ignore[arg-type]

    def make(sink: CallSink, settled: Iterable[CallRecord], earlier: Iterable[CallRecord]) -> LlmBackends:
        made = Roles.of(
            llm,
            sink=sink,
            factories={"scripted": lambda _: ScriptedProvider(say)},
            replay=replay,
            settled=settled,
            earlier=earlier,
        )
        return LlmBackends(chosen, made, Prompts("en"), _Nobody())

    return make


class _Nobody:
    def team(self) -> Team:
        return Team(*([None] * 4))  # type: ignore[list-item]

    def lanes(self, n: int) -> tuple[Team, ...]:
        return (self.team(),) * n


# backends without a model


@dataclass
class Script:
    """Backends whose answers a test may replace one by one; it keeps what it was asked."""

    asked: list[tuple[str, Any]] = field(default_factory=list)

    def plan(self, context: PlanContext) -> Directions:
        return Directions(
            tuple(
                Direction(p.slot, p.mechanism, "refinement" if p.parent else "new", "idea", p.parent)
                for p in context.slots
            )
        )

    def propose(self, context: ProposeContext) -> Candidates:
        return Candidates(
            tuple(
                Candidate(d.slot, f"f{d.slot}", formula(context.round * 20 + d.slot), "why", "what")
                for d in context.directions
            )
        )

    def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
        return Candidates(
            tuple(
                replace(r.candidate, expression=formula(context.round * 20 + 10 + r.candidate.slot))
                for r in requests
            )
        )

    def review(self, context: ReviewContext) -> Reviews:
        return Reviews(tuple(Review(c.slot, True) for c in context.candidates))

    def distill(self, context: MemoryContext) -> str | None:
        return f"after {len(context.trials)} trials"

    def backends(self, *_: Any) -> ScriptedBackends:
        def told(name: str) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                self.asked.append((name, arguments))
                return getattr(self, name)(*arguments)

            return call

        return ScriptedBackends(*(told(n) for n in ("plan", "propose", "fix", "review", "distill")))


@dataclass
class Place:
    """A workspace's ledger and runs, and the campaigns in it."""

    root: Path
    judgings: list[FakeJudging] = field(default_factory=list)

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    @property
    def folder(self) -> Path:
        return self.runs / RUN

    def ledger(self, **options: Any) -> Ledger:
        folder = self.root / "ledger"
        return Ledger.open(folder, **options) if folder.exists() else Ledger.create(folder, **options)

    def setup(self, chosen: CampaignConfig | None = None, **changes: Any) -> CampaignSetup:
        made = chosen or config()

        def judging(run: Run, _: Operator, pools: Pools) -> FakeJudging:
            self.judgings.append(FakeJudging(run, pools))
            return self.judgings[-1]

        setup = CampaignSetup(
            config=made,
            snapshot=changes.pop("snapshot", None) or RunSnapshot.read(made),
            pools=Pools(),
            inputs={"data:fake": "0" * 64},
            brief=Brief("a market", "a label", "a score", {"close": ""}, ("rank(x)",), made.mechanisms),
            families=(),
            judging=judging,
            backends=models() if made.roles.models else Script().backends,
            commits=("assay test",),
        )
        return replace(setup, **changes)

    def campaign(self, setup: CampaignSetup | None = None, **options: Any) -> Campaign:
        files = options.pop("ledger_files", None)
        ledger = self.ledger(files=files) if files is not None else self.ledger()
        return Campaign(setup or self.setup(), ledger, self.runs, RUN, **options)

    def export(self) -> bytes:
        return self.ledger().run(RUN).export()

    def leavings(self) -> Mapping[str, bytes]:
        """The files of the run, events aside."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.name != "events.jsonl" and not path.name.startswith(".")
        }


__all__ = ["ALL_MODELS", "RUN", "FakeJudging", "Place", "RunFiles", "Script", "config", "formula", "models"]
