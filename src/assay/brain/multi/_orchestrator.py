"""Rounds of several agents over the slots of one platform."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from assay.brain._result import JobResult, Proposal
from assay.brain._rounds import Runner
from assay.brain.multi._agents import Board, SearchAgent
from assay.brain.multi._queues import FairQueues, Side, Waiting
from assay.brain.search import TrialId
from assay.config import BrainMultiSettings

ROUND: Final = 4
"""Simulations a round for each slot of the platform: so that slots hardly wait for the last of a round."""

MultiStop = Literal["converged", "budget", "finished"]


@dataclass(frozen=True, slots=True)
class MultiRound:
    """One round: simulations by agent, results that another agent or session had, the best so far."""

    number: int
    simulated: dict[str, int]
    shared: int
    waiting: int
    best: JobResult | None


@dataclass(frozen=True, slots=True)
class AgentLine:
    """One agent: its rounds, the simulations that it asked for, those that others had made already."""

    name: str
    side: Side
    rounds: int
    simulated: int
    shared: int
    best_sharpe: float | None
    note: str


@dataclass(frozen=True, slots=True)
class MultiReport:
    """What a run of several agents found.

    ``stop``: ``converged`` = an alpha without a failing check reached the target; ``budget``; ``finished`` =
    no agent had anything more to ask for.
    """

    stop: MultiStop
    rounds: tuple[MultiRound, ...]
    agents: tuple[AgentLine, ...]
    results: tuple[JobResult, ...]
    best: JobResult | None
    simulations: int
    budget: int


@dataclass
class _Batch:
    """What an agent asked for and is not told of yet."""

    proposals: tuple[Proposal, ...]
    results: dict[int, JobResult | None] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        return len(self.results) == len(self.proposals)


class Orchestrator:
    """Shares a platform's slots among agents, round by round.

    In each round every agent that has been told all results of its last batch is asked, in the order of the
    agents; as many proposals as the round holds are taken in turn, fairly by side and agent; they run to
    their end; then the agents are told. So what is asked for depends on results alone, in whatever order they
    arrive, and the same simulation is made once, whoever asks for it.

    Parameters
    ----------
    agents : explorers and optimisers, names all different.
    board : what they share; the optimisers read it.
    slots : of the platform.
    watch : is told of each round when it is over.
    """

    def __init__(
        self,
        agents: Sequence[SearchAgent],
        board: Board,
        runner: Runner,
        config: BrainMultiSettings,
        slots: int,
        watch: Callable[[MultiRound], None] = lambda line: None,
    ) -> None:
        self._agents, self._board, self._runner = tuple(agents), board, runner
        self._config, self._size, self._watch = config, max(1, slots) * ROUND, watch
        self._queues = FairQueues(config.slots)
        self._open: dict[str, _Batch] = {}
        self._simulated: Counter[str] = Counter()
        self._shared: Counter[str] = Counter()
        self._best: dict[str, float] = {}
        self._lines: list[MultiRound] = []
        self._spent = 0

    def run(self) -> MultiReport:
        """Rounds until the target is reached, the budget is spent, or nobody asks for more."""
        while (stop := self._stop()) is None:
            self._round()
        return MultiReport(
            stop=stop,
            rounds=tuple(self._lines),
            agents=tuple(self._line(agent) for agent in self._agents),
            results=tuple(self._board.results),
            best=self._board.best,
            simulations=self._spent,
            budget=self._config.simulations,
        )

    def _stop(self) -> MultiStop | None:
        best = self._board.best
        reached = best is not None and (best.sharpe or 0.0) >= self._config.target_sharpe
        if reached and best is not None and not best.failing:
            return "converged"
        if self._spent >= self._config.simulations:
            return "budget"
        self._ask_all()
        return None if self._queues.waiting() else "finished"

    def _ask_all(self) -> None:
        """Ask every agent that has nothing open; what others have had is answered without a simulation."""
        for agent in self._agents:
            while agent.name not in self._open:
                proposals = agent.ask()
                if not proposals:
                    break
                self._open_batch(agent, proposals)
                self._tell_if_whole(agent)

    def _open_batch(self, agent: SearchAgent, proposals: tuple[Proposal, ...]) -> None:
        batch = self._open[agent.name] = _Batch(proposals)
        for place, proposal in enumerate(proposals):
            found = self._board.get(proposal)
            if found is not None:
                self._shared[agent.name] += 1
                batch.results[place] = found
        waiting = [
            Waiting(agent.name, place, proposal)
            for place, proposal in enumerate(proposals)
            if place not in batch.results
        ]
        self._queues.put(agent.side, waiting)

    def _round(self) -> None:
        """Simulate what is next, and tell those whose batches are whole."""
        room = min(self._size, self._config.simulations - self._spent)
        taken: dict[TrialId, Proposal] = {}
        wanted: list[Waiting] = []
        simulated: Counter[str] = Counter()
        while len(taken) < room and (item := self._queues.take()) is not None:
            wanted.append(item)
            key = TrialId.of(item.proposal.request)
            if key in taken or self._board.get(item.proposal) is not None:
                self._shared[item.agent] += 1
            else:
                taken[key] = item.proposal
                simulated[item.agent] += 1
        self._board.add(self._runner.run(list(taken.values())) if taken else ())
        self._spent += len(taken)
        self._simulated += simulated
        for item in wanted:
            self._open[item.agent].results[item.place] = self._board.get(item.proposal)
        for agent in self._agents:
            self._tell_if_whole(agent)
        line = MultiRound(
            number=len(self._lines) + 1,
            simulated=dict(simulated),
            shared=len(wanted) - len(taken),
            waiting=self._queues.waiting(),
            best=self._board.best,
        )
        self._lines.append(line)
        self._watch(line)

    def _tell_if_whole(self, agent: SearchAgent) -> None:
        batch = self._open.get(agent.name)
        if batch is None or not batch.whole:
            return
        del self._open[agent.name]
        told = [_as_asked(batch.results[place], item) for place, item in enumerate(batch.proposals)]
        known = [result.sharpe for result in told if result is not None and result.sharpe is not None]
        if known:
            self._best[agent.name] = max([*known, self._best.get(agent.name, known[0])])
        agent.tell(told)

    def _line(self, agent: SearchAgent) -> AgentLine:
        name = agent.name
        return AgentLine(
            name,
            agent.side,
            agent.rounds,
            self._simulated[name],
            self._shared[name],
            self._best.get(name),
            agent.note,
        )


def _as_asked(result: JobResult | None, proposal: Proposal) -> JobResult | None:
    return None if result is None else replace(result, proposal=proposal)
