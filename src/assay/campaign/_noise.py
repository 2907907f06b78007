"""The noise twin: how many of a campaign's discoveries a market of chance would have produced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from assay.base import check_id, generator
from assay.campaign._campaign import Campaign, CampaignSetup
from assay.campaign._events import Watch
from assay.campaign._ports import Count
from assay.campaign._prepare import Market, Problems, open_market, prepare
from assay.campaign._reasons import NOT_A_CAMPAIGN, NOTHING_TRIED
from assay.campaign._records import DESK, DONE
from assay.campaign._replay import kept_pools, started_pools
from assay.campaign._resume import Recorded
from assay.campaign._settings import CampaignConfig, RoleBackends
from assay.campaign._snapshot import RunSnapshot, recorded_config
from assay.campaign._stop import Stop
from assay.campaign._types import History
from assay.config import Workspace
from assay.errors import AssayError, ConfigProblems, Refusal
from assay.ledger import Ledger, Run

if TYPE_CHECKING:
    from assay.judge.training import PermutedReturns
    from assay.market import Panel

TwinKind = Literal["simulated", "permuted"]

NOISE: Final = "noise"
TWIN: Final = "twin"
LEVEL: Final = 0.95
BLOCK_LABELS: Final = 4
"""A block of permuted dates holds so many labels, one after the other."""

_SIMULATION: Final = ("seed", "instruments", "days", "start")


@dataclass(frozen=True, slots=True)
class Rate:
    """Admissions of some trials, per 100 of them, with the exact binomial interval.

    (Clopper and Pearson 1934; the interval is of one chance for all trials, each by itself.)
    """

    admitted: int
    trials: int
    low: float
    high: float

    @property
    def per_hundred(self) -> float:
        """Admissions per 100 trials; NaN without trials."""
        return 100 * self.admitted / self.trials if self.trials else float("nan")

    @classmethod
    def of(cls, admitted: int, trials: int) -> Rate:
        """With its interval; ``low`` and ``high`` are per 100 trials too."""
        if trials == 0:
            return cls(0, 0, 0.0, 100.0)
        from scipy.stats import binomtest

        found = binomtest(admitted, trials).proportion_ci(LEVEL, method="exact")
        return cls(admitted, trials, 100 * float(found.low), 100 * float(found.high))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "admitted": self.admitted,
            "trials": self.trials,
            "per_hundred": self.per_hundred if self.trials else None,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, slots=True)
class Twin:
    """One campaign on a market of chance. ``folder`` holds its ledger and its run."""

    seed: int
    kind: TwinKind
    rate: Rate
    folder: Path


@dataclass(frozen=True, slots=True)
class NoiseTwin:
    """A run beside its twins.

    Parameters
    ----------
    real : of the run.
    noise : of all twins together.
    share : of the run's admissions per trial, what the twins had: an estimate of the share that is chance;
        None where the run admitted nothing.
    sampled : the run's roles were on models, and the twins ran on the sampler.
    """

    run: str
    kind: TwinKind
    block: int | None
    real: Rate
    noise: Rate
    twins: tuple[Twin, ...]
    share: float | None
    sampled: bool

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "run": self.run,
            "kind": self.kind,
            "block": self.block,
            "real": self.real.as_dict(),
            "noise": self.noise.as_dict(),
            "twins": [{"seed": twin.seed, "kind": twin.kind, **twin.rate.as_dict()} for twin in self.twins],
            "share": self.share,
            "sampled": self.sampled,
        }


def noise_twin(
    workspace: Workspace,
    run_id: str,
    *,
    twins: int = 1,
    seed: int = 0,
    kind: TwinKind | None = None,
    block: int | None = None,
    watch: Watch | None = None,
) -> NoiseTwin:
    """Run a campaign's pipeline on markets without signal, and count what it admits there.

    Config, files and pools are those that the run recorded; each role is the sampler; a twin ends after as
    many rounds as the run had. Admission is deflated by the same N as in the run, round by round. A twin has
    a ledger of its own under the run's folder, ``noise/``, and none of its trials counts in the workspace.
    A twin that was run before is read; one that was killed goes on.

    Parameters
    ----------
    twins : how many markets.
    seed : the first is drawn with it, the others from it. Of a simulated twin, 0 is the seed of the data.
    kind : ``simulated``: the simulated market of the data's settings without its signals; ``permuted``: the
        data's own bars with returns of other dates, see :class:`PermutedReturns`. By default the first for
        simulated data, else the second.
    block : bars of a block of permuted dates; by default four times the label's.
    watch : is told of each event.

    Raises
    ------
    Refusal
        ``unknown_run``, ``not_a_campaign``, ``nothing_tried``.
    AssayError, ConfigProblems
        The data is not simulated and a simulated twin is asked for; something that the run worked with is
        gone; the blocks do not fit the training segment.
    """
    check_id(run_id, "id of a run")
    if twins < 1:
        raise AssayError(f"{twins} twins", where="twins", fix="ask for 1 or more")
    run = Ledger.open(workspace.ledger_dir).run(run_id)
    if run.state().desk != DESK:
        raise Refusal(NOT_A_CAMPAIGN, f"the run {run_id!r} is no campaign", where="run")
    recorded = Recorded.read(run).history
    real = _rate(recorded)
    if real.trials == 0:
        raise Refusal(NOTHING_TRIED, f"the campaign {run_id!r} has not evaluated a trial yet", where="run")
    factory = _Twins.of(workspace, run, recorded, kind, block)
    made = tuple(factory.run_twin(number, seed, watch) for number in range(twins))
    noise = Rate.of(sum(twin.rate.admitted for twin in made), sum(twin.rate.trials for twin in made))
    return NoiseTwin(
        run=run_id,
        kind=factory.kind,
        block=factory.block,
        real=real,
        noise=noise,
        twins=made,
        share=min(noise.per_hundred / real.per_hundred, 1.0) if real.admitted and noise.trials else None,
        sampled=bool(factory.models),
    )


@dataclass(frozen=True)
class _Twins:
    """Makes the twins of one run."""

    workspace: Workspace
    run: Run
    history: History
    config: CampaignConfig
    snapshot: RunSnapshot
    market: Market
    kind: TwinKind
    block: int | None
    counts: Mapping[int, Count]
    models: tuple[str, ...]

    @classmethod
    def of(
        cls, workspace: Workspace, run: Run, history: History, kind: TwinKind | None, block: int | None
    ) -> _Twins:
        folder = workspace.runs_dir / run.id
        config = recorded_config(folder)
        market = open_market(config, workspace)
        chosen = kind or ("simulated" if _settings(market.panel) else "permuted")
        if chosen == "simulated" and not _settings(market.panel):
            raise AssayError(
                f"the data set {market.panel.name!r} is not simulated",
                where="kind",
                fix="leave the kind out, or ask for permuted returns",
            )
        bars = block or BLOCK_LABELS * config.horizon
        bodies = [entry.body for entry in run.entries(kind="round") if entry.body["outcome"] == DONE]
        return cls(
            workspace=workspace,
            run=run,
            history=history,
            config=replace(config, roles=RoleBackends()),
            snapshot=RunSnapshot.open(folder),
            market=market,
            kind=chosen,
            block=bars if chosen == "permuted" else None,
            counts={
                body["number"]: Count(**body["ledger_n"]) for body in bodies if body["ledger_n"] is not None
            },
            models=config.roles.models,
        )

    def run_twin(self, number: int, seed: int, watch: Watch | None) -> Twin:
        """The ``number``-th twin, run, taken up, or read."""
        drawn = seed if number == 0 else int(generator(seed, NOISE, number).integers(2**31))
        market, used = self._market(drawn)
        folder = self.workspace.runs_dir / self.run.id / NOISE / self._name(used)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "ledger"
        ledger = Ledger.open(path) if path.exists() else Ledger.create(path)
        with ledger.index() as index:
            known = index.runs().get(TWIN)
        if known is None or known.stopped != "finished":
            campaign = Campaign(
                self._setup(market), ledger, folder, TWIN,
                watch=watch, limits=self._limit, counts=self.counts,
            )  # fmt: skip
            if known is None:
                campaign.run()
            else:
                campaign.resume()
        found = Recorded.read(ledger.run(TWIN)).history
        return Twin(used, self.kind, _rate(found), folder)

    def _name(self, seed: int) -> str:
        return f"{self.kind}-{seed}" if self.block is None else f"{self.kind}-{self.block}-{seed}"

    def _market(self, seed: int) -> tuple[Market, int]:
        """A market of chance, and the seed that it was drawn with."""
        from assay.judge import data_digest
        from assay.judge.training import PermutedReturns

        if self.kind == "permuted":
            assert self.block is not None
            return replace(self.market, permuted=PermutedReturns(block=self.block, seed=seed)), seed
        from assay.market import simulate

        settings = _settings(self.market.panel)
        assert settings is not None
        used = seed or int(settings["seed"])
        panel = simulate(**{**settings, "seed": used}, signal=False, name=self.market.panel.name)
        return replace(self.market, panel=panel, digest=data_digest(panel)), used

    def _setup(self, market: Market) -> CampaignSetup:
        problems = Problems()
        pools = kept_pools(self.workspace.runs_dir / self.run.id, started_pools(self.run))
        made = prepare(
            self.config, self.workspace, problems, snapshot=self.snapshot, pools=pools, market=market
        )
        if made is None:
            raise ConfigProblems(problems.all, where="noise twin")
        return replace(made, inputs={**made.inputs, "noise": _described(market.permuted)})

    def _limit(self, history: History) -> Stop | None:
        done = len(history.rounds)
        if done < len(self.history.rounds):
            return None
        return Stop("max_rounds", f"{done} rounds are done, as many as in the campaign")


def _settings(panel: Panel) -> dict[str, Any] | None:
    """What a simulated market was made with; None for other data."""
    source = panel.manifest.source
    if source.kind != "simulated" or not set(_SIMULATION) <= source.detail.keys():
        return None
    return {name: source.detail[name] for name in _SIMULATION}


def _described(permuted: PermutedReturns | None) -> str:
    return "simulated without signals" if permuted is None else str(permuted.to_dict())


def _rate(history: History) -> Rate:
    trials: Sequence[Any] = [trial for trial in history.trials if trial.evaluated]
    return Rate.of(sum(trial.admitted for trial in trials), len(trials))
