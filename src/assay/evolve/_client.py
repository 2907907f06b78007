"""A client of the backtest service, for the window report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from assay.config import Secret
from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderTransient,
    Reason,
    Refusal,
)
from assay.evolve._windows import METRICS, Compared, Figures, Pair, Window

if TYPE_CHECKING:
    import httpx

EVAL_HEADER: Final = "X-Assay-Eval-Token"
TIMEOUT: Final = 300.0
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class HttpWindows:
    """The service at an address; use as a context.

    Parameters
    ----------
    endpoint : its address, ``http://127.0.0.1:8001``. Tokens go over plain HTTP to the loopback only.
    token : of the role search or score.
    eval_token : the second token, which a person issued; without it the service answers ``eval_sealed``.
    transport : instead of the network, for tests.

    Raises
    ------
    AssayError
        The address is not one that tokens may be sent to.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        token: Secret,
        eval_token: Secret | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        import httpx

        _check_endpoint(endpoint)
        self._endpoint = endpoint
        self._eval_token = eval_token
        self._client = httpx.Client(
            base_url=endpoint,
            headers={"Authorization": f"Bearer {token.reveal()}"},
            timeout=TIMEOUT,
            trust_env=False,
            follow_redirects=False,
            transport=transport,
        )

    def __enter__(self) -> HttpWindows:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def compare(self, pair: Pair, window: Window) -> Compared:
        """See :class:`~assay.evolve._windows.WindowService`."""
        if window == "eval":
            body = self._ask(pair, pair.evolved, window)
            if "reason" in body:
                return Compared(None, None, str(body["reason"]))
            return Compared(self._figures(body["seed"]), self._figures(body["candidate"]))
        sides: list[Figures] = []
        for formula in (pair.seed, pair.evolved):
            body = self._ask(pair, formula, window)
            if "reason" in body:
                return Compared(None, None, str(body["reason"]))
            sides.append(self._figures(body["figures"]))
        seed, evolved = sides
        return Compared(seed, evolved)

    def _ask(self, pair: Pair, formula: str, window: Window) -> Mapping[str, Any]:
        """The answer to a backtest; an error of the model is an answer with its reason."""
        import httpx

        headers = {}
        if window == "eval" and self._eval_token is not None:
            headers[EVAL_HEADER] = self._eval_token.reveal()
        asked = {"expression": formula, "spec_id": pair.spec_id, "period": window}
        try:
            answer = self._client.post("/backtest", json=asked, headers=headers)
            body = answer.json()
        except httpx.HTTPError as error:
            raise ProviderTransient(
                f"the service does not answer: {type(error).__name__}",
                where=self._endpoint,
                fix="start it: assay service serve",
            ) from error
        except ValueError as error:
            raise self._bad_reply() from error
        if not isinstance(body, dict):
            raise self._bad_reply()
        if answer.status_code == 200 or body.get("source") == "model":
            return body
        raise self._error(answer.status_code, body)

    def _figures(self, told: object) -> Figures:
        if not isinstance(told, Mapping) or not set(METRICS) <= set(told):
            raise self._bad_reply()
        return {name: told[name] for name in METRICS}

    def _error(self, status: int, body: Mapping[str, Any]) -> AssayError:
        code, message = str(body.get("reason", "")), str(body.get("message", f"status {status}"))
        fix = str(body.get("fix") or "see the log of the service")
        if status == 401:
            return ProviderAuth(message, where=self._endpoint, fix=fix)
        if status == 403 or status == 404:
            return Refusal(Reason(code or "refused", message, fix), where=self._endpoint)
        kind = ProviderTransient if status in (429, 503) else ProviderError
        return kind(message, where=self._endpoint, fix=fix)

    def _bad_reply(self) -> ProviderBadReply:
        return ProviderBadReply(
            "the answer is not one of the backtest service", where=self._endpoint, fix="check the address"
        )


def _check_endpoint(endpoint: str) -> None:
    parts = urlsplit(endpoint)
    fix = "give http://127.0.0.1:PORT, or an https address"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AssayError(f"{endpoint!r} is no address of a service", where="--endpoint", fix=fix)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise AssayError("tokens are not sent in the clear to another machine", where="--endpoint", fix=fix)
