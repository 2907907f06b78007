"""What the platform offers: settings, operators, data sets, data fields. Lists are cached by query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from assay.brain._errors import BAD_SETTINGS, UNKNOWN_DATA
from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain._wire import DataFieldInfo, DataSetInfo, OperatorInfo
from assay.brain.client._alphas import count_of
from assay.brain.client._cache import Cache
from assay.brain.client._calls import Calls
from assay.brain.client._choices import choices_of, read_choices
from assay.brain.client._http import Query
from assay.brain.client._pages import Page, pages
from assay.brain.client._reply import Reply
from assay.errors import Refusal

W = TypeVar("W", DataSetInfo, DataFieldInfo)

_PAGE: Final = 50
_TYPES: Final = ("MATRIX", "VECTOR", "GROUP")
_NOTHING: Query = ()


@dataclass(frozen=True, slots=True)
class DataQuery:
    """Which data sets or fields are asked for: those that a simulation with these settings could use."""

    instrument_type: str = "EQUITY"
    region: str = "USA"
    delay: int = 1
    universe: str = "TOP3000"
    data_set: str | None = None
    type: Literal["MATRIX", "VECTOR", "GROUP"] | None = None
    category: str | None = None
    search: str = ""

    @classmethod
    def of(cls, settings: SimulationSettings, *, data_set: str | None = None, search: str = "") -> DataQuery:
        """What simulations with ``settings`` could use."""
        return cls(
            settings.instrument_type,
            settings.region,
            settings.delay,
            settings.universe,
            data_set,
            search=search,
        )

    def query(self) -> Query:
        """The parts of the query, named as the platform names them."""
        parts = (
            ("instrumentType", self.instrument_type),
            ("region", self.region),
            ("delay", self.delay),
            ("universe", self.universe),
            ("dataset.id", self.data_set),
            ("type", self.type),
            ("category", self.category),
            ("search", self.search or None),
        )
        return tuple((key, str(value)) for key, value in parts if value is not None)

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.query())


class Catalog:
    """The platform's lists, from the cache where they are there whole. ``refresh`` fetches them anew."""

    def __init__(self, calls: Calls, cache: Cache, note: Callable[[str], None]) -> None:
        self._calls = calls
        self.cache = cache
        self._note = note
        self._choices: SettingsChoices | None = None

    async def choices(self, *, refresh: bool = False) -> SettingsChoices:
        """What the settings of a simulation may be."""
        if self._choices is None or refresh:
            found = None if refresh else self.cache.load("choices", _NOTHING)
            if found is None:
                found = await self._calls.get("/simulations", read_choices, method="OPTIONS")
                self.cache.save("choices", _NOTHING, found)
            self._choices = choices_of(found[0])
        return self._choices

    async def settled(self, fits: Callable[[SettingsChoices], bool]) -> SettingsChoices:
        """The choices; fetched anew where those of the cache do not fit, as the platform may have more."""
        choices = await self.choices()
        return choices if fits(choices) else await self.choices(refresh=True)

    async def operators(self, *, refresh: bool = False) -> tuple[OperatorInfo, ...]:
        """The operators that the account may use."""

        def read(reply: Reply) -> list[Any]:
            listed = reply.items("operators", "results")
            return [reply.model(OperatorInfo, item, "an operator").wire() for item in listed]

        found = None if refresh else self.cache.load("operators", _NOTHING)
        if found is None:
            found = await self._calls.get("/operators", read)
            self.cache.save("operators", _NOTHING, found)
        return tuple(OperatorInfo.model_validate(item) for item in found)

    async def data_sets(self, wanted: DataQuery, *, refresh: bool = False) -> tuple[DataSetInfo, ...]:
        """The data sets of a query.

        Raises
        ------
        Refusal
            ``bad_settings``: the platform has no such region, universe or delay. ``unknown_data``: it has no
            data set there; the query is named.
        """
        return await self._listed("data-sets", DataSetInfo, wanted, refresh)

    async def data_fields(self, wanted: DataQuery, *, refresh: bool = False) -> tuple[DataFieldInfo, ...]:
        """The fields of a query; refusals as for :meth:`data_sets`."""
        return await self._listed("data-fields", DataFieldInfo, wanted, refresh)

    async def _listed(self, kind: str, model: type[W], wanted: DataQuery, refresh: bool) -> tuple[W, ...]:
        query = wanted.query()
        cached = None if refresh else self.cache.load(kind, query)
        if cached is not None:
            return tuple(model.model_validate(item) for item in cached)
        await self._check(wanted)

        unusable: set[str] = set()

        async def page(part: Query) -> Page[W]:
            def read(reply: Reply) -> Page[W]:
                lines = reply.items("results")
                strange = [_strange_type(line, model) for line in lines]
                unusable.update(filter(None, strange))
                usable = [line for line, kind in zip(lines, strange, strict=True) if not kind]
                items = [reply.model(model, line, "an item of a list") for line in usable]
                return Page(items, count_of(reply, len(lines)), len(lines))

            return await self._calls.get(f"/{kind}", read, query=part)

        found = await pages(page, query=query, size=_PAGE, note=self._note)
        if unusable:
            self._note(
                f"fields of a type that no expression takes are left out: {', '.join(sorted(unusable))}"
            )
        if not found and not wanted.search:
            raise Refusal(
                UNKNOWN_DATA,
                f"the platform lists no {kind.replace('-', ' ')} for {wanted}",
                where=f"GET /{kind}",
                details=dict(query),
            )
        self.cache.save(kind, query, [item.wire() for item in found])
        return tuple(found)

    async def _check(self, wanted: DataQuery) -> None:
        settings = SimulationSettings(
            instrument_type=wanted.instrument_type, region=wanted.region, universe=wanted.universe
        ).model_copy(update={"delay": wanted.delay})

        def wrong(choices: SettingsChoices) -> dict[str, str]:
            found = choices.problems(settings)
            return {key: text for key, text in found.items() if key != "neutralization"}

        problems = wrong(await self.settled(lambda choices: not wrong(choices)))
        if problems:
            listed = "; ".join(f"{key}: {text}" for key, text in problems.items())
            raise Refusal(BAD_SETTINGS, f"the platform has no such data: {listed}", details=problems)


def _strange_type(line: Any, model: type[Any]) -> str:
    """The type of a field where it is none that FASTEXPR knows; else empty."""
    kind = line.get("type") if model is DataFieldInfo and isinstance(line, dict) else None
    return kind if isinstance(kind, str) and kind not in _TYPES else ""
