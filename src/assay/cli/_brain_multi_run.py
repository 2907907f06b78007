"""What ``assay brain multi`` does."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.cli._brain_check import check_idea
from assay.cli._brain_run import BrainPlace, best_lines, new_id, opened_place, recorded, write_task
from assay.cli._output import print_json, say
from assay.cli._progress import note
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.brain import JobResult
    from assay.brain.agent import Policy
    from assay.brain.multi import MultiReport, MultiRound, NewSearch
    from assay.config import BrainSettings
    from assay.ledger import Run
    from assay.llm import Roles

KIND: Final = "multi"
REPORT: Final = "multi.json"


@dataclass(frozen=True, slots=True)
class MultiWish:
    """The command line."""

    idea: str | None
    data_set: str
    budget: int | None
    explorers: int | None
    optimizers: int | None
    slots: str | None
    policy: str
    seed: int
    resume: str | None
    run: str | None

    def check(self) -> None:
        """Refuse what cannot be kept, or does not go together."""
        if self.idea is not None:
            check_idea(self.idea)
        given = (self.idea, self.data_set, self.budget, self.explorers, self.optimizers, self.slots, self.run)
        if self.resume is not None and any(item not in (None, "") for item in given):
            raise AssayError(
                "a run that goes on has its task already",
                where="--resume",
                fix="leave all but --local, --data and --workspace out",
            )

    def task(self, settings: BrainSettings) -> dict[str, Any]:
        """What the run is asked, JSON-ready."""
        given = {
            "simulations": self.budget,
            "explorers": self.explorers,
            "optimizers": self.optimizers,
            "slots": self.slots,
        }
        chosen = {name: value for name, value in given.items() if value is not None}
        return {
            "idea": self.idea or "",
            "data_set": self.data_set,
            "policy": self.policy,
            "seed": self.seed,
            "settings": {**asdict(settings.multi), **chosen},
        }


def play_multi(wish: MultiWish, local: bool, data: str | None, folder: Path | None, *, as_json: bool) -> None:
    """Run several agents, or go on with such a run, write its report, and tell of it."""
    wish.check()
    with opened_place(local, data, folder, resume=wish.resume, kind=KIND) as place:
        task = place.task or wish.task(place.workspace.brain)
        name = wish.resume or new_id(place, wish.run, KIND)
        if place.task is None:
            _check(place, task)
        found = _play(place, task, name)
    _tell(found, name, place.folder(name) / REPORT, as_json=as_json)


def _check(place: BrainPlace, task: dict[str, Any]) -> None:
    """Refuse before anything is written what cannot be played."""
    from assay.brain import require_fields

    if task["data_set"]:
        require_fields(place.platform, task["data_set"])
    if _wants_model(task):
        from assay.brain.agent.policies.model import with_researcher
        from assay.config import load_secrets

        with_researcher(place.workspace.llm, load_secrets(place.workspace.root))


def _play(place: BrainPlace, task: dict[str, Any], name: str) -> dict[str, Any]:
    from assay.base import atomic_write_json
    from assay.brain import RecordedRounds
    from assay.brain.agent import Task, usual_settings
    from assay.brain.multi import Board, Orchestrator, make_agents
    from assay.brain.search import RESULTS_NAME, Batch, ResultStore
    from assay.config import BrainMultiSettings

    platform, folder, brain = place.platform, place.folder(name), place.workspace.brain
    multi = BrainMultiSettings(**task["settings"])
    agent = replace(brain.agent, temperature=multi.explorer_temperature)
    settings = replace(brain, multi=multi, agent=agent)
    board = Board()
    first = Task(task["idea"], task["data_set"], settings=usual_settings(platform.choices()))
    store = ResultStore(place.workspace.brain_dir / RESULTS_NAME)
    if place.task is None:
        write_task(folder, KIND, task)
    with store, recorded(place, name, {"task": task}, KIND) as run:
        policies, new_search = _deciders(place, task, settings, run)
        agents = make_agents(
            platform, policies, first, board, settings, seed=task["seed"], new_search=new_search
        )
        batch = Batch(platform, store, folder, settings=settings, run=run, agent=KIND)
        rounds = RecordedRounds(batch, run)
        report = Orchestrator(agents, board, rounds, multi, platform.slots, _watch).run()
        data = report_data(report, place, task)
        atomic_write_json(folder / REPORT, data)
    return data


def _wants_model(task: dict[str, Any]) -> bool:
    return "llm" in (task["policy"], task["settings"]["optimizer_mode"])


def _deciders(
    place: BrainPlace, task: dict[str, Any], settings: BrainSettings, run: Run
) -> tuple[list[Policy], NewSearch | None]:
    """A policy for each explorer, and the search of the optimisers where a model does it."""
    from assay.brain.agent.policies.sampler import SamplerPolicy

    multi, platform, seed = settings.multi, place.platform, task["seed"]
    policies: list[Policy] = [
        SamplerPolicy(platform, settings.agent, seed + number) for number in range(multi.explorers)
    ]
    if not _wants_model(task):
        return policies, None
    from assay.brain.agent.policies.model import ROLE, ModelPolicy
    from assay.brain.multi import by_model
    from assay.brain.tools import BrainDesk

    # each branch has calls of its own, so that equal questions of two are told apart in a replay
    *own, last = _roles(place, run).lanes(multi.explorers + 1)
    if task["policy"] == "llm":
        policies = [ModelPolicy(lane.client(ROLE), BrainDesk(platform), settings.agent) for lane in own]
    by = by_model(last.client(ROLE), platform.choices()) if multi.optimizer_mode == "llm" else None
    return policies, by


def _roles(place: BrainPlace, run: Run) -> Roles:
    """The models of the run; what they have answered before is answered from the record."""
    from assay.brain.agent.policies.model import with_researcher
    from assay.config import load_secrets
    from assay.llm import Roles, read_calls
    from assay.tools import calls_of_run, ledger_sink

    secrets = load_secrets(place.workspace.root)
    bodies = [entry.body for entry in run.entries(kind="llm_call")]
    return Roles.of(
        with_researcher(place.workspace.llm, secrets),
        sink=ledger_sink(run),
        secrets=secrets,
        root=place.workspace.root,
        recorded=partial(calls_of_run, run.ledger),
        earlier=read_calls(bodies, run.ledger),
    )


def _watch(line: MultiRound) -> None:
    shares = ", ".join(f"{name} {count}" for name, count in sorted(line.simulated.items()))
    best = "" if line.best is None else f"; best sharpe {line.best.sharpe:.2f}"
    shared = f"; {line.shared} known" if line.shared else ""
    note(f"round {line.number}: {shares or 'nothing new'}{shared}{best}")


def report_data(report: MultiReport, place: BrainPlace, task: dict[str, Any]) -> dict[str, Any]:
    """The report as JSON-ready data."""
    return {
        "idea": task["idea"],
        "platform": place.platform.name,
        "simulated": place.platform.simulated,
        "stop": report.stop,
        "simulations": report.simulations,
        "budget": report.budget,
        "rounds": [
            {**asdict(replace(line, best=None)), "best": None if line.best is None else _result(line.best)}
            for line in report.rounds
        ],
        "agents": [asdict(line) for line in report.agents],
        "best": None if report.best is None else _result(report.best),
        "results": [_result(item) for item in report.results],
    }  # fmt: skip


def _result(result: JobResult) -> dict[str, Any]:
    request = result.proposal.request
    return {
        "expression": request.regular,
        "settings": request.settings.wire(),
        "agent": result.proposal.direction.partition(":")[0],
        "origin": result.proposal.origin,
        "status": result.status,
        "alpha": result.alpha,
        "sharpe": result.sharpe,
        "fitness": result.fitness,
        "turnover": result.turnover,
        "failing": list(result.failing),
    }


def _tell(data: dict[str, Any], name: str, file: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": name, **data, "file": str(file)})
        return
    simulated = ", a simulated market" if data["simulated"] else ""
    say(f"run        {name} on {data['platform']}{simulated}: {data['stop']}")
    say(f"spent      {data['simulations']} of {data['budget']} simulations in {len(data['rounds'])} rounds")
    for line in data["agents"]:
        best = "" if line["best_sharpe"] is None else f", best sharpe {line['best_sharpe']:.2f}"
        noted = f" ({line['note']})" if line["note"] else ""
        counts = f"{line['rounds']} rounds, {line['simulated']} simulations, {line['shared']} known before"
        say(f"  {line['name']:<12} {counts}{best}{noted}")
    best = data["best"]
    if best is not None:
        for text in best_lines(best):
            say(text)
    say(f"file       {file}")
