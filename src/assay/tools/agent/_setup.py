from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.base import Operator
from assay.config import (
    DataSettings,
    LlmSettings,
    RoleSettings,
    Secret,
    Workspace,
    plan_toml,
    propose_plan,
    redact,
)
from assay.errors import AssayError, DataError, Refusal
from assay.llm import ROLE_NOT_CONFIGURED, ToolSpec
from assay.tools._trajectory import content_hash, prompt_hash, tool_schema_hash
from assay.tools.agent._explorer import EXPLORER
from assay.tools.agent._prompt import researcher_prompt
from assay.tools.agent._request import REQUEST, AgentRequest
from assay.tools.builtin import SearchView, Workbench, builtin_tools, search_judging

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.llm import Message
    from assay.market import Panel

EXPLORER_FORM = 1
"""Counts changes of what the explorer does, as a run is not resumed with another one."""


@dataclass(frozen=True)
class AgentSetup:
    """All that a run works with, besides the ledger. Make one with :meth:`of`.

    Parameters
    ----------
    request : what is asked; without secrets.
    view : the data up to the end of the search period.
    judging : how formulas are scored.
    llm : the ``[llm]`` tables.
    secrets : keys by name.
    root : the workspace, which paths of the settings begin at.
    digest : identifies the content of the data set.
    """

    request: AgentRequest
    view: SearchView
    judging: JudgeSettings
    digest: str
    llm: LlmSettings = field(default_factory=LlmSettings)
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    root: Path = Path()

    @classmethod
    def of(
        cls,
        request: AgentRequest,
        panel: Panel,
        settings: DataSettings | None,
        *,
        workspace: Workspace,
        secrets: Mapping[str, Secret] | None = None,
    ) -> AgentSetup:
        """The setup of a run on a data set; ``settings`` are those of the workspace for it.

        Raises
        ------
        AssayError
            No period plan says what an agent may see; the role or its price is unknown.
        Refusal
            ``role_not_configured``; ``no_dates``, ``unknown_universe``, ``universe_outdated``.
        ConfigProblems
            The costs of trading are not known.
        """
        from assay.judge import data_digest

        if settings is None or settings.periods is None:
            raise _no_plan(panel, settings)
        secrets = secrets or {}
        made = cls(
            request=replace(request, idea=redact(request.idea, secrets.values())),
            view=SearchView.of(panel, settings.periods, universe=settings.universe),
            judging=search_judging(settings, panel),
            digest=data_digest(panel),
            llm=workspace.llm,
            secrets=secrets,
            root=workspace.root,
        )
        made._check_price()
        return made

    @property
    def role(self) -> RoleSettings | None:
        """The settings of the role that acts; None for the explorer.

        Raises
        ------
        Refusal
            ``role_not_configured``.
        """
        name = self.request.role
        if name is None:
            return None
        if name not in self.llm.roles:
            raise Refusal(
                ROLE_NOT_CONFIGURED,
                f"no backend is set for the role {name!r}",
                where=f"llm.roles.{name}",
                fix=f"add [llm.roles.{name}] with a backend to assay.toml",
            )
        return self.llm.roles[name]

    @property
    def calls(self) -> Literal["native", "json"]:
        """How the role's model calls tools."""
        role = self.role
        return "native" if role is None or role.structured == "tool" else "json"

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a policy is told of them."""
        listed = sorted(builtin_tools(Workbench(self.view)), key=lambda tool: tool.id)
        return tuple(ToolSpec(tool.id, tool.summary, tool.input_schema) for tool in listed)

    def prompt(self) -> tuple[Message, ...]:
        """The messages that the episode begins with."""
        return researcher_prompt(self.request.idea, self.specs(), self.request.budget, calls=self.calls)

    def inputs(self, request: str) -> dict[str, str]:
        """What the run's result depends on, as hashes by name; ``request`` names the stored request.

        Budgets and prices of ``[llm]``, addresses and keys are not among it: raising a budget must not keep a
        run from going on.
        """
        return {
            f"data:{self.view.panel.name}": self.digest,
            REQUEST: request,
            "settings": content_hash(self._settings()),
            "tools": tool_schema_hash(self.specs()),
            "prompt": prompt_hash(self.prompt()),
            "policy": content_hash(self._policy()),
        }

    def operator(self) -> Operator:
        """A new operator for the run: an agent on the role's model, or the explorer as part of the system."""
        role = self.role
        if role is None:
            return Operator.system(EXPLORER)
        model = role.model or self.llm.backends[role.backend].kind
        return Operator.agent(model, f"{role.backend}/{model}")

    def _settings(self) -> dict[str, Any]:
        plan = self.view.plan
        periods = {name: [str(period.start), str(period.end)] for name, period in plan.periods()}
        return {"judge": self.judging.to_dict(), "universe": self.view.universe, "periods": periods}

    def _policy(self) -> dict[str, Any]:
        role = self.role
        if role is None:
            return {"policy": EXPLORER, "form": EXPLORER_FORM}
        settings = asdict(role)
        kind = self.llm.backends[settings.pop("backend")].kind
        return {"role": self.request.role, "kind": kind, **settings}

    def _check_price(self) -> None:
        role = self.role
        if self.request.budget.money is not None and role is not None and role.model not in self.llm.prices:
            raise AssayError(
                f"the model {role.model!r} has no price, so a limit on money cannot hold",
                where="money",
                fix=f'add [llm.prices."{role.model}"] to assay.toml; prices of 0 are fine for a local model',
            )


def _no_plan(panel: Panel, settings: DataSettings | None) -> AssayError:
    """That no dates are hidden yet, with a plan that a person may take over."""
    try:
        plan = propose_plan(panel.dates, (settings or DataSettings()).horizons)
        how = f"add to assay.toml, for example:\n{plan_toml(panel.name, plan).strip()}"
    except DataError as too_short:
        how = f"take a longer data set: {too_short.message}"
    return AssayError(
        f"no period plan is set for the data set {panel.name!r}, and an agent sees a search period alone",
        where="data",
        fix=how,
    )
