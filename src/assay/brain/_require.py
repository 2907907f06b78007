"""What a platform has to have before anything is simulated on it."""

from __future__ import annotations

from assay.brain._errors import BAD_SETTINGS, UNKNOWN_DATA
from assay.brain._platform import Platform
from assay.brain._settings import SimulationSettings
from assay.brain._wire import DataFieldInfo
from assay.errors import Refusal


def require_choices(platform: Platform, settings: SimulationSettings) -> None:
    """Refuse settings that the platform does not have: ``bad_settings``, each key with what there is."""
    faults = platform.choices().problems(settings)
    if faults:
        said = "; ".join(f"{key}: {problem}" for key, problem in faults.items())
        raise Refusal(BAD_SETTINGS, said, where="settings", details=faults)


def require_fields(platform: Platform, data_set: str) -> tuple[DataFieldInfo, ...]:
    """The fields of a data set; refuses ``unknown_data`` where it has none."""
    found = platform.data_fields(data_set)
    if not found:
        known = ", ".join(info.id for info in platform.data_sets()) or "none"
        raise Refusal(
            UNKNOWN_DATA,
            f"the data set {data_set!r} has no fields here",
            where="data set",
            fix=f"take one of: {known}",
        )
    return found
