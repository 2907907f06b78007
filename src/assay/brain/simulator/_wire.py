"""The protocol of the platform: every path and method, without a socket."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from assay.brain.simulator import _wire_alphas as alphas
from assay.brain.simulator import _wire_auth as auth
from assay.brain.simulator import _wire_data as data
from assay.brain.simulator import _wire_simulations as simulations
from assay.brain.simulator._account import Account
from assay.brain.simulator._wire_types import Invalid, Reply, Request, detail, json_reply, path_parts
from assay.errors import AssayError

_log = logging.getLogger("assay.brain.simulator")


@dataclass(frozen=True, slots=True)
class Route:
    """One path with one method. ``open``: needs no session."""

    method: str
    path: str
    answer: Callable[..., Reply]
    open: bool = False

    def match(self, parts: tuple[str, ...]) -> tuple[str, ...] | None:
        """The values of the names in braces; None where the path is another one."""
        own = path_parts(self.path)
        if len(own) != len(parts):
            return None
        pairs = list(zip(own, parts, strict=True))
        if any(one != given and not one.startswith("{") for one, given in pairs):
            return None
        return tuple(given for one, given in pairs if one.startswith("{"))


ROUTES: Final = (
    Route("GET", "/authentication", auth.sign_in_state, open=True),
    Route("POST", "/authentication", auth.sign_in, open=True),
    Route("DELETE", "/authentication", auth.sign_out, open=True),
    Route("GET", "/authentication/persona", auth.persona_page, open=True),
    Route("POST", "/authentication/persona", auth.persona_sign_in, open=True),
    Route("POST", "/authentication/persona/complete", auth.persona_complete, open=True),
    Route("OPTIONS", "/simulations", simulations.options),
    Route("POST", "/simulations", simulations.start),
    Route("GET", "/simulations/{id}", simulations.progress),
    Route("GET", "/users/self", alphas.user),
    Route("GET", "/users/self/alphas", alphas.user_alphas),
    Route("GET", "/alphas/{id}", alphas.alpha),
    Route("PATCH", "/alphas/{id}", alphas.change),
    Route("GET", "/alphas/{id}/check", alphas.check),
    Route("POST", "/alphas/{id}/submit", alphas.submit),
    Route("GET", "/alphas/{id}/submit", alphas.submission),
    Route("GET", "/alphas/{id}/recordsets", alphas.recordsets),
    Route("GET", "/alphas/{id}/recordsets/{name}", alphas.recordset),
    Route("GET", "/alphas/{id}/correlations/{kind}", alphas.correlations),
    Route("GET", "/data-sets", data.data_sets),
    Route("GET", "/data-sets/{id}", data.data_set),
    Route("GET", "/data-fields", data.data_fields),
    Route("GET", "/data-fields/{id}", data.data_field),
    Route("GET", "/data-categories", data.data_categories),
    Route("GET", "/operators", data.operators),
)


class Wire:
    """Answers requests on one account as the platform would. May be used from several threads."""

    def __init__(self, account: Account) -> None:
        self.account = account

    def handle(self, request: Request) -> Reply:
        """The reply; whatever the request is, one comes."""
        try:
            return self._answer(request)
        except Invalid as error:
            return json_reply(error.body, error.status)
        except AssayError as error:
            # of the place that the account lies in, as where its disk is full: asking again may help
            _log.error("%s %s: %s", request.method, request.path, error)
            return detail(503, f"{error.message} ({error.fix})" if error.fix else error.message)
        except Exception:  # noqa: BLE001 - a fault of ours is an answer, too, and goes to the log
            _log.exception("%s %s failed", request.method, request.path)
            return detail(500, "Internal server error.")

    def _answer(self, request: Request) -> Reply:
        parts = path_parts(request.path)
        found = [(route, names) for route in ROUTES if (names := route.match(parts)) is not None]
        if not found:
            return detail(404, "Not found.")
        # HEAD is GET without a body
        method = "GET" if request.method == "HEAD" else request.method
        chosen = next(((route, names) for route, names in found if route.method == method), None)
        if chosen is None:
            allowed = ", ".join(sorted({route.method for route, _ in found}))
            refusal = detail(405, f'Method "{request.method[:20]}" not allowed.')
            return refusal.with_headers(("Allow", allowed))
        route, names = chosen
        if not route.open:
            auth.session_of(request, self.account)
        reply = route.answer(request, self.account, *names)
        return Reply(reply.status, b"", reply.headers) if request.method == "HEAD" else reply
