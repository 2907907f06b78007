"""Fields of a platform, asked for by name when an expression uses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from assay.brain._platform import Platform
from assay.brain._wire import DataFieldInfo

PRICES: Final = "pv1"


class KnownFields(Mapping[str, DataFieldInfo]):
    """The fields that were asked for so far, by id in lower case.

    A platform has tens of thousands, so it is asked for those that an expression names; prices and groups,
    and the session's data set, are asked for at once.
    """

    def __init__(self, platform: Platform, data_set: str = "") -> None:
        self._platform = platform
        self._known: dict[str, DataFieldInfo] = {}
        self._absent: set[str] = set()
        for name in {PRICES, data_set} & {info.id for info in platform.data_sets()}:
            self._take(platform.data_fields(name))

    def ask(self, names: frozenset[str]) -> None:
        """Look up names that nobody has asked for yet."""
        for name in sorted(names - self._known.keys() - self._absent):
            self._take(self._platform.data_fields(search=name))
            if name not in self._known:
                self._absent.add(name)

    def forget(self, names: frozenset[str]) -> None:
        """Ask again for these when they are next used: the platform may have taken them away."""
        for name in names:
            self._known.pop(name, None)
        self._absent -= names

    def _take(self, found: tuple[DataFieldInfo, ...]) -> None:
        self._known.update((info.id.lower(), info) for info in found)

    def __getitem__(self, name: str) -> DataFieldInfo:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
