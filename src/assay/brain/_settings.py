"""What is asked of a platform: the settings of a simulation, and the request as a whole."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from assay.base import json_hash

Switch = Literal["ON", "OFF"]


class Wire(BaseModel):
    """Base of everything that crosses the wire: camelCase there, unknown keys are passed over."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore", allow_inf_nan=False
    )

    def wire(self) -> dict[str, Any]:
        """The JSON object, without what is not set."""
        return self.model_dump(by_alias=True, exclude_none=True)


class SimulationSettings(Wire):
    """Settings of one simulation, named as the platform names them.

    Which regions, universes and neutralisations there are is the platform's to say (``OPTIONS
    /simulations``); see :class:`SettingsChoices`.
    """

    model_config = ConfigDict(extra="forbid")

    instrument_type: str = "EQUITY"
    region: str = "USA"
    universe: str = "TOP3000"
    delay: Literal[0, 1] = 1
    decay: int = Field(5, ge=0, le=512)
    neutralization: str = "MARKET"
    truncation: float = Field(0.08, ge=0, le=1)
    pasteurization: Switch = "ON"
    unit_handling: Literal["VERIFY"] = "VERIFY"
    nan_handling: Switch = "OFF"
    language: Literal["FASTEXPR"] = "FASTEXPR"
    visualization: bool = False
    test_period: str | None = Field(None, pattern=r"^P\d+Y\d+M$")
    max_trade: Switch | None = None
    max_position: Switch | None = None
    simulation_mode: Literal["FULL", "QUICK"] | None = None


class SimulationRequest(Wire):
    """One expression with its settings."""

    type: Literal["REGULAR"] = "REGULAR"
    settings: SimulationSettings = SimulationSettings()
    regular: str

    @property
    def settings_hash(self) -> str:
        """SHA-256 of the settings; with the fingerprint of the expression it tells requests apart."""
        return json_hash(self.settings.wire())


class SettingsChoices(BaseModel):
    """What a platform lets one choose, from ``OPTIONS /simulations``.

    ``universes``, ``delays`` and ``neutralizations`` are by region.
    """

    model_config = ConfigDict(frozen=True)

    instrument_types: tuple[str, ...]
    regions: tuple[str, ...]
    universes: dict[str, tuple[str, ...]]
    delays: dict[str, tuple[int, ...]]
    neutralizations: dict[str, tuple[str, ...]]

    def problems(self, settings: SimulationSettings) -> dict[str, str]:
        """What the platform would refuse of ``settings``, by key; empty when all is well."""
        found: dict[str, str] = {}
        if settings.instrument_type not in self.instrument_types:
            found["instrumentType"] = _no_choice(settings.instrument_type, self.instrument_types)
        if settings.region not in self.regions:
            found["region"] = _no_choice(settings.region, self.regions)
            return found
        region = settings.region
        by_region: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
            ("universe", settings.universe, self.universes.get(region, ())),
            ("delay", settings.delay, self.delays.get(region, ())),
            ("neutralization", settings.neutralization, self.neutralizations.get(region, ())),
        )
        for key, value, known in by_region:
            if value not in known:
                found[key] = _no_choice(value, known)
        return found


def _no_choice(value: object, known: tuple[Any, ...]) -> str:
    return f'"{value}" is not a valid choice; use one of {", ".join(map(str, known)) or "none"}'
