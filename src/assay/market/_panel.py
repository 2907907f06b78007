from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.base import did_you_mean
from assay.errors import AssayError, Refusal
from assay.expr import FieldInfo
from assay.market._data import FloatPanel, MarketData, Minutes
from assay.market._fields import RAW_PREFIX, STANDARD_FIELDS, derived_rules
from assay.market._manifest import Manifest, manifest_of
from assay.market._own_fields import LazyBars, OwnField, build_own, checked_fields, own_fields
from assay.market._reasons import NO_DATES, UNIVERSE_OUTDATED, UNKNOWN_FIELD, UNKNOWN_UNIVERSE
from assay.market._trading import Fill, Trading, trading
from assay.market._universe import Dates, Universe

A = TypeVar("A")

ALL = "all"
"""The universe of every instrument from its first record to its last."""

MARKET = "market"
"""The group of all instruments."""


class _Cache:
    """Arrays computed once for all views of a data set."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], Any] = {}
        self._lock = threading.RLock()

    def get(self, kind: str, name: str, make: Callable[[], A]) -> A:
        key = (kind, name)
        with self._lock:
            if key not in self._items:
                self._items[key] = make()
            value: A = self._items[key]
            return value


def _read_only(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False
    return values


class Panel:
    """A market on dates x instruments: prices adjusted at reading, groups, and membership by date.

    Make one with :func:`open_panel`, :func:`simulate`, an importer, or from a :class:`MarketData`.
    All arrays are read-only and C-ordered; a view made by :meth:`between` shares them. ``own`` are further
    fields, by default those of installed packages. ``folder`` is where the data set is stored.
    """

    def __init__(
        self,
        data: MarketData,
        *,
        manifest: Manifest | None = None,
        rows: slice | None = None,
        cache: _Cache | None = None,
        own: Sequence[OwnField] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._data = data
        self._manifest = manifest or manifest_of(data)
        self._rows = rows or slice(0, len(data.dates))
        self._cache = cache or _Cache()
        self._own = own_fields() if own is None else checked_fields(own)
        # absolute, so that it stays the same place when the process goes elsewhere
        self._folder = None if folder is None else Path(folder).absolute()

    def __repr__(self) -> str:
        days, names = self.shape
        return f"Panel({self.name!r}, {days} dates {self.dates[0]}..{self.dates[-1]}, {names} instruments)"

    @property
    def name(self) -> str:
        return self._data.name

    @property
    def folder(self) -> Path | None:
        """The folder that the data set was opened from, absolute; None for a panel in memory."""
        return self._folder

    @property
    def data(self) -> MarketData:
        """The whole data set as stored, also outside the dates of this view."""
        return self._data

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    @property
    def dates(self) -> Dates:
        """Trading days, datetime64[D] ``(T,)``."""
        return self._data.dates[self._rows]

    @property
    def instruments(self) -> tuple[str, ...]:
        return self._data.instruments

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows.stop - self._rows.start, len(self._data.instruments)

    @property
    def fields(self) -> Mapping[str, FieldInfo]:
        """What an expression may name: stored and derived fields, groups and vectors."""
        return self._cache.get("fields", "", self._make_fields)

    @property
    def own(self) -> tuple[OwnField, ...]:
        """Fields that code adds to what is stored, such as those of installed packages."""
        return tuple(item for item in self._own if item.info.name in self.fields)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups; ``market``, to which every instrument belongs, is one of them."""
        return tuple(dict.fromkeys((*self._data.groups, MARKET)))

    @property
    def vectors(self) -> tuple[str, ...]:
        return tuple(self._data.vectors)

    @property
    def universes(self) -> tuple[str, ...]:
        """Names of the universes, ``all`` included, aliases not."""
        return (ALL, *self._data.universes)

    def _make_fields(self) -> Mapping[str, FieldInfo]:
        infos = dict(self._data.infos)
        for name in derived_rules(self._data.fields):
            infos[name] = STANDARD_FIELDS[name]
        for name in self.groups:
            group = self._data.groups.get(name)
            infos[name] = FieldInfo(name, "group", 0.0, "", group.description if group else "all instruments")
        for name in self._data.vectors:
            known = self._data.infos.get(name)
            infos[name] = known or FieldInfo(name, "vector", 0.0, "", "")
        for item in self._own:
            # what the data set stores under the name goes before
            if item.info.name not in infos and set(item.needs) <= infos.keys():
                infos[item.info.name] = item.info
        return infos

    def raw(self, name: str) -> FloatPanel:
        """A stored field as it is, without adjustment, float32 ``(T, N)``; also ``factor``."""
        if name not in self._data.fields:
            raise self._no_field(name, self._data.fields)
        return self._data.fields[name][self._rows]

    def field(self, name: str) -> FloatPanel:
        """A field, adjusted: price = raw x factor, volume = raw / factor; float32 ``(T, N)``, read-only.

        Raises
        ------
        Refusal
            ``unknown_field``: the data set has no numeric field of this name.
        """
        info = self.fields.get(name)
        if info is None or info.kind in {"group", "vector"}:
            usable = [known for known, entry in self.fields.items() if entry.kind not in {"group", "vector"}]
            raise self._no_field(name, usable)
        full: FloatPanel = self._cache.get("field", name, lambda: self._adjusted(name, info))
        return full[self._rows]

    def _adjusted(self, name: str, info: FieldInfo) -> FloatPanel:
        if name not in self._data.fields:
            own = next((item for item in self._own if item.info.name == name), None)
            if own is not None:
                bars = LazyBars(own.needs, self._whole)
                return _read_only(build_own(own, bars, self._data.shape))
            return _read_only(self._derived(name))
        raw = self._data.fields[name]
        factor = self._data.fields.get("factor")
        if factor is None or not info.exponent or name == "factor":
            return raw
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if info.exponent == 1.0:
                return _read_only(raw * factor)
            if info.exponent == -1.0:
                return _read_only(raw / factor)
            return _read_only(raw * np.power(factor, np.float32(info.exponent)))

    def _whole(self, name: str) -> FloatPanel:
        info = self.fields[name]
        full: FloatPanel = self._cache.get("field", name, lambda: self._adjusted(name, info))
        return full

    def _derived(self, name: str) -> FloatPanel:
        if name.startswith(RAW_PREFIX):
            return self._data.fields[name.removeprefix(RAW_PREFIX)]
        if name == "returns":
            close = self._whole("close")
            out = np.full(close.shape, np.nan, dtype=np.float32)
            with np.errstate(invalid="ignore", divide="ignore"):
                out[1:] = close[1:].astype(np.float64) / close[:-1] - 1.0
            return out
        if name == "vwap":
            total = self._whole("high").astype(np.float64) + self._whole("low") + self._whole("close")
            return np.asarray(total / 3.0, dtype=np.float32)
        return np.asarray(self._whole("vwap").astype(np.float64) * self._whole("volume"), dtype=np.float32)

    def vector(self, name: str) -> FloatPanel:
        """Up to K values a day, float32 ``(K, T, N)``, padded with NaN.

        Raises
        ------
        Refusal
            ``unknown_field``: no vector field has this name.
        """
        if name not in self._data.vectors:
            raise self._no_field(name, self._data.vectors)
        return self._data.vectors[name][:, self._rows]

    def events(self, name: str) -> NDArray[np.void]:
        """Events known within these dates: a structured array with the fields of ``EVENT_DTYPE``.

        ``row`` counts from the first date of this panel.
        """
        if name not in self._data.events:
            raise self._no_field(name, self._data.events)
        table = self._data.events[name]
        kept = table[(table["row"] >= self._rows.start) & (table["row"] < self._rows.stop)].copy()
        kept["row"] -= self._rows.start
        return np.asarray(_read_only(kept))

    def minutes(self) -> Minutes | None:
        """Bars inside the day, where the data set has them, for dates of this panel."""
        whole = self._data.minutes
        if whole is None:
            return None
        days = whole.times.astype("datetime64[D]")
        inside = (days >= self.dates[0]) & (days <= self.dates[-1])
        rows = np.flatnonzero(inside)
        kept = slice(int(rows[0]), int(rows[-1]) + 1) if rows.size else slice(0, 0)
        return Minutes(
            whole.times[kept],
            {name: values[kept] for name, values in whole.fields.items()},
            whole.bar_minutes,
        )

    def group(self, name: str) -> NDArray[np.int32]:
        """Codes of a classification, int32 ``(T, N)``, -1 for none.

        Raises
        ------
        Refusal
            ``unknown_field``: no group has this name.
        """
        if name not in self.groups:
            raise self._no_field(name, self.groups)

        def whole() -> NDArray[np.int32]:
            if name not in self._data.groups:
                return _read_only(np.zeros(self._data.shape, dtype=np.int32))
            codes = self._data.groups[name].codes
            if codes.ndim == 2:
                return codes
            return _read_only(np.ascontiguousarray(np.broadcast_to(codes, self._data.shape)))

        return self._cache.get("group", name, whole)[self._rows]

    def group_labels(self, name: str) -> tuple[str, ...]:
        """The name of each code of a group."""
        if name not in self.groups:
            raise self._no_field(name, self.groups)
        return self._data.groups[name].labels if name in self._data.groups else (MARKET,)

    def universe(self, name: str) -> NDArray[np.bool_]:
        """Members by date, bool ``(T, N)``; a name or an alias.

        Raises
        ------
        Refusal
            ``unknown_universe``; ``universe_outdated`` when a date lies after the last one for which the
            membership is known.
        """
        if name == ALL:
            return self._cache.get("universe", ALL, self._everything)[self._rows]
        chosen, universe = self._find_universe(name)
        last = self.dates[-1]
        if last > universe.known_until:
            raise Refusal(
                UNIVERSE_OUTDATED,
                f"the members of {chosen!r} are known until {universe.known_until}, the dates run to {last}",
                where=f"universe {chosen!r}",
                fix=f"end the dates at {universe.known_until}, or import a newer membership file",
                details={
                    "universe": chosen,
                    "known_until": str(universe.known_until),
                    "last_date": str(last),
                },
            )
        return self._cache.get("universe", chosen, lambda: _read_only(universe.mask(self._data.shape)))[
            self._rows
        ]

    def _everything(self) -> NDArray[np.bool_]:
        rows = np.arange(len(self._data.dates))[:, None]
        return _read_only((rows >= self._data.first_row) & (rows <= self._data.last_row))

    def _find_universe(self, name: str) -> tuple[str, Universe]:
        for own, universe in self._data.universes.items():
            if name == own or name in universe.aliases:
                return own, universe
        names = [ALL]
        for own, universe in self._data.universes.items():
            names += [own, *universe.aliases]
        close = did_you_mean(name, names)
        raise Refusal(
            UNKNOWN_UNIVERSE,
            f"data set {self.name!r} has no universe {name!r}",
            where=f"universe {name!r}",
            fix=_choose(close, names),
            details={"did_you_mean": list(close), "known": names},
        )

    def trading(self, fill: Fill = "close") -> Trading:
        """What can be traded at the ``fill`` price of each bar."""
        whole: Trading = self._cache.get("trading", fill, lambda: trading(self._data, fill))
        return whole.between(self._rows.start, self._rows.stop)

    def between(self, start: Any = None, end: Any = None) -> Panel:
        """The dates in ``[start, end]``, without copying; either may be None.

        Raises
        ------
        Refusal
            ``no_dates``: no trading day lies in the range.
        AssayError
            ``start`` or ``end`` is not a date.
        """
        dates = self.dates
        first = 0 if start is None else int(np.searchsorted(dates, _day(start)))
        stop = len(dates) if end is None else int(np.searchsorted(dates, _day(end), side="right"))
        if first >= stop:
            raise Refusal(
                NO_DATES,
                f"data set {self.name!r} has no trading day from {start or dates[0]} to {end or dates[-1]}",
                where=f"{start or ''}..{end or ''}",
                fix=f"choose dates within {dates[0]} to {dates[-1]}",
                details={"first": str(dates[0]), "last": str(dates[-1])},
            )
        offset = self._rows.start
        return Panel(
            self._data,
            manifest=self._manifest,
            rows=slice(offset + first, offset + stop),
            cache=self._cache,
            own=self._own,
            folder=self._folder,
        )

    def _no_field(self, name: str, known: Any) -> Refusal:
        names = list(known)
        close = did_you_mean(name, names)
        return Refusal(
            UNKNOWN_FIELD,
            f"data set {self.name!r} has no field {name!r}",
            where=f"field {name!r}",
            fix=_choose(close, names),
            details={"field": name, "did_you_mean": list(close), "known": names},
        )


def _day(value: Any) -> np.datetime64:
    try:
        day = np.datetime64(value, "D")
    except (ValueError, TypeError) as error:
        raise AssayError(f"{value!r} is not a date", where="dates", fix="write YYYY-MM-DD") from error
    if np.isnat(day):
        raise AssayError(f"{value!r} is not a date", where="dates", fix="write YYYY-MM-DD")
    return day


def _choose(close: tuple[str, ...], names: list[str]) -> str:
    if close:
        return f"did you mean {', '.join(close)}?"
    return f"use one of: {', '.join(names)}" if names else "this data set has none"
