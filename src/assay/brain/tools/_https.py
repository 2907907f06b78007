"""Reads pages of listed hosts: https, no private addresses, no redirect off the list, not too long."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from assay.brain.tools._html import page_text
from assay.brain.tools._reasons import NOT_LISTED, UNREADABLE_PAGE
from assay.brain.tools._web import WebHit, WebPage
from assay.errors import Refusal

if TYPE_CHECKING:
    import ssl

    import httpx

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_TEXTS: Final = ("text/html", "text/plain", "application/xhtml+xml", "application/xml", "text/xml",
                 "application/atom+xml", "application/json")  # fmt: skip
_PORTS: Final = {"https": 443, "http": 80}
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_REDIRECTS: Final = (301, 302, 303, 307, 308)


def is_public(address: Address) -> bool:
    """Whether an address is of the public internet, also where IPv6 wraps an IPv4 one."""
    inner = _wrapped(address) if isinstance(address, ipaddress.IPv6Address) else None
    known = inner or address
    return known.is_global and not known.is_multicast


def _wrapped(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


@dataclass(frozen=True, slots=True)
class WebRules:
    """What may be read.

    Parameters
    ----------
    hosts : names, each exactly, with ``:port`` where it is not that of the scheme.
    schemes : how; https alone, but for tests.
    reachable : whether a host may have this address; asked after its name is resolved, and the connection
        then goes to that very address.
    most_bytes, seconds, redirects : limits of one page, its redirects included.
    """

    hosts: tuple[str, ...]
    schemes: tuple[str, ...] = ("https",)
    reachable: Callable[[Address], bool] = is_public
    most_bytes: int = 2_000_000
    seconds: float = 20.0
    redirects: int = 4


class HttpsWeb:
    """A :class:`~assay.brain.tools.WebProvider` over HTTPS.

    Parameters
    ----------
    rules : what may be read.
    tls : who is trusted; by default the usual authorities.
    """

    def __init__(self, rules: WebRules, *, tls: ssl.SSLContext | None = None) -> None:
        self._rules = rules
        self._tls = tls

    @property
    def hosts(self) -> tuple[str, ...]:
        return self._rules.hosts

    def search(self, query: str, most: int) -> tuple[WebHit, ...]:
        """Ask the first listed host whose search is known."""
        from assay.brain.tools._web_search import find

        return find(self._rules.hosts, self._rules.schemes[0], self._get, query, most)

    def fetch(self, url: str, most: int) -> WebPage:
        """Read a page, and what its redirects lead to while that is listed."""
        final, kind, body = self._get(url)
        title, text = page_text(body, kind)
        return WebPage(final, title, text[:most], len(text) > most)

    def _get(self, url: str) -> tuple[str, str, str]:
        """Address in the end, media type, and text of the body."""
        import httpx

        deadline = time.monotonic() + self._rules.seconds
        try:
            for _ in range(self._rules.redirects + 1):
                self._check_time(deadline)
                target = self._checked(url)
                # one client a host: a connection to an address is good for the name that it was made for
                with (
                    self._client() as client,
                    closing(client.send(self._request(client, target), stream=True)) as response,
                ):
                    if response.status_code not in _REDIRECTS:
                        return str(target), *self._read(response, deadline)
                    url = str(target.join(response.headers.get("location", "")))
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            raise _unreadable(f"the host did not answer as it should ({type(error).__name__})") from error
        raise _unreadable("the page leads from one address to the next too often")

    def _client(self) -> httpx.Client:
        import httpx

        verify = True if self._tls is None else self._tls
        return httpx.Client(verify=verify, trust_env=False, timeout=self._rules.seconds)

    def _checked(self, url: str) -> httpx.URL:
        """The address, if its scheme and host are listed; refuses ``host_not_listed``."""
        import httpx

        try:
            target = httpx.URL(url)
        except (httpx.InvalidURL, TypeError, ValueError) as error:
            raise Refusal(NOT_LISTED, "this is no address") from error
        if target.scheme not in self._rules.schemes:
            raise Refusal(NOT_LISTED, f"only {' and '.join(self._rules.schemes)} may be read")
        port = target.port or _PORTS[target.scheme]
        host = target.host.rstrip(".").lower()
        own = f"{host}:{port}"
        listed = {name if ":" in name else f"{name}:{_PORTS[target.scheme]}" for name in self._rules.hosts}
        if target.userinfo or own not in {name.lower() for name in listed}:
            raise Refusal(
                NOT_LISTED, f"the page would be of a host that is not listed; listed: {self._listed()}"
            )
        return target.copy_with(host=host)

    def _request(self, client: httpx.Client, target: httpx.URL) -> httpx.Request:
        """The request to the checked address itself, so that a second look-up cannot give another."""
        address = self._address(target.host, target.port or _PORTS[target.scheme])
        headers = {
            "Host": target.netloc.decode(),
            "User-Agent": "assay",
            "Accept": ", ".join(_TEXTS),
            "Accept-Encoding": "identity",  # a small packed page may unpack to gigabytes
        }
        extensions = {"sni_hostname": target.host}
        return client.build_request(
            "GET", target.copy_with(host=address), headers=headers, extensions=extensions
        )

    def _address(self, host: str, port: int) -> str:
        found = [item[4][0] for item in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        addresses = [ipaddress.ip_address(str(text).partition("%")[0]) for text in found]
        if not addresses or not all(self._rules.reachable(address) for address in addresses):
            raise Refusal(NOT_LISTED, "the host has an address that is not of the public internet")
        return str(min(addresses, key=lambda address: address.version))  # many a host has no way for IPv6

    def _read(self, response: httpx.Response, deadline: float) -> tuple[str, str]:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code != 200:
            raise _unreadable(f"the host answered with status {response.status_code}")
        if kind not in _TEXTS or response.headers.get("content-encoding", "identity") != "identity":
            raise _unreadable("the page is no plain text")
        body = b"".join(self._pieces(response, deadline))
        return kind, body.decode(_encoding(response), "replace")

    def _pieces(self, response: httpx.Response, deadline: float) -> Iterator[bytes]:
        left = self._rules.most_bytes
        for piece in response.iter_bytes():
            left -= len(piece)
            if left < 0:
                raise _unreadable(f"the page has more than {self._rules.most_bytes} bytes")
            self._check_time(deadline)
            yield piece

    def _check_time(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise _unreadable(f"the page took more than {self._rules.seconds:g} seconds")

    def _listed(self) -> str:
        return ", ".join(self._rules.hosts)


def _encoding(response: httpx.Response) -> str:
    import codecs

    try:
        return codecs.lookup(response.charset_encoding or "utf-8").name
    except LookupError:
        return "utf-8"


def _unreadable(message: str) -> Refusal:
    return Refusal(UNREADABLE_PAGE, message)
