"""The desk behind ``assay report``: which extractor reads, and the run that records it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from assay.base import Operator
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.ledger import Ledger, Run
    from assay.llm import Client
    from assay.reports._document import Document
    from assay.reports._extraction import Extraction, Extractor
    from assay.spec import GateVerdict
    from assay.tools import Score

DESK: Final = "reports"
RULES: Final = "rules"


@dataclass(frozen=True)
class DeskRun:
    """A run of the desk; without a workspace nothing is recorded."""

    workspace: Workspace | None
    run: Run | None
    operator: Operator
    client: Client | None

    def extractor(
        self, case: str | None = None, rollout: str = "r0", score: Callable[[Extraction], Score] | None = None
    ) -> Extractor:
        """What reads; episodes of a model are stored in the run's folder under the case."""
        if self.client is None:
            from assay.reports.rules import RulesExtractor

            return RulesExtractor()
        from assay.reports.llm import LlmExtractor
        from assay.tools import LedgerToolSink, TrajectoryStore

        assert self.run is not None  # a model needs a workspace
        assert self.workspace is not None
        return LlmExtractor(
            self.client,
            store=TrajectoryStore(self.workspace.runs_dir, self.run.id),
            case=case,
            rollout=rollout,
            sink=LedgerToolSink(self.run.ledger, self.run.id),
            operator=self.operator,
            score=score,
            run=self.run.id,
        )

    def record(self, document: Document, extraction: Extraction, verdict: GateVerdict) -> None:
        """The refusal, and the verdict of the gate."""
        if self.run is None:
            return
        from assay.ledger import Draft

        subject = {"document": document.sha256, "target": extraction.target}
        drafts = []
        if extraction.reason is not None:
            body = {"reason": extraction.reason.code, "message": extraction.note, **subject}
            drafts.append(Draft("refusal", body, self.run.id))
        gate = {
            "gate": "extraction",
            "passed": verdict.admitted,
            "reasons": list(verdict.reasons),
            "verdict": verdict.hash,
            **subject,
        }
        self.run.append_many([*drafts, Draft("gate_verdict", gate, self.run.id)])


@contextmanager
def desk_run(
    backend: str, inputs: Mapping[str, str], *, record: bool = True, more: Mapping[str, Any] | None = None
) -> Iterator[DeskRun]:
    """A run of the desk: recorded in the workspace of the current folder, where there is one.

    Parameters
    ----------
    inputs : what the run depends on, as hashes by name.
    record : whether to keep a run at all; a model's calls are always recorded.
    more : the rest of its configuration.

    Raises
    ------
    AssayError
        No such backend; a model without a workspace.
    Refusal, ProviderAuth
        As :meth:`assay.llm.Roles.client`.
    """
    from assay.config import find_workspace
    from assay.tools import content_hash

    workspace = find_workspace()
    role = _role(backend, workspace)
    if workspace is None or (role is None and not record):
        yield DeskRun(workspace, None, _rules(), None)
        return
    from assay.cli._workspace import need_ledger

    ledger = need_ledger(workspace, create=True)
    config = content_hash({"backend": backend, **_prompts(role), **(more or {})})
    while True:
        run = ledger.run(_next_id(ledger, workspace))
        client = None if role is None else _client(workspace, run, role)
        operator = _rules() if client is None else _agent(client)
        try:
            run.start(DESK, operator, config, dict(inputs))
        except Refusal as refusal:
            if refusal.reason.code != "run_exists":
                raise
        else:
            break  # another process may have taken the id first
    with run.ending():
        yield DeskRun(workspace, run, operator, client)


def _rules() -> Operator:
    return Operator.system(RULES)


def _agent(client: Client) -> Operator:
    from assay.reports.llm import agent_of

    return agent_of(client)


def _prompts(role: str | None) -> dict[str, str]:
    if role is None:
        return {}
    from assay.reports.llm import instructions_hash

    return {"instructions": instructions_hash()}


def _role(backend: str, workspace: Workspace | None) -> str | None:
    """The role that reads; None for the rules."""
    from assay.base import did_you_mean
    from assay.config import LLM_ROLES

    if backend == RULES:
        return None
    if backend not in LLM_ROLES:
        near = did_you_mean(backend, (RULES, *LLM_ROLES))
        fix = f"did you mean {near[0]!r}?" if near else f"use rules, or one of {', '.join(LLM_ROLES)}"
        raise AssayError(f"there is no backend {backend!r}", where="--backend", fix=fix)
    if workspace is None:
        raise AssayError(
            f"the role {backend!r} is set in a workspace, and the current folder lies in none",
            where="--backend",
            fix="change to a workspace, or use --backend rules",
        )
    chosen = workspace.llm.roles.get(backend)
    if chosen is not None and workspace.llm.backends[chosen.backend].kind == RULES:
        return None
    return backend


def _client(workspace: Workspace, run: Run, role: str) -> Client:
    from assay.config import load_secrets
    from assay.llm import Roles
    from assay.tools import calls_of_run, ledger_sink

    roles = Roles.of(
        workspace.llm,
        sink=ledger_sink(run),
        secrets=load_secrets(workspace.root),
        root=workspace.root,
        recorded=partial(calls_of_run, run.ledger),
    )
    return roles.client(role)


def _next_id(ledger: Ledger, workspace: Workspace) -> str:
    with ledger.index() as index:
        taken = set(index.runs())
    number = 1
    while f"{DESK}-{number}" in taken or (workspace.runs_dir / f"{DESK}-{number}").exists():
        number += 1
    return f"{DESK}-{number}"
