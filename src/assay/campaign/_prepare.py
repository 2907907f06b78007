"""What a start needs, put together part by part; each part's problems are kept, not raised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from assay.base import Operator
from assay.campaign._campaign import CampaignSetup
from assay.campaign._commits import commits
from assay.campaign._feedback import families_of
from assay.campaign._pools import Pools, read_pools
from assay.campaign._records import DESK
from assay.campaign._settings import CampaignConfig
from assay.campaign._snapshot import RunSnapshot
from assay.campaign._types import Backends, Brief
from assay.campaign._vocabulary import Vocabulary, build_vocabulary
from assay.config import DataSettings, LlmLimits, PeriodPlan, Secret, Workspace
from assay.errors import AssayError, ConfigProblems, Problem, Refusal
from assay.expr import Limits
from assay.llm import Backends as Services
from assay.llm import CallRecord, CallSink, ReplayProvider, Roles, ScriptedProvider

if TYPE_CHECKING:
    from assay.campaign._ports import Judging
    from assay.judge.training import PermutedReturns, TrainingSettings
    from assay.ledger import Run
    from assay.market import Panel

Part = Literal["config", "data", "files", "vocabulary", "templates", "pools", "backends", "ledger", "run"]
T = TypeVar("T")


@dataclass
class Problems:
    """What was found, by part, in the order of the checks."""

    found: dict[Part, list[Problem]] = field(default_factory=dict)

    @contextmanager
    def part(self, name: Part) -> Iterator[None]:
        """Keep what the block raises as problems of a part."""
        listed = self.found.setdefault(name, [])
        try:
            yield
        except ConfigProblems as error:
            listed += error.problems
        except AssayError as error:
            listed.append(Problem(error.where or name, error.message, error.fix or ""))

    @property
    def all(self) -> list[Problem]:
        """Of all parts."""
        return [problem for listed in self.found.values() for problem in listed]


@dataclass(frozen=True)
class Market:
    """The data set of a campaign. ``permuted`` makes it a market of chance; see :class:`PermutedReturns`."""

    panel: Panel
    own: DataSettings
    plan: PeriodPlan
    settings: TrainingSettings
    digest: str
    folder: Path
    permuted: PermutedReturns | None = None


def prepare(
    config: CampaignConfig,
    workspace: Workspace,
    problems: Problems,
    *,
    secrets: Mapping[str, Secret] | None = None,
    replayed: ReplayProvider | None = None,
    snapshot: RunSnapshot | None = None,
    pools: Pools | None = None,
    market: Market | None = None,
    threads: int = 1,
) -> CampaignSetup | None:
    """All that a campaign works with; None where there are problems. Nothing is written.

    Parameters
    ----------
    replayed : serves the calls of models in place of the workspace's services.
    snapshot, pools : those of a run that is replayed, in place of what the config names now.
    market : in place of the workspace's data set.
    threads : that formulas are evaluated on; they change no result.
    """
    vocabulary, prompts = None, None
    with problems.part("data"):
        market = on_threads(market or open_market(config, workspace), threads)
    with problems.part("files"):
        snapshot = snapshot or RunSnapshot.read(config)
    if market is not None and snapshot is not None:
        with problems.part("vocabulary"):
            vocabulary = _vocabulary(market, snapshot)
    if snapshot is not None:
        with problems.part("templates"):
            from assay.campaign.prompts import Prompts

            prompts = Prompts(config.language, snapshot.templates())
    with problems.part("pools"):
        pools = pools or read_pools(config)
    with problems.part("backends"):
        if replayed is None:
            _require_roles(config, workspace, secrets)
    if problems.all or market is None or vocabulary is None or snapshot is None or pools is None:
        return None
    assert prompts is not None

    def backends(sink: CallSink, settled: Iterable[CallRecord], earlier: Iterable[CallRecord]) -> Backends:
        from assay.campaign.sampler import SamplerBackends, SamplerSpace

        sampler = SamplerBackends(SamplerSpace(vocabulary.fields, vocabulary.ops, limits_of(config)))
        if not config.roles.models:
            return sampler
        from assay.campaign._llm_team import LlmBackends

        settled, earlier = tuple(settled), tuple(earlier)

        # what a replay serves is paid already
        llm = workspace.llm if replayed is None else replace(workspace.llm, limits=LlmLimits())
        roles = Roles.of(
            llm,
            sink=sink,
            secrets=secrets,
            root=workspace.root,
            recorded=calls_of_runs(workspace),
            replay=replayed,
            settled=settled,
            earlier=earlier,
        )
        if replayed is None:
            _go_on(roles, config, (*settled, *earlier))
        return LlmBackends(config.roles, roles, prompts, sampler)

    return CampaignSetup(
        config=config,
        snapshot=snapshot,
        pools=pools,
        inputs=_inputs(market, config, workspace),
        brief=_brief(config, market, vocabulary),
        families=families_of([*pools.reference, *pools.known]),
        judging=_judging(market, config, vocabulary),
        backends=backends,
        commits=commits(),
    )


def _go_on(roles: Roles, config: CampaignConfig, calls: Iterable[CallRecord]) -> None:
    """A script goes on where the run's calls have left it."""
    answered = [call for call in calls if call.reply is not None]
    for name in {roles.settings.roles[role].backend for role in config.roles.models}:
        provider = roles.backends.provider(name)
        if isinstance(provider, ScriptedProvider):
            provider.requests.extend(call.request for call in answered if call.backend == name)


