from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.base import Clock, SystemClock, did_you_mean
from assay.config import LLM_ROLES, BackendSettings, LlmSettings, RoleSettings, Secret
from assay.errors import AssayError, DataError, ProviderAuth, Refusal
from assay.llm._anthropic import ANTHROPIC_URL, AnthropicProvider
from assay.llm._budget import Budget
from assay.llm._client import Client
from assay.llm._connection import Endpoint
from assay.llm._log import CallKey, CallRecord, CallSink
from assay.llm._openai import OPENAI_URL, OpenAIProvider
from assay.llm._ordinals import Ordinals
from assay.llm._provider import Provider
from assay.llm._reasons import BACKEND_NOT_AVAILABLE, ROLE_NOT_CONFIGURED
from assay.llm._replay import ReplayProvider
from assay.llm._retry import RetryPolicy
from assay.llm._scripted import Scripted, ScriptedProvider
from assay.llm._types import Reachability, Reply, ToolCall

Factory = Callable[[BackendSettings], Provider]
"""Makes the provider of a kind of backend that a desk brings along, such as ``rules``."""

_LONGEST_SILENCE = 180.0


class Backends:
    """The providers of a configuration, each made when it is first needed.

    Parameters
    ----------
    settings : the ``[llm]`` tables.
    secrets : keys by the name of their variable; see :func:`assay.config.load_secrets`.
    root : folder that the paths of the settings begin at, the workspace.
    factories : makers of providers by kind; for ``rules`` and ``sampler``, which desks bring along. They go
        before the built-in kinds.
    recorded : the calls of a run, by its id; for kind ``replay``.
    """

    def __init__(
        self,
        settings: LlmSettings,
        *,
        secrets: Mapping[str, Secret] | None = None,
        root: Path | None = None,
        factories: Mapping[str, Factory] | None = None,
        recorded: Callable[[str], Iterable[CallRecord]] | None = None,
    ) -> None:
        self._settings = settings
        self._secrets = dict(secrets or {})
        self._root = root or Path()
        self._factories = dict(factories or {})
        self._recorded = recorded
        self._made: dict[str, Provider] = {}
        self._lock = threading.Lock()

    def provider(self, name: str) -> Provider:
        """The provider of the backend ``name``.

        Raises
        ------
        ProviderAuth
            The variable that holds its key is not set.
        Refusal
            ``backend_not_available``: nothing here makes a backend of its kind.
        DataError
            The script of a ``scripted`` backend cannot be read.
        """
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(self._settings.backends[name])
            return self._made[name]

    def check(self, names: Iterable[str] | None = None) -> dict[str, Reachability]:
        """Whether the backends (default: those that roles use) answer, by name; no completion is made."""
        used = {role.backend for role in self._settings.roles.values()}
        return {name: self._check(name) for name in sorted(used if names is None else names)}

    def _check(self, name: str) -> Reachability:
        try:
            return self.provider(name).check()
        except AssayError as error:
            return Reachability(False, error.message)

    def _make(self, backend: BackendSettings) -> Provider:
        if backend.kind in self._factories:
            return self._factories[backend.kind](backend)
        if backend.kind in ("openai", "anthropic"):
            return self._service(backend)
        if backend.kind == "scripted" and backend.script:
            return ScriptedProvider(read_script(self._root / backend.script), name=backend.name)
        if backend.kind == "replay" and backend.run and self._recorded is not None:
            calls = _calls_of(backend.run, self._recorded, backend.name)
            return ReplayProvider(calls, name=backend.name)
        raise Refusal(
            BACKEND_NOT_AVAILABLE,
            f"the backend {backend.name!r} is of kind {backend.kind!r}, which cannot be used here",
            where=f"llm.backends.{backend.name}",
        )

    def _service(self, backend: BackendSettings) -> Provider:
        endpoint = Endpoint(
            base_url=base_url_of(backend),
            key=self._key(backend),
            read_timeout=min(backend.timeout, _LONGEST_SILENCE),
            total_timeout=backend.timeout,
        )
        kind = OpenAIProvider if backend.kind == "openai" else AnthropicProvider
        return kind(backend.name, endpoint, stream=backend.stream)

    def _key(self, backend: BackendSettings) -> Secret | None:
        if backend.key is None:
            return None
        found = self._secrets.get(backend.key)
        if not found:
            raise ProviderAuth(
                f"{backend.name}: the variable {backend.key} is not set",
                where=f"llm.backends.{backend.name}.key",
                fix=f"set {backend.key} in the environment or in the .env beside assay.toml",
            )
        return found


def _calls_of(run_id: str, recorded: Callable[[str], Iterable[CallRecord]], name: str) -> list[CallRecord]:
    """The calls that a run has recorded; a refusal names the setting of the backend ``name``."""
    try:
        return list(recorded(run_id))
    except Refusal as refusal:
        refusal.where = f"llm.backends.{name}.run"
        raise


