"""What ``OPTIONS /simulations`` lets one choose."""

from __future__ import annotations

from typing import Any, Final

from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain.client._reply import Reply

_EQUITY: Final = "EQUITY"
_BY_REGION: Final = ("universe", "delay", "neutralization")


def read_choices(reply: Reply) -> list[Any]:
    """The parts of the reply that name choices, as one item for the cache.

    Raises
    ------
    ProviderBadReply
        It has another shape.
    """
    node: Any = reply.object()
    for name in ("actions", "POST", "settings", "children"):
        node = node.get(name) if isinstance(node, dict) else None
    if not isinstance(node, dict):
        raise reply.bad("actions.POST.settings.children was expected")
    names = ("instrumentType", "region", *_BY_REGION)
    found = {name: node[name].get("choices") for name in names if isinstance(node.get(name), dict)}
    if not _values(found.get("instrumentType"), {}):
        raise reply.bad("choices of the instrument type were expected")
    return [found]


def choices_of(found: dict[str, Any]) -> SettingsChoices:
    """Choices by region, for equities where there are some."""
    instruments = tuple(map(str, _values(found["instrumentType"], {})))
    kind = _EQUITY if _EQUITY in instruments else instruments[0]
    regions = tuple(map(str, _values(found.get("region"), {"instrumentType": kind})))

    def by_region(name: str) -> dict[str, tuple[Any, ...]]:
        return {
            region: _values(found.get(name), {"instrumentType": kind, "region": region}) for region in regions
        }

    return SettingsChoices(
        instrument_types=instruments,
        regions=regions,
        universes=by_region("universe"),
        delays=by_region("delay"),
        neutralizations=by_region("neutralization"),
    )


def default_settings(choices: SettingsChoices) -> SimulationSettings:
    """The usual settings where the platform takes them; what it does not, as its first choice."""
    usual = SimulationSettings()
    region = usual.region if usual.region in choices.regions else next(iter(choices.regions), usual.region)

    def pick(value: Any, known: dict[str, tuple[Any, ...]]) -> Any:
        offered = known.get(region, ())
        return value if value in offered or not offered else offered[0]

    return usual.model_copy(
        update={
            "instrument_type": usual.instrument_type
            if usual.instrument_type in choices.instrument_types
            else choices.instrument_types[0],
            "region": region,
            "universe": pick(usual.universe, choices.universes),
            "delay": pick(usual.delay, choices.delays),
            "neutralization": pick(usual.neutralization, choices.neutralizations),
        }
    )


def _values(node: Any, given: dict[str, str]) -> tuple[Any, ...]:
    """The values of nested choices: an object names the setting that it goes by, then that one's values."""
    if isinstance(node, list):
        return tuple(item["value"] if isinstance(item, dict) else item for item in node if _has_value(item))
    if not isinstance(node, dict):
        return ()
    for setting, value in given.items():
        if isinstance(node.get(setting), dict):
            return _values(node[setting].get(value), given)
    return ()


def _has_value(item: Any) -> bool:
    return "value" in item if isinstance(item, dict) else isinstance(item, str | int)