def open_market(config: CampaignConfig, workspace: Workspace) -> Market:
    """The data set, its plan and how candidates are scored on it.

    Raises
    ------
    ConfigProblems
        No data set is named or stored, it has no plan, its universe is unknown or empty, or the horizon is
        longer than a period that the campaign reads.
    """
    from assay.judge import data_digest
    from assay.market import open_panel

    name = config.data or workspace.default_data
    if name is None:
        raise _one("campaign.data", "no data set is named", "name one, or set defaults.data in assay.toml")
    folder = workspace.data_dir / name
    if not folder.is_dir():
        raise _one("campaign.data", f"no data set {name!r} is stored", "list them: assay data list")
    panel = open_panel(folder)
    own = workspace.settings(panel.name, name)
    if own.periods is None:
        raise _one("campaign.data", f"{name!r} has no periods", f"add [data.{name}.periods] to assay.toml")
    settings = training_settings(config, own, panel)
    return Market(panel, own, own.periods, settings, data_digest(panel), folder)


def on_threads(market: Market, threads: int) -> Market:
    """The same market, whose formulas are evaluated on so many threads."""
    settings = market.settings
    return replace(market, settings=replace(settings, judge=replace(settings.judge, threads=threads)))


def training_settings(config: CampaignConfig, own: DataSettings, panel: Panel) -> TrainingSettings:
    """How candidates are scored: the campaign's horizon and universe, the workspace's lag, fill and costs.

    Raises
    ------
    ConfigProblems
        See :func:`open_market`.
    """
    from assay.judge import Costs
    from assay.judge.training import TrainingSettings

    assert own.periods is not None
    search = panel.between(own.periods.search.start, own.periods.search.end)
    bars = len(search.dates)
    tail = round(config.validate_share * bars)
    universe = config.universe or own.universe
    problems = [] if universe is None else _universe_problems(search, universe)
    lengths = {"the training segment": bars - tail, "the validate tail": tail}
    if own.periods.eval is not None:
        lengths["eval"] = len(panel.between(own.periods.eval.start, own.periods.eval.end).dates)
    problems += _horizon_problems(config.horizon, lengths)
    if problems:
        raise ConfigProblems(problems, where="campaign")
    costs = None if own.costs is None else Costs(buy_bp=own.costs.buy_bp, sell_bp=own.costs.sell_bp)
    judge = replace(
        TrainingSettings().judge,
        horizon=config.horizon,
        horizons=(config.horizon,),
        universe=universe,
        lag=own.lag,
        fill=own.fill,
        costs=costs,
    )
    return TrainingSettings(judge=judge, validate_bars=tail)


def _universe_problems(search: Panel, universe: str) -> list[Problem]:
    try:
        members = search.universe(universe)
    except Refusal as error:
        return [Problem("campaign.universe", error.message, error.fix or "name another universe")]
    if members.any():
        return []
    return [Problem("campaign.universe", f"{universe!r} has no member in search", "name another universe")]


