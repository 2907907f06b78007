"""Signing in, staying signed in, and signing out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, Field

from assay.brain._errors import BAD_SETTINGS, BiometricRequired
from assay.brain.client._faults import fault
from assay.brain.client._http import Http
from assay.brain.client._reply import Reply
from assay.brain.client._session_file import SessionFile
from assay.config import BrainClientSettings
from assay.errors import ProviderAuth, ProviderTransient, Refusal

PATH: Final = "/authentication"
PERSON_TIME: Final = 900.0
"""Seconds that a person has to complete a biometric sign-in."""
LONGEST_SESSION: Final = 14400
_ABSURD: Final = 1e9
"""Seconds that no session lasts."""


@dataclass(frozen=True, slots=True)
class Session:
    """Whose session it is, what the account may do, and the seconds it had left when the platform said so."""

    user: str
    expires: float
    permissions: tuple[str, ...] = ()


class _Id(BaseModel):
    id: str


class _Token(BaseModel):
    expiry: float = Field(ge=0, le=_ABSURD)


class _Told(BaseModel):
    user: _Id
    token: _Token
    permissions: tuple[str, ...] = ()


class Sessions:
    """Keeps one session alive for all requests; they share one sign-in however many run at once.

    A session is renewed ``relogin_before`` its end, by the seconds that the platform gave it and a clock that
    only counts, so that a wrong date on this machine changes nothing.
    """

    def __init__(
        self,
        http: Http,
        settings: BrainClientSettings,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        on_biometric: Callable[[str], None] | None = None,
        file: SessionFile | None = None,
    ) -> None:
        self._http = http
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._on_biometric = on_biometric
        self._file = file
        self._lock = asyncio.Lock()
        self._renew_at: float | None = None
        self._stored = file is not None
        self._expiry: int | None = None
        self._refused: ProviderAuth | None = None
        self.generation = 0
        self.current: Session | None = None

    async def ready(self) -> int:
        """Make sure of a session; gives the number of the sign-in that it stems from.

        Raises
        ------
        ProviderAuth
            Credentials were refused, now or before: they are not tried twice, as the platform counts.
        """
        async with self._lock:
            if self._refused is not None:
                raise self._refused
            if self._renew_at is None and self._stored:
                await self._adopt()
            if self._renew_at is None or self._clock() >= self._renew_at:
                await self._sign_in()
            return self.generation

    async def renew(self, generation: int) -> int:
        """Sign in again, unless another request has since ``generation``."""
        async with self._lock:
            if self._refused is not None:
                raise self._refused
            if self.generation == generation:
                await self._sign_in()
            return self.generation

    async def login(self, expiry: int | None = None) -> Session:
        """Sign in now, for ``expiry`` seconds where they are given."""
        if expiry is not None and not 1 <= expiry <= LONGEST_SESSION:
            raise Refusal(
                BAD_SETTINGS, f"a session of {expiry} s cannot be had", fix=f"use 1 to {LONGEST_SESSION}"
            )
        async with self._lock:
            self._expiry, self._refused = expiry, None
            return await self._sign_in()

    async def ask(self) -> Session | None:
        """What the platform says of the session; None where there is none."""
        async with self._lock:
            if not self._http.cookies and self._stored:
                self._load()
            return await self._ask() if self._http.cookies else None

    async def logout(self) -> None:
        """End the session on the platform and here."""
        async with self._lock:
            if not self._http.cookies and self._stored:
                self._load()
            if self._http.cookies:
                reply = await self._http.send("DELETE", PATH)
                if reply.status >= 400 and reply.status != 401:
                    raise fault(reply)
            self._forget()

    async def forget(self) -> None:
        """Drop the session here; the platform is not asked."""
        async with self._lock:
            self._forget()

    async def _adopt(self) -> None:
        """Go on with the session that an earlier command left."""
        self._load()
        if self._http.cookies:
            await self._ask()
        # only now: where the question was not answered, it is asked again
        self._stored = False

    def _load(self) -> None:
        if self._file is not None:
            self._http.cookies = self._file.load()

    async def _ask(self) -> Session | None:
        reply = await self._http.send("GET", PATH)
        if reply.is_stale or reply.status == 401:
            self._forget()
            return None
        if reply.status not in (200, 201):
            raise fault(reply)
        return self._begin(reply)

    async def _sign_in(self) -> Session:
        self._http.cookies, self._renew_at = {}, None
        body = None if self._expiry is None else {"expiry": self._expiry}
        reply = await self._http.send("POST", PATH, json=body, basic=True)
        if reply.status == 401 and _is_persona(reply):
            reply = await self._person(reply)
        if reply.status == 401:
            self._refused = _refusal(reply)
            raise self._refused
        if reply.status not in (200, 201):
            raise fault(reply)
        return self._begin(reply)

    async def _person(self, reply: Reply) -> Reply:
        """Show where a person has to go, and ask until they have been there.

        Raises
        ------
        BiometricRequired
            Nobody is there to be shown it, or the time is over.
        """
        location = reply.headers.get("location")
        if not location:
            raise reply.bad("a biometric sign-in is wanted, and no Location says where")
        path = self._http.address.path_of(location, asked=PATH)
        url = self._http.address.url(path)
        if self._on_biometric is None:
            raise BiometricRequired("the platform wants a biometric sign-in", url=url)
        self._on_biometric(url)
        waited = 0.0
        while waited < PERSON_TIME:
            try:
                answer = await self._http.send("POST", path, basic=True)
            except ProviderTransient:
                answer = reply
            if answer.status in (200, 201) and not (answer.retry_after or answer.is_page):
                return answer if not answer.is_empty else await self._http.send("GET", PATH)
            if answer.status in (400, 403, 404, 410):
                raise BiometricRequired("the biometric sign-in was refused or is over", url=url)
            pause = answer.retry_after or self._settings.poll_interval
            await self._sleep(pause)
            waited += pause
        raise BiometricRequired(f"nobody completed the biometric sign-in in {PERSON_TIME:g} s", url=url)

    def _begin(self, reply: Reply) -> Session:
        told = reply.model(_Told, reply.object(), "a session")
        if not self._http.cookies:
            raise reply.bad("a session began without a cookie")
        left = told.token.expiry
        # a session shorter than the margin would otherwise be renewed before every request
        margin = min(self._settings.relogin_before, left / 2)
        self._renew_at = self._clock() + left - margin
        self.generation += 1
        self.current = Session(told.user.id, left, told.permissions)
        if self._file is not None:
            self._file.save(self._http.cookies)
        return self.current

    def _forget(self) -> None:
        self._http.cookies, self._renew_at, self.current = {}, None, None
        if self._file is not None:
            self._file.forget()


def _is_persona(reply: Reply) -> bool:
    scheme: str = reply.headers.get("www-authenticate", "")
    return scheme.strip().lower().startswith("persona")


def _refusal(reply: Reply) -> ProviderAuth:
    told: Any = reply.json() if not reply.is_empty and not reply.is_page else {}
    if isinstance(told, dict) and "recaptcha" in told:
        return ProviderAuth(
            "too many sign-ins failed: the platform wants to see a person",
            where=PATH,
            fix="sign in once in a browser, check BRAIN_USERNAME and BRAIN_PASSWORD, then try again",
            status=401,
            code=reply.code,
        )
    return ProviderAuth(
        f"the platform refused the credentials: {reply.text or 'HTTP 401'}",
        where=PATH,
        fix="check BRAIN_USERNAME and BRAIN_PASSWORD in the environment or .env",
        status=401,
        code=reply.code,
    )
