"""What a source of daily bars has to do, and which servers may stand for it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.market._data import Market
from assay.market._fetch_pace import Pace
from assay.market._universe import Dates

SourceName = Literal["baostock", "yahoo"]
SOURCES: tuple[SourceName, ...] = get_args(SourceName)

UNREACHABLE = "unreachable"
"""Code of a failure that the next symbol would meet as well: there is no connection."""
UNKNOWN_SYMBOL = "unknown_symbol"


@dataclass(frozen=True, slots=True)
class Bars:
    """Raw daily bars of one symbol; each column is float64 with one value a date, dates strictly rising.

    ``notes`` tells what of it looks wrong. ``why_none`` is the source's own explanation of an answer without
    bars (not listed then); without one, such an answer proves nothing and counts as a failure.
    """

    symbol: str
    dates: Dates
    columns: Mapping[str, NDArray[np.float64]]
    notes: tuple[str, ...] = ()
    why_none: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A list as the source had it on a day: ``taken`` is the source's own date of it, labels by symbol."""

    asked: date
    taken: date
    labels: Mapping[str, str] = field(default_factory=dict)


class BarClient(Protocol):
    """A source of daily bars, and perhaps of trading days, index members and industries.

    Every method raises ProviderError when the source cannot be reached, refuses, or answers in another
    shape. Every request goes through ``pace``.
    """

    name: SourceName
    market: Market
    rules: tuple[str, ...]
    universes: tuple[str, ...]
    has_industry: bool
    pace: Pace

    def symbol(self, text: str) -> str:
        """The one way in which this source's data sets write a symbol.

        Raises
        ------
        AssayError
            The text cannot be a symbol of this source.
        """
        ...

    def fetch(self, symbol: str, start: date, end: date) -> Bars:
        """Bars from ``start`` to ``end``, both included."""
        ...

    def calendar(self, start: date, end: date) -> Dates | None:
        """The trading days, or None where the source does not tell."""
        ...

    def members(self, universe: str, day: date) -> Snapshot:
        """Members of one of ``universes`` as the source had them on ``day``."""
        ...

    def industries(self, day: date) -> Snapshot:
        """The industry of each symbol as the source had it on ``day``."""
        ...

    def close(self) -> None:
        """End the session, if there is one."""
        ...


@dataclass(frozen=True, slots=True)
class Server:
    """Where a source is asked; ``local`` where it is a stand-in on this machine."""

    host: str
    port: int
    local: bool


def server_of(text: str | None, official: Sequence[str], port: int) -> Server:
    """``HOST`` or ``HOST:PORT`` as a server: one of the official hosts, or this machine.

    Raises
    ------
    AssayError
        Another host, or no port number.
    """
    if text is None:
        return Server(official[0], port, local=False)
    host, _, number = text.rpartition(":") if text.count(":") == 1 or "]:" in text else (text, "", "")
    host = host.strip("[]")
    local = _is_loopback(host)
    if host not in official and not local:
        raise AssayError(
            f"{host!r} is neither a server of the source nor this machine",
            where="server",
            fix=f"use {', '.join(official)}, or a stand-in on 127.0.0.1",
        )
    if number and not (number.isascii() and number.isdigit() and 0 < int(number) < 65536):
        raise AssayError(f"{number!r} is no port", where="server", fix="write HOST:PORT")
    return Server(host, int(number) if number else port, local)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
