"""``/authentication``: sessions, and the inquiry that a person completes in a browser."""

from __future__ import annotations

import base64
import binascii
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final

from assay.brain.simulator._account import Account
from assay.brain.simulator._account_sessions import RECAPTCHA_AFTER, Session
from assay.brain.simulator._wire_types import (
    NOT_LOGGED_IN,
    REFUSED,
    Invalid,
    Reply,
    Request,
    json_reply,
    not_found,
)

LONGEST: Final = 14_400
PERSONA: Final = "/authentication/persona"

_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<h1>{title}</h1>
{body}
"""
_FORM: Final = """<p>The local simulator stands in for the biometric check of the platform.</p>
<form method="post" action="{action}"><button>Complete the check</button></form>"""


def session_of(request: Request, account: Account) -> Session:
    """The session that a request belongs to.

    Raises
    ------
    Invalid
        401: there is none, or it has expired.
    """
    session = account.sessions.find(cookie_of(request))
    if session is None:
        raise Invalid({"detail": NOT_LOGGED_IN}, 401)
    return session


def cookie_of(request: Request) -> str | None:
    """The cookie ``t``."""
    try:
        cookies = SimpleCookie(request.headers.get("cookie", ""))
    except CookieError:
        return None
    return cookies["t"].value if "t" in cookies else None


def sign_in(request: Request, account: Account) -> Reply:
    """``POST /authentication``."""
    seconds = _expiry(request, account)
    if not account.sessions.accepts(*_basic(request)):
        body: dict[str, Any] = {"detail": REFUSED}
        if account.sessions.failures >= RECAPTCHA_AFTER:
            body["recaptcha"] = ["This field is required."]
        return json_reply(body, 401)
    if account.sessions.persona:
        return _inquiry(account.sessions.inquire())
    return _opened(request, account, seconds)


def sign_in_state(request: Request, account: Account) -> Reply:
    """``GET /authentication``."""
    session = account.sessions.find(cookie_of(request))
    if session is None:
        return Reply(204)
    return json_reply(_session(account, account.sessions.left(session)))


def sign_out(request: Request, account: Account) -> Reply:
    """``DELETE /authentication``."""
    account.sessions.close(cookie_of(request))
    return Reply(204, headers=(("Set-Cookie", "t=; HttpOnly; Path=/; Max-Age=0"),))


def persona_page(request: Request, account: Account) -> Reply:
    """``GET /authentication/persona``: what a person sees in a browser."""
    name = _named_inquiry(request)
    if account.sessions.inquiry(name) is None:
        raise not_found()
    form = _FORM.format(action=f"{PERSONA}/complete?inquiry={escape(name)}")
    return _page("Biometric check", form)


def persona_complete(request: Request, account: Account) -> Reply:
    """``POST /authentication/persona/complete``: the button of the page."""
    if not account.sessions.complete(_named_inquiry(request)):
        raise not_found()
    return _page("Completed", "<p>Go back to your program; it goes on by itself.</p>")


def persona_sign_in(request: Request, account: Account) -> Reply:
    """``POST /authentication/persona``: what a program asks until a person has been there."""
    name = _named_inquiry(request)
    completed = account.sessions.inquiry(name)
    if completed is None:
        raise not_found()
    if not completed:
        return _inquiry(name)
    account.sessions.use(name)
    return _opened(request, account, account.settings.session_seconds)


def _opened(request: Request, account: Account, seconds: float) -> Reply:
    session = account.sessions.open(seconds)
    # a browser or client gives a Secure cookie back over TLS alone
    secure = "; Secure" if request.scheme == "https" else ""
    cookie = f"t={session.token}; HttpOnly; Path=/{secure}"
    return json_reply(_session(account, seconds), 201).with_headers(("Set-Cookie", cookie))


def _session(account: Account, seconds: float) -> dict[str, Any]:
    return {
        "user": {"id": account.user},
        "token": {"expiry": float(seconds)},
        "permissions": list(account.permissions),
    }


def _inquiry(name: str) -> Reply:
    return json_reply({"inquiry": name}, 401).with_headers(
        ("WWW-Authenticate", "persona"), ("Location", f"{PERSONA}?inquiry={name}")
    )


def _named_inquiry(request: Request) -> str:
    return next((term.value for term in request.terms() if term.key == "inquiry"), "")


def _expiry(request: Request, account: Account) -> float:
    """How long the session shall be: what the body asks for, at most what the account gives."""
    if not request.body.strip():
        return account.settings.session_seconds
    body = request.json()
    if not isinstance(body, dict):
        raise Invalid({"errors": [f"Invalid data. Expected a dictionary, but got {type(body).__name__}."]})
    wanted = body.get("expiry")
    if wanted is None:
        return account.settings.session_seconds
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)) or wanted != wanted:
        raise Invalid({"expiry": ["A valid number is required."]})
    if not 1 <= wanted <= LONGEST:
        bound = "greater than or equal to 1" if wanted < 1 else f"less than or equal to {LONGEST}"
        raise Invalid({"expiry": [f"Ensure this value is {bound}."]})
    return min(float(wanted), account.settings.session_seconds)


def _basic(request: Request) -> tuple[str, str]:
    scheme, _, coded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, password = base64.b64decode(coded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return "", ""
    return name, password


def _page(title: str, body: str) -> Reply:
    text = _PAGE.format(title=title, body=body)
    return Reply(200, text.encode(), (("Content-Type", "text/html; charset=utf-8"),))
