"""A simulation that may have been started though no reply said so.

Starting it again costs one more of the day's simulations and a slot, so the newest alphas are looked
at first. One that is still at work leaves no trace there, and is started again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from assay.brain._settings import SimulationRequest
from assay.brain._wire import Alpha, Simulation

LOOKED_AT: Final = 50
_PREFIX: Final = "/alphas/"


def found_location(requests: Sequence[SimulationRequest], newest: Sequence[Alpha]) -> str | None:
    """Where to poll what was started: the alphas that came of all ``requests``; None where one is missing.

    Equal expressions with equal settings have equal figures, so it matters not which of several it is.
    """
    ids = []
    for request in requests:
        match = next((alpha.id for alpha in newest if _is_of(alpha, request)), None)
        if match is None:
            return None
        ids.append(match)
    return _PREFIX + ",".join(ids)


def found_alphas(path: str) -> tuple[str, ...]:
    """The alphas that a location of :func:`found_location` names; empty for any other location."""
    return tuple(path.removeprefix(_PREFIX).split(",")) if path.startswith(_PREFIX) else ()


def found_simulation(alpha: Alpha) -> Simulation:
    """The simulation that an alpha came from, whose own id is not known."""
    code = None if alpha.regular is None else alpha.regular.code
    return Simulation(
        id=_PREFIX + alpha.id, status="COMPLETE", settings=alpha.settings, regular=code, alpha=alpha.id
    )


def same_request(request: SimulationRequest, code: str | None, settings: dict[str, Any]) -> bool:
    """Whether ``code`` and ``settings`` echo a request; the platform may add settings of its own."""
    asked = request.settings.wire()
    return code is not None and code.strip() == request.regular.strip() and asked.items() <= settings.items()


def _is_of(alpha: Alpha, request: SimulationRequest) -> bool:
    return alpha.regular is not None and same_request(request, alpha.regular.code, alpha.settings)
