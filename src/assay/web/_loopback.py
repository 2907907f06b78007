from __future__ import annotations

import ipaddress
import socket

from assay.errors import AssayError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine that a request may give the server."""


def check_loopback(host: str, *, fix: str) -> None:
    """Refuse an address that other machines can reach.

    Raises
    ------
    AssayError
        An address of ``host`` is not of the loopback, or it has none; ``fix`` says what to do instead.
    """
    if not is_loopback(host):
        raise AssayError(
            f"{host} is not the loopback: other machines could reach the server", where="--host", fix=fix
        )


def is_loopback(host: str) -> bool:
    """Whether every address of a host name is of the loopback."""
    try:
        found = {item[4][0] for item in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError) as error:
        raise AssayError(f"{host!r} has no address", where="--host", fix="use 127.0.0.1") from error
    return all(ipaddress.ip_address(str(address)).is_loopback for address in found)
