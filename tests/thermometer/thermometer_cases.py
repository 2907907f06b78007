"""What stands behind ``thermometer.latest``, by the reason that it is refused with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from assay.thermometer import PrintStore, make_print, simulated_components


def store_in(folder: Path) -> PrintStore:
    return PrintStore(folder / "prints")


def without_store(folder: Path) -> None:
    return None


def with_later_print(folder: Path) -> PrintStore:
    """A print of long after any search period."""
    store = store_in(folder)
    store.add(make_print(simulated_components(), date(2049, 6, 30)))
    return store


def with_damaged_print(folder: Path) -> PrintStore:
    store = store_in(folder)
    added = store.add(make_print(simulated_components(), date(2001, 6, 30)))
    file = store.folder / f"{added.name}.json"
    file.write_text(file.read_text().replace('"simulated": true', '"simulated": false'))
    return store


THERMOMETER_ROWS: list[tuple[str, Callable[[Path], PrintStore | None]]] = [
    ("no_thermometer_print", without_store),
    ("no_thermometer_print", store_in),
    ("no_thermometer_print", with_later_print),
    ("damaged_state", with_damaged_print),
]