def base_url_of(backend: BackendSettings) -> str:
    """Where a backend's requests go; empty where they go nowhere."""
    own = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}
    return backend.base_url or own.get(backend.kind, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The clients of one run, by role. They share its sink, budget and ordinals.

    Parameters
    ----------
    settings, backends : the ``[llm]`` tables and the providers that they describe.
    sink : where calls are recorded.
    budget : what the run may take; that of the settings unless given, restored with :meth:`Budget.restore`.
    replay : serves every role, whatever its backend; its model and parameters stay those of the settings.
    ordinals, earlier : of a run that is resumed; see :class:`Client`.
    secrets : masked in all that is sent and recorded.
    """

    settings: LlmSettings
    backends: Backends
    sink: CallSink
    budget: Budget
    ordinals: Ordinals
    replay: ReplayProvider | None = None
    earlier: Mapping[CallKey, CallRecord]
    secrets: Sequence[Secret] = ()
    clock: Clock

    @classmethod
    def of(
        cls,
        settings: LlmSettings,
        *,
        sink: CallSink,
        secrets: Mapping[str, Secret] | None = None,
        root: Path | None = None,
        factories: Mapping[str, Factory] | None = None,
        recorded: Callable[[str], Iterable[CallRecord]] | None = None,
        replay: ReplayProvider | None = None,
        settled: Iterable[CallRecord] = (),
        earlier: Iterable[CallRecord] = (),
        clock: Clock | None = None,
    ) -> Roles:
        """The clients of a run.

        Parameters
        ----------
        settled : of a run that is resumed: its calls up to the place at which it goes on.
        earlier : its calls after that place, which it is going to make again: those that have a reply are
            answered from the record. Both count in the budget.
        """
        settled, earlier = tuple(settled), tuple(earlier)
        budget = Budget(settings.limits, settings.prices)
        budget.restore((*settled, *earlier))
        ordinals = Ordinals()
        ordinals.restore(call.key for call in settled)
        return cls(
            settings=settings,
            backends=Backends(settings, secrets=secrets, root=root, factories=factories, recorded=recorded),
            sink=sink,
            budget=budget,
            ordinals=ordinals,
            replay=replay,
            earlier={call.key: call for call in earlier},
            secrets=tuple((secrets or {}).values()),
            clock=clock or SystemClock(),
        )

    def client(self, role: str) -> Client:
        """The client of a role.

        Raises
        ------
        Refusal
            ``role_not_configured``: the role has no table; ``backend_not_available``.
        ProviderAuth
            The key of its backend is not set.
        AssayError
            There is no such role.
        """
        chosen = self._role(role)
        backend = self.settings.backends[chosen.backend]
        return Client(
            role=role,
            provider=self.replay or self.backends.provider(chosen.backend),
            sink=self.sink,
            model=chosen.model,
            parameters=chosen.parameters,
            budget=self.budget,
            retry=RetryPolicy(attempts=backend.retries + 1),
            ordinals=self.ordinals,
            earlier=self.earlier,
            secrets=self.secrets,
            base_url=base_url_of(backend),
            structured_by=chosen.structured,
            clock=self.clock,
        )

    def configured(self, role: str) -> bool:
        """Whether the role has a table."""
        return role in self.settings.roles

    def lanes(self, n: int) -> tuple[Roles, ...]:
        """Roles for ``n`` branches that run side by side; see :meth:`Client.lanes`."""
        return tuple(replace(self, ordinals=lane) for lane in self.ordinals.lanes(n))

    def _role(self, role: str) -> RoleSettings:
        if role not in LLM_ROLES:
            close = did_you_mean(role, LLM_ROLES)
            fix = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(LLM_ROLES)}"
            raise AssayError(f"there is no role {role!r}", where="role", fix=fix)
        if role not in self.settings.roles:
            raise Refusal(
                ROLE_NOT_CONFIGURED,
                f"no backend is set for the role {role!r}",
                where=f"llm.roles.{role}",
                fix=f"add [llm.roles.{role}] with a backend to assay.toml",
                details={"role": role},
            )
        return self.settings.roles[role]


def read_script(path: Path) -> list[Scripted]:
    """The replies of a ``scripted`` backend: a JSON list of texts, or of ``{"text", "tool_calls"}``.

    A tool call is ``{"name", "arguments"}``; arguments that are not text are written as JSON.

    Raises
    ------
    DataError
        The file cannot be read, or is not of this form.
    """
    try:
        replies = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"cannot read {path.name}: {error}", where=str(path)) from error
    if not isinstance(replies, list):
        raise DataError(f"{path.name} is not a list of replies", where=str(path))
    return [_scripted(item, f"{path} reply {number}") for number, item in enumerate(replies, 1)]


def _scripted(item: Any, where: str) -> Scripted:
    if isinstance(item, str):
        return item
    if not isinstance(item, dict) or not isinstance(item.get("tool_calls", []), list):
        raise DataError("a reply is a text or a table", where=where, fix='write "text" or {"text": "..."}')
    calls = []
    for number, call in enumerate(item.get("tool_calls", [])):
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise DataError("a tool call is a table with a name", where=where)
        arguments = call.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        calls.append(ToolCall(f"call-{number}", call["name"], text))
    return Reply(str(item.get("text", "")), tuple(calls), "tool_calls" if calls else "stop")
