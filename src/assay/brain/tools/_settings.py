"""What a simulation can be told: ``get_setting_schema``, ``get_setting_detail``, ``get_settings_guide``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import Field

from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain.tools._desk import BrainDesk, picked
from assay.brain.tools._operators import NoArguments
from assay.brain.tools._reasons import NO_PLATFORM, UNKNOWN_SETTING
from assay.tools import Arguments, Context, Result, Tool

MEANINGS: Final[Mapping[str, str]] = {
    "instrumentType": "Kind of instrument.",
    "region": "Market. Universes, delays and neutralizations depend on it.",
    "universe": "The most liquid names of the region that may be held. A smaller one trades more easily, and "
    "leaves less to diversify.",
    "delay": "1: positions of a day use data up to the day before; 0: of the day itself, with higher limits.",
    "decay": "Linear decay over that many days, 0 = off. More smooths positions: turnover falls, and a fast "
    "signal fades.",
    "neutralization": "The group whose mean is taken out, so that the book is flat in each. Finer groups "
    "take out more of what stocks have in common.",
    "truncation": "Largest share of the book in one name, 0 = no cap. Lower it when weight is concentrated.",
    "pasteurization": "ON: values outside the universe are missing.",
    "unitHandling": "VERIFY: units are checked and told as warnings.",
    "nanHandling": "ON: missing values of time series count as 0 and groups fill their members; OFF: they "
    "stay missing.",
    "language": "Language of the expression.",
    "visualization": "Whether the platform keeps charts.",
    "testPeriod": "Length of the tail of the in-sample time that is told apart, such as P1Y6M.",
    "maxTrade": "ON: trades are capped by traded volume.",
    "maxPosition": "ON: positions are capped by traded volume.",
    "simulationMode": "FULL, or QUICK for a shorter one.",
}
"""What each setting does, by its name on the wire."""

GUIDE: Final = (
    "Begin with the defaults, and change one setting at a time.",
    "Turnover too high: raise decay, or smooth the expression itself; too low: shorten its windows.",
    "Weight concentrated: rank the expression, or lower truncation.",
    "Sub-universe Sharpe low: rank within groups, or neutralize finely; avoid what only small names have.",
    "Sharpe negative and large: the sign is wrong; negate the expression.",
    "A better figure from a setting alone is worth little: each setting that is tried is a trial, too.",
)


class SettingArguments(Arguments):
    name: str = Field(description="Name of a setting, as get_setting_schema has it.", max_length=64)


class ChoicesRow(Result):
    region: str | None = Field(description="Where these hold; null: everywhere.")
    values: list[str | int | bool]


class SettingRow(Result):
    name: str
    default: str | int | float | bool | None
    choices: list[ChoicesRow] = Field(description="Empty where any value within the bounds will do.")
    minimum: float | None
    maximum: float | None


class SettingDetail(SettingRow):
    meaning: str


class SchemaResult(Result):
    settings: list[SettingRow]


class GuideResult(Result):
    settings: list[SettingDetail]
    advice: list[str]


def setting_tools(desk: BrainDesk) -> Iterator[Tool]:
    """The three tools that tell of settings."""

    def get_setting_schema(arguments: NoArguments, context: Context) -> SchemaResult:
        return SchemaResult(settings=list(_rows(desk.need_platform().choices()).values()))

    def get_setting_detail(arguments: SettingArguments, context: Context) -> SettingDetail:
        rows = _rows(desk.need_platform().choices())
        return _detail(picked(rows, arguments.name, UNKNOWN_SETTING))

    def get_settings_guide(arguments: NoArguments, context: Context) -> GuideResult:
        rows = _rows(desk.need_platform().choices())
        return GuideResult(settings=[_detail(row) for row in rows.values()], advice=list(GUIDE))

    yield Tool(
        "brain.get_setting_schema",
        "Lists the settings of a simulation with defaults and choices.",
        NoArguments,
        SchemaResult,
        (NO_PLATFORM,),
        get_setting_schema,
    )
    yield Tool(
        "brain.get_setting_detail",
        "Tells what one setting does, and which values it takes.",
        SettingArguments,
        SettingDetail,
        (NO_PLATFORM, UNKNOWN_SETTING),
        get_setting_detail,
    )
    yield Tool(
        "brain.get_settings_guide",
        "Tells what all settings do, and which to change when a check fails.",
        NoArguments,
        GuideResult,
        (NO_PLATFORM,),
        get_settings_guide,
    )


def _detail(row: SettingRow) -> SettingDetail:
    return SettingDetail(**row.model_dump(), meaning=MEANINGS[row.name])


def _rows(choices: SettingsChoices) -> dict[str, SettingRow]:
    """The settings by their names on the wire."""
    listed = _listed(choices)
    defaults = SimulationSettings()
    rows: dict[str, SettingRow] = {}
    for field, info in SimulationSettings.model_fields.items():
        name = str(info.alias or field)
        schema: Mapping[str, Any] = SimulationSettings.model_json_schema()["properties"][name]
        values = listed.get(name) or _fixed(schema)
        rows[name] = SettingRow(
            name=name,
            default=getattr(defaults, field),
            choices=values,
            minimum=schema.get("minimum"),
            maximum=schema.get("maximum"),
        )
    return rows


def _listed(choices: SettingsChoices) -> dict[str, list[ChoicesRow]]:
    def by_region(values: Mapping[str, tuple[Any, ...]]) -> list[ChoicesRow]:
        return [ChoicesRow(region=region, values=list(items)) for region, items in values.items()]

    return {
        "instrumentType": [ChoicesRow(region=None, values=list(choices.instrument_types))],
        "region": [ChoicesRow(region=None, values=list(choices.regions))],
        "universe": by_region(choices.universes),
        "delay": by_region(choices.delays),
        "neutralization": by_region(choices.neutralizations),
    }


def _fixed(schema: Mapping[str, Any]) -> list[ChoicesRow]:
    """The choices that the schema itself names."""
    parts = schema.get("anyOf", [schema])
    values: list[Any] = [value for part in parts for value in part.get("enum", ())]
    values += [part["const"] for part in parts if "const" in part]
    if any(part.get("type") == "boolean" for part in parts):
        values += [False, True]
    return [ChoicesRow(region=None, values=values)] if values else []
