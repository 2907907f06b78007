"""The one agent loop: a policy, a toolbox, a budget; a trajectory comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assay.base import Clock, SystemClock
from assay.errors import AssayError
from assay.llm import Message, ToolCall, ToolSpec
from assay.tools._audit import audit
from assay.tools._budget import Budget, Spent, Stop
from assay.tools._outcome import Outcome
from assay.tools._policy import Action, EpisodeState, Policy
from assay.tools._record import ToolSink
from assay.tools._store import Score, TrajectoryStore
from assay.tools._toolbox import Toolbox, ToolSession
from assay.tools._trajectory import CallVerdict, MadeCall, Observation, Trajectory, observe, verdict_of


@dataclass(frozen=True)
class Task:
    """What an episode is about.

    Parameters
    ----------
    stage : kind of episode, such as ``extract``.
    case : what it is about; names a folder.
    prompt : the messages that it begins with.
    rollout : number of this attempt at the case; names a folder.
    finished : whether the task is done although the policy would go on.
    score : the reward of a finished trajectory; called once, after the last turn.
    """

    stage: str
    case: str
    prompt: tuple[Message, ...]
    rollout: str = "r0"
    finished: Callable[[EpisodeState], bool] | None = None
    score: Callable[[Trajectory], Score] | None = None


def run_episode(
    policy: Policy,
    toolbox: Toolbox,
    *,
    budget: Budget,
    task: Task,
    store: TrajectoryStore | None = None,
    sink: ToolSink | None = None,
    clock: Clock | None = None,
) -> Trajectory:
    """Let a policy act until it answers without a call, the task is finished, or a budget is used up.

    Each call is given to ``sink`` before the policy sees its answer. Trajectory, score and metadata are
    stored at the end, all or nothing; an episode that is broken off leaves nothing in the store.

    Raises
    ------
    ProviderError
        The policy's service failed.
    AssayError
        The prompt is empty, the sink or the store could not write, or the ids cannot name folders.
    """
    if not task.prompt:
        raise AssayError("an episode needs a prompt", where="task.prompt", fix="give at least one message")
    if store is not None:
        store.folder(task.case, task.rollout)  # refuses bad ids before anything is spent
    trajectory = _Episode(policy, toolbox, budget, task, sink, clock or SystemClock()).run()
    score = Score() if task.score is None else task.score(trajectory)
    if store is not None:
        store.save(task.rollout, trajectory, score, toolbox.caller.operator)
    return trajectory


@dataclass
class _Episode:
    policy: Policy
    toolbox: Toolbox
    budget: Budget
    task: Task
    sink: ToolSink | None
    clock: Clock
    tools: tuple[ToolSpec, ...] = ()
    spent: Spent = field(default_factory=Spent)
    messages: list[Message] = field(default_factory=list)
    calls: list[MadeCall] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    verdicts: list[CallVerdict] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)

    def run(self) -> Trajectory:
        self.messages += self.task.prompt
        self.tools = self.toolbox.specs()
        session = ToolSession(self.toolbox, calls=self.budget.calls)
        begun = self.clock.now()
        stop = None
        while stop is None:
            seconds = max(0.0, (self.clock.now() - begun).total_seconds())
            self.spent = replace(self.spent, seconds=seconds)
            stop = self.budget.exhausted(self.spent) or self._turn(session)
        return self._trajectory(stop)

    def _turn(self, session: ToolSession) -> Stop | None:
        action = self.policy.act(self._state())
        self._count(action)
        self.messages.append(Message("assistant", action.text, action.tool_calls))
        if not action.tool_calls:
            return "answered"
        step = self.spent.turns
        for call, outcome in zip(action.tool_calls, session.step(action.tool_calls), strict=True):
            self._take(step, call, outcome)
        done = self.task.finished is not None and self.task.finished(self._state())
        return "finished" if done else None

    def _take(self, step: int, call: ToolCall, outcome: Outcome) -> None:
        if self.sink is not None:
            self.sink.record(step, call, outcome, self.toolbox.caller)
        seen = observe(step, call, outcome)
        self.calls.append(MadeCall(step, call))
        self.outcomes.append(outcome)
        self.observations.append(seen)
        self.verdicts.append(verdict_of(step, call, outcome))
        self.messages.append(Message("tool", seen.content, tool_call_id=call.id))

    def _count(self, action: Action) -> None:
        self.repairs.update(action.repairs)
        self.spent = replace(
            self.spent,
            turns=self.spent.turns + 1,
            calls=self.spent.calls + len(action.tool_calls),
            tokens=self.spent.tokens + action.tokens,
            money=self.spent.money + action.money,
        )

    def _state(self) -> EpisodeState:
        return EpisodeState(
            tuple(self.messages), tuple(self.observations), self.tools, self.budget, self.spent
        )

    def _trajectory(self, stop: Stop) -> Trajectory:
        return Trajectory(
            stage=self.task.stage,
            case=self.task.case,
            policy=self.policy.name,
            prompt=len(self.task.prompt),
            messages=tuple(self.messages),
            calls=tuple(self.calls),
            observations=tuple(self.observations),
            verdicts=tuple(self.verdicts),
            tools=self.tools,
            audit=audit(self.outcomes),
            stop=stop,
            spent=self.spent,
            repairs=dict(sorted(self.repairs.items())),
        )
