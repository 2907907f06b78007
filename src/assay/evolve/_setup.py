"""All that a run of an evolution works with, besides the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.base import Operator
from assay.config import (
    DataSettings,
    LlmLimits,
    LlmSettings,
    PeriodPlan,
    RoleSettings,
    Secret,
    Workspace,
    plan_toml,
    propose_plan,
)
from assay.errors import AssayError, DataError, Refusal
from assay.evolve._evolve import STEPS, PolicyMaker, bounded, evolve_specs, require_gated
from assay.evolve._sampler import FORM, SAMPLER, sampler
from assay.evolve._search import SearchFigures
from assay.evolve._terms import Terms, judge_settings
from assay.llm import ROLE_NOT_CONFIGURED, CallRecord, CallSink, ReplayProvider, Roles, ScriptedProvider
from assay.spec import GatedSpec
from assay.tools import Budget, LlmPolicy, Policy, content_hash, tool_schema_hash
from assay.tools.builtin import SearchView

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel


@dataclass(frozen=True)
class EvolveSetup:
    """The setup of a run. Make it with :meth:`of`.

    Parameters
    ----------
    gated : the spec.
    panel : the whole data set; only the rewarder gets it.
    own : the workspace's settings for it.
    plan : its periods.
    judging : how formulas are judged.
    view : the data up to the end of the search period.
    digest : identifies the content of the data set.
    role : the LLM role that acts; None for the sampler.
    random : seed of the sampler.
    budget : limits of the episode.
    llm, secrets, root : for the role.
    """

    gated: GatedSpec
    panel: Panel
    own: DataSettings
    plan: PeriodPlan
    judging: JudgeSettings
    view: SearchView
    digest: str
    role: str | None = None
    random: int = 0
    budget: Budget = field(default_factory=lambda: Budget(turns=STEPS))
    llm: LlmSettings = field(default_factory=LlmSettings)
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    root: Path = Path()

    @classmethod
    def of(
        cls,
        gated: GatedSpec,
        panel: Panel,
        own: DataSettings | None,
        *,
        workspace: Workspace | None = None,
        secrets: Mapping[str, Secret] | None = None,
        role: str | None = None,
        random: int = 0,
        budget: Budget | None = None,
    ) -> EvolveSetup:
        """The setup of a run on a data set.

        Parameters
        ----------
        own : the settings of the workspace for the data set.
        workspace : whose ``[llm]`` tables the role comes from.

        Raises
        ------
        AssayError
            No period plan says what a policy may see.
        Refusal
            ``not_gated``, ``seed_not_usable``, ``unsupported_terms``, ``role_not_configured``; what a search
            view refuses.
        """
        from assay.judge import data_digest

        require_gated(gated)
        if own is None or own.periods is None:
            raise _no_plan(panel, own)
        judging = judge_settings(gated.spec, panel, own)
        Terms.of(gated, panel.fields)
        made = cls(
            gated=gated,
            panel=panel,
            own=own,
            plan=own.periods,
            judging=judging,
            view=SearchView.of(panel, own.periods, universe=judging.universe),
            digest=data_digest(panel),
            role=role,
            random=random,
            budget=bounded(budget),
            llm=LlmSettings() if workspace is None else workspace.llm,
            secrets=secrets or {},
            root=Path() if workspace is None else workspace.root,
        )
        made.role_settings()
        return made

    def role_settings(self) -> RoleSettings | None:
        """The settings of the role that acts; None for the sampler.

        Raises
        ------
        Refusal
            ``role_not_configured``.
        """
        if self.role is None:
            return None
        if self.role not in self.llm.roles:
            raise Refusal(
                ROLE_NOT_CONFIGURED,
                f"no backend is set for the role {self.role!r}",
                where=f"llm.roles.{self.role}",
                fix=f"add [llm.roles.{self.role}] with a backend to assay.toml, or use the sampler",
            )
        found = self.llm.roles[self.role]
        return None if self.llm.backends[found.backend].kind == SAMPLER else found

    @property
    def calls(self) -> Literal["native", "json"]:
        """How the role's model calls tools."""
        role = self.role_settings()
        return "native" if role is None or role.structured == "tool" else "json"

    def operator(self) -> Operator:
        """A new operator for the run: an agent on the role's model, or the sampler as part of the system."""
        role = self.role_settings()
        if role is None:
            return Operator.system(SAMPLER)
        model = role.model or self.llm.backends[role.backend].kind
        return Operator.agent(model, f"{role.backend}/{model}")

    def inputs(self) -> dict[str, str]:
        """What the run's result depends on, as hashes by name; the gate's verdict is among them."""
        return {
            f"data:{self.panel.name}": self.digest,
            "gated_spec": self.gated.hash,
            "gate_verdict": self.gated.verdict_hash,
            "settings": content_hash(self._settings()),
            "tools": tool_schema_hash(evolve_specs()),
            "policy": content_hash(self._policy()),
        }

    def _settings(self) -> dict[str, Any]:
        periods = {name: [str(period.start), str(period.end)] for name, period in self.plan.periods()}
        return {"judge": self.judging.to_dict(), "periods": periods, "budget": asdict(self.budget)}

    def _policy(self) -> dict[str, Any]:
        role = self.role_settings()
        if role is None:
            return {"policy": SAMPLER, "form": FORM, "random": self.random}
        settings = asdict(role)
        kind = self.llm.backends[settings.pop("backend")].kind
        return {"role": self.role, "kind": kind, **settings}

    def policy(
        self,
        sink: CallSink,
        earlier: Iterable[CallRecord] = (),
        *,
        recorded: Callable[[str], Iterable[CallRecord]] | None = None,
        replay: ReplayProvider | None = None,
    ) -> PolicyMaker:
        """Makes the policy.

        ``earlier`` are calls of the model that the run has recorded; a ``replay`` serves all there will be.
        ``recorded`` gives those of another run, for a backend of kind ``replay``.
        """
        known = list(earlier)
        # what was paid is paid: on a replay no limit may stop what has been
        llm = self.llm if replay is None else replace(self.llm, limits=LlmLimits())
        role = self.role_settings()

        def make(terms: Terms, seed: SearchFigures) -> Policy:
            if role is None or self.role is None:
                return sampler(terms, seed, random=self.random)
            made = Roles.of(
                llm,
                sink=sink,
                secrets=self.secrets,
                root=self.root,
                recorded=recorded,
                replay=replay,
                earlier=known,
            )
            client = made.client(self.role)
            if isinstance(client.provider, ScriptedProvider):
                client.provider.requests.extend(call.request for call in known if call.reply is not None)
            return LlmPolicy(client, self.role, calls=self.calls)

        return make


def _no_plan(panel: Panel, own: DataSettings | None) -> AssayError:
    try:
        plan = propose_plan(panel.dates, (own or DataSettings()).horizons)
        how = f"add to assay.toml, for example:\n{plan_toml(panel.name, plan).strip()}"
    except DataError as too_short:
        how = f"take a longer data set: {too_short.message}"
    return AssayError(
        f"no period plan is set for the data set {panel.name!r}, and an evolution sees a search period alone",
        where="data",
        fix=how,
    )