def _horizon_problems(horizon: int, lengths: Mapping[str, int]) -> list[Problem]:
    """Periods, by their number of bars, in which no label fits; a tail of no bars is no period."""
    return [
        Problem(
            "campaign.horizon",
            f"{horizon} bars and the {bars} of {name} leave no label",
            "shorten it, or change validate_share or the periods",
        )
        for name, bars in lengths.items()
        if bars and horizon + 1 >= bars
    ]


def limits_of(config: CampaignConfig) -> Limits:
    """The gate's limits as the language has them."""
    gate = config.gate
    return Limits(characters=gate.characters, nodes=gate.nodes, depth=gate.depth, lookback=gate.lookback)


def _one(where: str, message: str, fix: str) -> ConfigProblems:
    return ConfigProblems([Problem(where, message, fix)], where="campaign")


def _vocabulary(market: Market, snapshot: RunSnapshot) -> Vocabulary:
    from assay.judge import panel_fields

    return build_vocabulary(
        panel_fields(market.panel), fields=snapshot.text("fields.toml"), ops=snapshot.text("ops.toml")
    )


def _require_roles(
    config: CampaignConfig, workspace: Workspace, secrets: Mapping[str, Secret] | None
) -> None:
    """Every role on a model has a backend that can be made; none is asked anything."""
    services = Services(
        workspace.llm, secrets=secrets, root=workspace.root, recorded=calls_of_runs(workspace)
    )
    problems: list[Problem] = []
    for name in config.roles.models:
        role = workspace.llm.roles.get(name)
        if role is None:
            message = "runs on a model, and the workspace has no such role"
            fix = f"add [llm.roles.{name}] to assay.toml, or use the sampler"
            problems.append(Problem(f"roles.{name}", message, fix))
            continue
        try:
            services.provider(role.backend)
        except AssayError as error:
            problems.append(Problem(error.where or f"roles.{name}", error.message, error.fix or ""))
    if problems:
        raise ConfigProblems(problems, where="roles")


def calls_of_runs(workspace: Workspace) -> Callable[[str], list[CallRecord]]:
    """Gives the recorded calls of a run of the workspace, for backends of kind ``replay``."""
    from assay.ledger import Ledger
    from assay.tools import calls_of_run

    return lambda run_id: calls_of_run(Ledger.open(workspace.ledger_dir), run_id)


def _inputs(market: Market, config: CampaignConfig, workspace: Workspace) -> dict[str, str]:
    from assay.tools import content_hash

    roles = {f"role:{name}": content_hash(_role(workspace, name)) for name in config.roles.models}
    return {
        f"data:{market.panel.name}": market.digest,
        "periods": market.plan.digest,
        "scoring": content_hash(market.settings.to_dict()),
        **roles,
    }


def _role(workspace: Workspace, name: str) -> dict[str, object]:
    role = workspace.llm.roles[name]
    return {
        "model": role.model,
        "parameters": dict(role.parameters),
        "structured": role.structured,
        "kind": workspace.llm.backends[role.backend].kind,
    }


def _brief(config: CampaignConfig, market: Market, vocabulary: Vocabulary) -> Brief:
    from assay.campaign.prompts import MarketFacts, make_brief

    manifest, judge = market.panel.manifest, market.settings.judge
    facts = MarketFacts(
        market=manifest.market,
        universe=judge.universe or "all",
        simulated=manifest.simulated,
        lag=judge.lag,
        fill=judge.fill,
    )
    return make_brief(config, facts, vocabulary)


def _judging(
    market: Market, config: CampaignConfig, vocabulary: Vocabulary
) -> Callable[[Run, Operator, Pools], Judging]:
    def make(run: Run, operator: Operator, pools: Pools) -> Judging:
        from assay.campaign._judging import TrainingJudging
        from assay.judge import Recording
        from assay.judge.training import TrainingJudge

        recording = Recording(run.ledger, operator, market.own.looks, DESK, run.id)
        judge = TrainingJudge(market.panel, market.plan, market.settings, recording, permuted=market.permuted)
        return TrainingJudging(judge, config, vocabulary, pools)

    return make
