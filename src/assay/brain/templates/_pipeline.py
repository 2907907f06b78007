"""Probe, then expand: a few instances of every core first, the rest of those that promise something."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Literal, TypeVar

from assay.brain._result import JobResult, Proposal
from assay.brain._rounds import Runner
from assay.brain._settings import SimulationSettings
from assay.brain._sign import negated
from assay.brain.templates._instances import Expansion, Instance
from assay.brain.templates._inventory import Inventory
from assay.brain.templates._template import Template
from assay.brain.templates._verdict import Decision, decide
from assay.config import BrainPipelineSettings

PROBES_PER_CORE: Final = 4
PROBE_SHARE: Final = 0.5
"""Share of the budget that probes may take: a pipeline that only probes finds nothing."""

Phase = Literal["probe", "expand"]
PROBE: Final = "probe"
EXPANSION: Final = "expansion"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Planned:
    """What a run would do, counted before anything is spent.

    ``combinations`` are fillings of all slots, and ``cores`` fillings of the core slots, before constraints
    and repeats. ``probes`` are those of ``probed`` cores, which fit the budget.
    """

    templates: int
    cores: int
    probed: int
    probes: int
    combinations: int
    budget: int


@dataclass(frozen=True, slots=True)
class PipelineReport:
    """What a run found.

    Parameters
    ----------
    decisions : of every core, also of those that were not probed or whose probes failed; of a template with
        more cores than the budget has simulations, of as many as that.
    results : all that was simulated, in the order of submission.
    """

    thresholds: BrainPipelineSettings
    planned: Planned
    decisions: tuple[Decision, ...]
    results: tuple[JobResult, ...]

    @property
    def best(self) -> JobResult | None:
        """The result with the greatest Sharpe ratio."""
        scored = [result for result in self.results if result.sharpe is not None]
        return max(scored, key=lambda result: result.sharpe or 0.0, default=None)

    def count(self, verdict: str) -> int:
        return sum(decision.verdict == verdict for decision in self.decisions)


@dataclass(frozen=True, slots=True)
class _Core:
    id: str
    template: str
    choice: Mapping[str, str]
    probes: tuple[Instance, ...]


Watch = Callable[[Phase, Sequence[Proposal]], None]


@dataclass
class Pipeline:
    """A run over templates on one platform.

    Equal templates, inventory, settings and results give equal proposals in equal order, so a run that was
    interrupted goes on where it was when its runner answers from its record.

    Parameters
    ----------
    base : settings of the simulations; a template's own go over them.
    watch : is told of each batch before it is run.
    """

    templates: Sequence[Template]
    inventory: Inventory
    runner: Runner
    settings: BrainPipelineSettings = field(default_factory=BrainPipelineSettings)
    base: SimulationSettings = field(default_factory=SimulationSettings)
    watch: Watch = lambda phase, proposals: None

    def __post_init__(self) -> None:
        self._templates = {template.name: template for template in self.templates}
        self._cores = {core.id: core for core in self._found_cores()}

    def planned(self) -> Planned:
        """What :meth:`run` is going to do first; nothing is spent."""
        chosen = self._chosen(set(), self.settings.simulations)
        expansions = [Expansion(item, self.inventory) for item in self.templates]
        return Planned(
            templates=len(self.templates),
            cores=sum(expansion.core_count for expansion in expansions),
            probed=len(chosen),
            probes=sum(len(core.probes) for core in chosen),
            combinations=sum(expansion.combinations for expansion in expansions),
            budget=self.settings.simulations,
        )

    def run(self) -> PipelineReport:
        """Probe, decide, expand; and again with what is left of the budget, until no core is left."""
        left = self.settings.simulations
        probed: list[_Core] = []
        taken: set[str] = set()
        results: list[JobResult] = []
        more: list[JobResult] = []
        decisions = self._decisions(set(), ())
        while chosen := self._chosen({core.id for core in probed}, left):
            asked = [(probe, False) for core in chosen for probe in core.probes]
            results += self._simulated("probe", asked)
            probed += chosen
            left -= len(asked)
            decisions = self._decisions({core.id for core in probed}, results)
            wanted = list(islice(self._expansions(probed, decisions, taken), left))
            more += self._simulated("expand", wanted)
            taken |= {_key(instance, flipped) for instance, flipped in wanted}
            left -= len(wanted)
        told = tuple(_with_expansion(decision, more) for decision in decisions)
        return PipelineReport(self.settings, self.planned(), told, (*results, *more))

    def _found_cores(self) -> Iterator[_Core]:
        """The cores of the templates in turn, of each as many as simulations could be paid for."""
        seen: set[str] = set()
        lines = [self._cores_of(Expansion(template, self.inventory, seen)) for template in self.templates]
        return _in_turn(lines)

    def _cores_of(self, expansion: Expansion) -> Iterator[_Core]:
        for choice in islice(expansion.cores(), self.settings.simulations):
            probes = tuple(islice(expansion.probes(choice), PROBES_PER_CORE))
            yield _Core(expansion.core_id(choice), expansion.template.name, choice, probes)

    def _chosen(self, probed: Collection[str], left: int) -> list[_Core]:
        """The next cores whose probes fit into their share of what is left; at least one, if it fits."""
        waiting = [core for core in self._cores.values() if core.probes and core.id not in probed]
        room = max(int(left * PROBE_SHARE), min(left, len(waiting[0].probes))) if waiting else 0
        chosen = []
        for core in waiting:
            room -= len(core.probes)
            if room < 0:
                break
            chosen.append(core)
        return chosen

    def _decisions(self, chosen: set[str], results: Sequence[JobResult]) -> list[Decision]:
        by_core: dict[str, list[JobResult]] = {}
        for result in results:
            by_core.setdefault(result.proposal.direction, []).append(result)
        return [
            decide(core.template, core.id, len(core.probes), by_core.get(core.id, ()), self.settings)
            if core.id in chosen
            else _not_probed(core)
            for core in self._cores.values()
        ]

    def _expansions(
        self, chosen: Sequence[_Core], decisions: Sequence[Decision], taken: Collection[str]
    ) -> Iterator[tuple[Instance, bool]]:
        """The other instances of the cores to be expanded: the cores in turn, the most promising first.

        Those of ``taken`` were expanded before.

        Of a core that is turned round, its probes come again with the other sign.
        """
        promising = [decision for decision in decisions if decision.verdict == "EXPAND"]
        promising.sort(key=lambda decision: -(decision.sharpe or 0.0))
        seen = {probe.fingerprint for core in chosen for probe in core.probes}
        for decision in promising:
            if decision.flipped:
                seen -= {probe.fingerprint for probe in self._cores[decision.core].probes}
        found = _in_turn([self._of_core(decision, seen) for decision in promising])
        return (item for item in found if _key(*item) not in taken)

    def _of_core(self, decision: Decision, seen: set[str]) -> Iterator[tuple[Instance, bool]]:
        core = self._cores[decision.core]
        expansion = Expansion(self._templates[core.template], self.inventory, seen)
        return ((instance, decision.flipped) for instance in expansion.of_core(core.choice))

    def _simulated(self, phase: Phase, wanted: Sequence[tuple[Instance, bool]]) -> tuple[JobResult, ...]:
        proposals = [self._proposal(instance, flipped, phase) for instance, flipped in wanted]
        self.watch(phase, proposals)
        return self.runner.run(proposals) if proposals else ()

    def _proposal(self, instance: Instance, flipped: bool, phase: Phase) -> Proposal:
        template = self._templates[instance.template]
        proposal = instance.proposal(
            template.settings_on(self.base), template.idea, origin=PROBE if phase == "probe" else EXPANSION
        )
        if not flipped:
            return proposal
        text = negated(proposal.request.regular)
        return replace(proposal, request=proposal.request.model_copy(update={"regular": text}))


def _key(instance: Instance, flipped: bool) -> str:
    return f"{'-' if flipped else ''}{instance.fingerprint}"


def _not_probed(core: _Core) -> Decision:
    if core.probes:
        return Decision(core.template, core.id, "WATCH", "not probed: the budget was too small")
    return Decision(
        core.template,
        core.id,
        "ABANDON",
        "its probes cannot be simulated here, or repeat those of other cores",
    )


def _in_turn(lines: Sequence[Iterable[T]]) -> Iterator[T]:
    """One of each line, then the next of each."""
    waiting = [iter(line) for line in lines]
    while waiting:
        left = []
        for line in waiting:
            for item in line:
                yield item
                left.append(line)
                break
        waiting = left


def _with_expansion(decision: Decision, more: Sequence[JobResult]) -> Decision:
    own = [result for result in more if result.proposal.direction == decision.core]
    sharpes = [result.sharpe for result in own if result.sharpe is not None]
    known = sharpes if decision.best is None else [decision.best, *sharpes]
    return replace(decision, expanded=len(own), best=max(known, default=None))
