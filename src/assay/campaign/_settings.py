"""What a campaign is told, as plain data. The file's keys are declared in ``_models``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from assay.base import json_hash

if TYPE_CHECKING:
    from assay.judge.training import AdmissionRule

Language = Literal["en", "zh"]
BackendName = Literal["llm", "sampler"]

MECHANISMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "momentum": "returns that go on: trends over weeks and months, and how steady they are",
        "reversal": "returns that turn back: overshooting over days, gaps, pressure of single trades",
        "volatility": "risk and its shape: ranges, asymmetry, changes of volatility",
        "liquidity": "cost and ease of trading: traded value, impact of trades, days without trading",
        "volume_price": "how volume and price move together: divergence, confirmation, correlation",
        "structure": "where a price stands: within its range, to its average price, to its group",
    }
)
"""Mechanism types of a campaign that names none."""

MECHANISMS_ZH: Final[Mapping[str, str]] = MappingProxyType(
    {
        "momentum": "延续的收益：数周到数月的趋势，以及趋势有多平稳",
        "reversal": "反转的收益：数日内的过度反应、跳空、个别交易造成的压力",
        "volatility": "风险及其形状：振幅、不对称性、波动率的变化",
        "liquidity": "交易的成本与难易：成交额、交易对价格的冲击、没有成交的日子",
        "volume_price": "量与价如何一起变动：背离、确认、相关",
        "structure": "价格所处的位置：在自身区间内、相对均价、相对所属分组",
    }
)
"""The same, where the prompts are in Chinese."""


@dataclass(frozen=True, slots=True)
class RoleBackends:
    """What each role runs on: ``llm``, a role of the workspace; ``sampler``, no model at all."""

    planner: BackendName = "sampler"
    proposer: BackendName = "sampler"
    reviewer: BackendName = "sampler"
    distiller: BackendName = "sampler"

    @property
    def models(self) -> tuple[str, ...]:
        """The roles that run on a model."""
        return tuple(role.name for role in fields(self) if getattr(self, role.name) == "llm")


@dataclass(frozen=True, slots=True)
class FileSettings:
    """Files that replace what the package has; None where nothing is replaced."""

    fields: Path | None = None
    ops: Path | None = None
    templates: Path | None = None


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """What candidates are compared with from the start: sets of the library, and files of formulas."""

    reference: tuple[str, ...] = ()
    reference_file: Path | None = None
    known_file: Path | None = None


@dataclass(frozen=True, slots=True)
class QuotaSettings:
    """How the slots of a round go to the mechanism types."""

    slots: int = 12
    min_per_type: int = 1
    prior_admitted: float = 1.0
    prior_rest: float = 1.0


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """How one round runs. ``max_children`` None: no limit."""

    groups: int = 1
    gate_fixes: int = 2
    max_children: int | None = None
    picked_parents: bool = False


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """What planner and proposer read. ``theme_correlation`` None: no themes, no tried trials."""

    seed_directions: tuple[str, ...] = ()
    feedback: bool = True
    recent_rounds: int = 3
    memory_every: int = 5
    theme_correlation: float | None = None
    lineage: bool = False
    send_back_repeats: bool = False


@dataclass(frozen=True, slots=True)
class StopSettings:
    """When a campaign ends. None: not for this cause. The deadline has a time zone."""

    max_rounds: int | None = 20
    max_trials: int | None = None
    patience: int | None = None
    deadline: datetime | None = None


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Size limits of a candidate's formula."""

    characters: int = 2000
    nodes: int = 60
    depth: int = 12
    lookback: int = 252


def _admission() -> AdmissionRule:
    from assay.judge.training import AdmissionRule  # takes a while, and most commands have no config

    return AdmissionRule()


@dataclass(frozen=True, slots=True)
class CampaignConfig:
    """A whole campaign. Make it with :meth:`load`, or in Python from its parts.

    Parameters
    ----------
    data : name of the data set in the workspace; None: the workspace's default.
    universe : None: the workspace's for the data set.
    horizon : bars of the label.
    validate_share : part of ``search``, at its end, that the loop never sees.
    seed : of all that is drawn.
    mechanisms : description by mechanism type.
    folder : that the paths of the files begin at.
    """

    data: str | None = None
    universe: str | None = None
    horizon: int = 10
    validate_share: float = 0.2
    seed: int = 0
    language: Language = "en"
    mechanisms: Mapping[str, str] = field(default_factory=lambda: MECHANISMS)
    roles: RoleBackends = RoleBackends()
    files: FileSettings = FileSettings()
    pools: PoolSettings = PoolSettings()
    quota: QuotaSettings = QuotaSettings()
    round: RoundSettings = RoundSettings()
    context: ContextSettings = ContextSettings()
    stop: StopSettings = StopSettings()
    gate: GateSettings = GateSettings()
    admission: AdmissionRule = field(default_factory=_admission)
    folder: Path = field(default_factory=Path)

    @classmethod
    def load(cls, path: Path) -> CampaignConfig:
        """The campaign that a ``campaign.toml`` describes.

        Raises
        ------
        ConfigProblems
            The file is missing, unreadable or not valid; every problem is listed.
        """
        from assay.campaign._config import load_config

        return load_config(Path(path))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without the folder; files by their path as written."""
        data: dict[str, Any] = _plain({item.name: getattr(self, item.name) for item in fields(self)})
        data.pop("folder")
        return data

    def decisive(self) -> dict[str, Any]:
        """What decides the course of a campaign, and may not change in a run.

        When it stops is left out, so that a run can be resumed with other limits; so are the paths of the
        files, whose content is snapshotted, and of the pools, whose content is hashed on its own.
        """
        data = self.as_dict()
        for name in ("stop", "files", "pools"):
            data.pop(name)
        # mechanism types are in order: ties go by it
        return {**data, "mechanisms": [list(item) for item in self.mechanisms.items()]}

    @property
    def hash(self) -> str:
        """SHA-256 of what :meth:`decisive` tells."""
        return json_hash(self.decisive())


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return value.as_posix()
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return value.isoformat() if isinstance(value, datetime) else value
