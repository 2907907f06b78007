"""Who is logged in."""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from assay.base import Clock
from assay.brain.simulator._account_types import Login

RECAPTCHA_AFTER: Final = 5
"""Wrong passwords in a row after which the platform asks for more than a password."""


@dataclass(slots=True)
class Session:
    """A cookie that is accepted until it expires. ``requests_left`` is None where they are not counted."""

    token: str
    expires: datetime
    requests_left: int | None = None


class Sessions:
    """Sessions of one account, kept in memory: whoever restarts the server logs in again.

    Parameters
    ----------
    login : what opens a session.
    clock : measures their length.
    persona : a person has to complete an inquiry before a session begins.
    requests : a session ends after so many requests, too; None for no such end.
    """

    def __init__(
        self, login: Login, clock: Clock, *, persona: bool = False, requests: int | None = None
    ) -> None:
        self._login, self._clock, self._persona, self._requests = login, clock, persona, requests
        self._lock = threading.Lock()
        self._open: dict[str, Session] = {}
        self._inquiries: dict[str, bool] = {}
        self.failures = 0

    @property
    def persona(self) -> bool:
        return self._persona

    def accepts(self, username: str, password: str) -> bool:
        """Whether name and password are right; counts wrong ones in a row."""
        given, known = f"{username}:{password}", f"{self._login.username}:{self._login.password.reveal()}"
        right = hmac.compare_digest(_bytes(given), _bytes(known))
        self.failures = 0 if right else self.failures + 1
        return right

    def open(self, seconds: float) -> Session:
        """A new session."""
        now = self._clock.now()
        session = Session(secrets.token_urlsafe(32), now + timedelta(seconds=seconds), self._requests)
        with self._lock:
            self._open = {token: one for token, one in self._open.items() if one.expires > now}
            self._open[session.token] = session
        return session

    def find(self, token: str | None) -> Session | None:
        """The session of a cookie, used once more; None where it is unknown or has ended."""
        with self._lock:
            session = self._open.get(token or "")
            if session is None or session.expires <= self._clock.now() or session.requests_left == 0:
                return None
            if session.requests_left is not None:
                session.requests_left -= 1
            return session

    def left(self, session: Session) -> float:
        """Seconds until it expires."""
        return (session.expires - self._clock.now()).total_seconds()

    def close(self, token: str | None) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(token or "", None)

    def inquire(self) -> str:
        """A new inquiry that a person has to complete."""
        inquiry = f"inq_{secrets.token_urlsafe(18)}"
        self._inquiries[inquiry] = False
        return inquiry

    def inquiry(self, name: str) -> bool | None:
        """Whether an inquiry is completed; None where there is no such inquiry."""
        return self._inquiries.get(name)

    def complete(self, name: str) -> bool:
        """A person has completed an inquiry; False where there is no such inquiry."""
        if name not in self._inquiries:
            return False
        self._inquiries[name] = True
        return True

    def use(self, name: str) -> None:
        """An inquiry opens one session."""
        self._inquiries.pop(name, None)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
