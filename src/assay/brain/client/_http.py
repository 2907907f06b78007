"""One request over HTTP: its reply, or a typed error; no retry, no redirect, no other host."""

from __future__ import annotations

import asyncio
import re
import ssl
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import quote, urlencode

import httpx

from assay.brain._errors import BAD_SETTINGS
from assay.brain._wire import Quota
from assay.brain.client._address import Address
from assay.brain.client._credentials import Credentials
from assay.brain.client._faults import NotSent
from assay.brain.client._quiet import Quiet
from assay.brain.client._reply import Reply
from assay.config import BrainClientSettings, Secret
from assay.errors import ProviderBadReply, ProviderTransient, Refusal

Query = tuple[tuple[str, str], ...]

MAX_BYTES: Final = 64 * 2**20
_SENDABLE: Final = re.compile(r"[!#-+\--:<-\[\]-~]+")
"""What a cookie may hold (RFC 6265); anything else would break the header that carries it."""
_WHOLE: Final = 10
"""A whole reply may take this many times the time between two pieces of it."""
_LATER: Final = "check the connection, then go on; what was begun is not lost"


@dataclass(slots=True)
class Told:
    """What replies said of limits last: ``quota`` of the day, ``rates`` of a minute and a second."""

    quota: Quota = field(default_factory=Quota)
    rates: dict[str, int] = field(default_factory=dict)

    def hear(self, reply: Reply) -> None:
        headers = reply.headers
        day = {
            "limit": _whole(headers.get("x-ratelimit-limit")),
            "remaining": _whole(headers.get("x-ratelimit-remaining")),
            "reset_seconds": _whole(headers.get("x-ratelimit-reset")),
        }
        heard = {name: value for name, value in day.items() if value is not None}
        if heard:
            self.quota = self.quota.model_copy(update=heard)
        for name in ("limit-minute", "remaining-minute", "limit-second", "remaining-second"):
            value = _whole(headers.get(f"x-ratelimit-{name}"))
            if value is not None:
                self.rates[name.replace("-", "_")] = value


class Http:
    """A connection to the platform with the cookies of the session, which go to its host alone."""

    def __init__(
        self,
        settings: BrainClientSettings,
        credentials: Credentials,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.address = Address.of(settings)
        self.told = Told()
        self.cookies: dict[str, str] = {}
        self._credentials = credentials
        self._timeout = settings.timeout
        self._client = httpx.AsyncClient(
            timeout=settings.timeout,
            follow_redirects=False,
            # proxies of the environment must not see what is meant for this machine
            trust_env=not self.address.loopback,
            transport=transport,
        )
        self._quiet = Quiet.begin()
        # its own jar goes by the local clock and by the scheme; a skewed clock would drop the session
        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    async def close(self) -> None:
        await self._client.aclose()
        self._quiet.end()

    async def send(
        self, method: str, path: str, *, query: Query = (), json: Any = None, basic: bool = False
    ) -> Reply:
        """The reply to a request; ``basic`` sends the credentials along.

        Raises
        ------
        ProviderTransient
            No whole reply came; :class:`NotSent` where the request surely did not arrive.
        ProviderBadReply
            The reply is too long, or breaks HTTP.
        Refusal
            ``bad_settings``: what is asked for does not fit into an address.
        """
        target = f"{path}{'&' if '?' in path else '?'}{_encoded(query, path)}" if query else path
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        who = self._credentials
        auth = httpx.BasicAuth(who.username.reveal(), who.password.reveal()) if basic else None
        what = f"{method} {path.partition('?')[0]}"
        request = self._request(method, target, json, headers)
        # what httpx raises is not chained: it holds the request, with cookie and password
        found: ProviderTransient | ProviderBadReply
        try:
            async with asyncio.timeout(self._timeout * _WHOLE):
                response = await self._client.send(request, auth=auth, stream=True)
                try:
                    body = await _read(response, what)
                finally:
                    await response.aclose()
            self._keep_cookies(response.headers)
            secrets = (who.password, *map(Secret, self.cookies.values()))
            reply = Reply(method, target, response.status_code, response.headers, body, secrets)
            self.told.hear(reply)
            return reply
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            found = NotSent(f"{what}: no connection ({_cause(error)})", where=self.address.origin, fix=_LATER)
        except (httpx.TimeoutException, TimeoutError):
            waited = f"{self._timeout:g} s"
            found = ProviderTransient(f"{what}: no reply within {waited}", where=path, fix=_LATER)
        except (httpx.DecodingError, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            found = ProviderBadReply(f"{what}: a malformed reply ({type(error).__name__})", where=path)
        except (httpx.HTTPError, httpx.StreamError, ssl.SSLError, OSError) as error:
            found = ProviderTransient(
                f"{what}: the connection broke ({_cause(error)})", where=path, fix=_LATER
            )
        raise found

    def _request(self, method: str, target: str, json: Any, headers: dict[str, str]) -> httpx.Request:
        try:
            return self._client.build_request(method, self.address.url(target), json=json, headers=headers)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise _unsendable(target, error) from None

    def _keep_cookies(self, headers: httpx.Headers) -> None:
        for line in headers.get_list("set-cookie"):
            try:
                set_by_line = SimpleCookie(line)
            except CookieError:
                continue  # a cookie that nobody can send back
            for name, morsel in set_by_line.items():
                if _SENDABLE.fullmatch(morsel.value) and morsel["max-age"] != "0":
                    self.cookies[name] = morsel.value
                else:
                    self.cookies.pop(name, None)


async def _read(response: httpx.Response, what: str) -> bytes:
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            raise ProviderBadReply(f"{what}: the reply is over {MAX_BYTES} bytes", where=what)
    return b"".join(pieces)


def _encoded(query: Query, path: str) -> str:
    try:
        # quote and not quote_plus: the platform reads '+' of a date only as %2B
        return urlencode(query, quote_via=quote, safe="")
    except UnicodeError as error:
        raise _unsendable(path, error) from None


def _unsendable(target: str, error: Exception) -> Refusal:
    return Refusal(
        BAD_SETTINGS,
        f"what is asked for does not fit into an address ({type(error).__name__})",
        where=target.partition("?")[0][:100],
        fix="use fewer words, and no control characters",
    )


def _cause(error: BaseException) -> str:
    """The innermost cause, as the operating system says it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) if isinstance(error, OSError) and str(error) else type(error).__name__


def _whole(text: str | None) -> int | None:
    try:
        return None if text is None else int(float(text))
    except (ValueError, OverflowError):
        return None
