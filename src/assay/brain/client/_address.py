"""Where the platform is, and where credentials may go."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

from assay.brain._errors import HOST_NOT_ALLOWED
from assay.config import OFFICIAL_URL, BrainClientSettings, redact
from assay.errors import Refusal

_WHERE = "base_url of [brain.client]"


@dataclass(frozen=True, slots=True)
class Address:
    """The platform's address, checked: ``origin`` without a path, ``prefix`` the path before all others."""

    origin: str
    prefix: str
    host: str
    loopback: bool

    @classmethod
    def of(cls, settings: BrainClientSettings) -> Address:
        """The address of ``settings.base_url``.

        Raises
        ------
        Refusal
            ``host_not_allowed``: it is malformed, of a host that is neither the official one nor the loopback
            (unless ``any_host``), or plain http beyond the loopback.
        """
        url = settings.base_url
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise _refused(url, "is malformed") from None
        if parts.scheme not in ("http", "https") or not host:
            raise _refused(url, "is no http(s) address")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise _refused(url, "holds more than a host and a path")
        loopback = _is_loopback(host)
        if not (loopback or settings.any_host or (host, port) == (urlsplit(OFFICIAL_URL).hostname, None)):
            raise _refused(url, "is neither the official one nor on the loopback")
        if parts.scheme == "http" and not loopback:
            raise _refused(url, "is not encrypted", fix="use https")
        return cls(f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"), host, loopback)

    def url(self, path: str) -> str:
        """The URL of a path such as ``/alphas/X``."""
        return f"{self.origin}{self.prefix}{path}"

    def path_of(self, location: str, *, asked: str) -> str:
        """The path, with its query, of an absolute or relative ``location`` that a reply to ``asked`` named.

        Only the host has to be this one: the platform names itself with another scheme and port at times.

        Raises
        ------
        Refusal
            ``host_not_allowed``: it is another host, to which the session must not be carried.
        """
        try:
            parts = urlsplit(urljoin(self.url(asked), location))
            host = parts.hostname or ""
        except ValueError:
            host = ""
        if host != self.host and not (self.loopback and _is_loopback(host)):
            raise Refusal(
                HOST_NOT_ALLOWED,
                f"the reply leads to another host ({redact(location)[:100]}); nothing was sent there",
                where=asked,
            )
        path = parts.path.removeprefix(self.prefix)
        return f"{path}?{parts.query}" if parts.query else path


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _refused(url: str, what: str, *, fix: str | None = None) -> Refusal:
    return Refusal(HOST_NOT_ALLOWED, f"the address {redact(url)[:200]} {what}", where=_WHERE, fix=fix)
