"""What may go wrong with a platform, told apart by status and type, never by words of a message."""

from __future__ import annotations

from typing import Final, Literal

from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
    Reason,
    Refusal,
)

BAD_SETTINGS: Final = Reason(
    "bad_settings", "the platform does not take these settings", "use the choices that it lists"
)
BAD_EXPRESSION: Final = Reason(
    "bad_expression", "the platform does not take this expression", "mend it at the place that is named"
)
UNKNOWN_ALPHA: Final = Reason(
    "unknown_alpha", "the platform has no such alpha", "take an id that it has listed"
)
UNKNOWN_DATA: Final = Reason(
    "unknown_data", "the platform has no such data set or field", "take a name that it lists"
)
NOT_SUBMITTED: Final = Reason(
    "not_submitted", "the platform did not take the alpha", "look at the checks that failed"
)
NOT_PERMITTED: Final = Reason(
    "not_permitted", "the account may not do this", "use what the account's permissions allow"
)
HOST_NOT_ALLOWED: Final = Reason(
    "host_not_allowed",
    "credentials go to the official host or to the loopback alone",
    "mend base_url, or set any_host = true in [brain.client] if you mean it",
)
REASONS: Final = (
    BAD_SETTINGS, BAD_EXPRESSION, UNKNOWN_ALPHA, UNKNOWN_DATA, NOT_SUBMITTED, NOT_PERMITTED, HOST_NOT_ALLOWED,
)  # fmt: skip


class BiometricRequired(ProviderAuth):
    """A person has to open ``url`` in a browser before the session begins."""

    kind = "biometric"

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message, fix=f"open {url} in a browser and complete it", status=401)
        self.url = url


class SlotsFull(ProviderTransient):
    """As many simulations run as may (429): nothing is wrong, and no attempt was used."""

    kind = "slots_full"


class Throttled(ProviderTransient):
    """Too many requests (429): wait ``retry_after`` seconds; no attempt was used."""

    kind = "throttled"


class SimulationOverdue(ProviderError):
    """A simulation did not end in the time that the settings give it."""

    kind = "simulation_overdue"


Fault = Literal["factor", "passing", "stop"]


def fault_of(error: AssayError) -> Fault:
    """Whose fault an error is.

    ``factor``: of what was asked, marked at once. ``passing``: of the network or the service, never a verdict
    on a factor. ``stop``: credentials or quota; the run pauses.
    """
    if isinstance(error, Refusal):
        return "stop" if error.reason in (NOT_PERMITTED, HOST_NOT_ALLOWED) else "factor"
    if isinstance(error, (ProviderAuth, ProviderQuotaExhausted)):
        return "stop"
    if isinstance(error, (ProviderTransient, ProviderBadReply, SimulationOverdue)):
        return "passing"
    return "stop"
