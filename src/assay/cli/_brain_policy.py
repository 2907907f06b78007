"""Who decides in a session of ``assay brain``: the sampler, or a model where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from assay.errors import Refusal

if TYPE_CHECKING:
    from assay.base import Operator
    from assay.brain.agent import Policy, SessionKnowledge, Task
    from assay.brain.client import BlockingClient
    from assay.config import BrainAgentSettings, LlmSettings, Secret, Workspace
    from assay.ledger import Run
    from assay.llm import CallRecord, CallSink

SAMPLER, MODEL, REPLAY = "sampler", "llm", "replay"
_NO_SERVICE: Final = ("rules", "sampler")


@dataclass(frozen=True, slots=True)
class Deciders:
    """A policy with what a session has to know of it."""

    policy: Policy
    name: str
    inputs: dict[str, str] = field(default_factory=dict)
    tokens: Callable[[], int] | None = None
    operator: Operator | None = None
    task: Task | None = None


def deciders(
    wanted: str,
    seed: int,
    workspace: Workspace,
    platform: BlockingClient,
    settings: BrainAgentSettings,
    knowledge: SessionKnowledge,
    run: Run,
    *,
    recorded: Run | None,
) -> Deciders:
    """The policy of a session; one that goes on keeps its own.

    Raises
    ------
    Refusal
        ``role_not_configured``: a model is wanted, and there is none.
    """
    from assay.config import load_secrets

    secrets = load_secrets(workspace.root)
    if recorded is not None:
        before = recorded.inputs()
        wanted, seed = before.get("policy", ""), int(before.get("seed", "0"))
        if wanted == REPLAY:
            wanted = f"{REPLAY}:{before['recorded']}"
    if wanted == "auto":
        wanted = MODEL if _has_model(workspace.llm, secrets) else SAMPLER
    if wanted.startswith(REPLAY):
        from assay.brain.agent import ReplayPolicy

        name = wanted.partition(":")[2]
        replayed = ReplayPolicy(run.ledger.run(name), knowledge)
        return Deciders(replayed, REPLAY, {"recorded": name}, task=replayed.task)
    if wanted == SAMPLER:
        from assay.brain.agent.policies.sampler import SamplerPolicy

        return Deciders(SamplerPolicy(platform, settings, seed), SAMPLER, {"seed": str(seed)})
    return _model(workspace, secrets, platform, settings, knowledge, run, resumed=recorded is not None)


def _has_model(llm: LlmSettings, secrets: dict[str, Secret]) -> bool:
    from assay.brain.agent.policies.model import ROLE, with_researcher

    try:
        settings = with_researcher(llm, secrets)
    except Refusal:
        return False
    return settings.backends[settings.roles[ROLE].backend].kind not in _NO_SERVICE


def _model(
    workspace: Workspace,
    secrets: dict[str, Secret],
    platform: BlockingClient,
    settings: BrainAgentSettings,
    knowledge: SessionKnowledge,
    run: Run,
    *,
    resumed: bool,
) -> Deciders:
    from assay.base import Operator
    from assay.brain.agent import RecordedCalls, recorded_calls
    from assay.brain.agent.policies.model import ROLE, ModelPolicy, with_researcher
    from assay.brain.tools import BrainDesk, HttpsWeb, WebRules
    from assay.llm import Roles
    from assay.tools import ledger_sink

    llm = with_researcher(workspace.llm, secrets)
    calls = recorded_calls(run) if resumed else RecordedCalls()
    sink = _Counting(ledger_sink(run), calls.tokens)
    roles = Roles.of(
        llm,
        sink=sink,
        secrets=secrets,
        root=workspace.root,
        recorded=lambda name: recorded_calls(run.ledger.run(name)).settled,
        settled=calls.settled,
        earlier=calls.earlier,
    )
    role = llm.roles[ROLE]
    name = role.model or llm.backends[role.backend].model or role.backend
    hosts = workspace.brain.web_hosts
    web = HttpsWeb(WebRules(hosts)) if hosts else None
    desk = BrainDesk(platform, knowledge, web)
    return Deciders(
        ModelPolicy(roles.client(ROLE), desk, settings),
        MODEL,
        {"model": f"{role.backend}/{name}"},
        lambda: sink.tokens,
        None if resumed else Operator.agent(name, f"{role.backend}/{name}"),
    )


class _Counting:
    """A sink that counts tokens."""

    def __init__(self, sink: CallSink, tokens: int) -> None:
        self._sink, self.tokens = sink, tokens

    def record(self, call: CallRecord) -> None:
        """Write the call, then count its tokens."""
        self._sink.record(call)
        if call.reply is not None:
            self.tokens += call.reply.usage.input + call.reply.usage.output
