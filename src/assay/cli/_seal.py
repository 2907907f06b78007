from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from assay.base import Operator
    from assay.config import DataSettings, DateRange, PeriodPlan, Workspace
    from assay.market import Panel

_HASH = re.compile(r"[0-9a-f]{64}")
_IGNORED = "# what a repository of this workspace must not hold\n.env\ndata/\n"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A workspace that was made, and the line of the ledger that says so."""

    folder: str
    data: str
    start: str
    end: str
    dates: int
    instruments: int
    fingerprint: str
    line: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _LastDay:
    """A clock that stands still, so that what a sealed workspace says of its making names no later day."""

    day: date

    def now(self) -> datetime:
        return datetime.combine(self.day, time(), UTC)


def seal_workspace(workspace: Workspace, name: str, to: Path, operator: Operator) -> Sealed:
    """A new workspace with one data set, as it was known at the end of its search period.

    Its ``assay.toml`` plans ``search`` alone and keeps the settings of the data set; its ledger is its own.
    Names, files and manifest are looked through for later dates before the folder appears.

    Raises
    ------
    AssayError
        ``to`` exists, lies inside the workspace, or cannot be written; or something in it names a later date.
    DataError
        The workspace has no such data set, or no plan for it.
    """
    from assay.base import new_folder
    from assay.cli._dataset import find_dataset
    from assay.cli._workspace import need_ledger
    from assay.market import open_panel

    _check_place(workspace, to)
    folder = find_dataset(name, workspace)
    if folder.parent.resolve() != workspace.data_dir.resolve():
        raise DataError(
            f"{name} is not a data set of this workspace",
            where="--data",
            fix=f"name one of {workspace.data_dir}",
        )
    settings = workspace.settings(folder.name)
    search = _search(settings, folder.name)
    panel = open_panel(folder, check_hashes=True)
    ledger = need_ledger(workspace, create=True)
    ledger.verify()  # a sealed workspace whose record cannot be written is not made
    with new_folder(to) as staged:
        sealed = _fill(staged, panel, folder.name, settings, search)
        _refuse_later(staged, search.end)
        entry = ledger.append(
            "seal",
            {
                "data": folder.name,
                "period": "search",
                "start": str(search.start),
                "end": str(search.end),
                "plan": _digest(settings.periods),
                "fingerprint": panel.manifest.fingerprint,
                "sealed_fingerprint": sealed.manifest.fingerprint,
                "operator": operator.as_dict(),
            },
        )
    return Sealed(
        folder=str(to),
        data=folder.name,
        start=str(search.start),
        end=str(search.end),
        dates=sealed.shape[0],
        instruments=sealed.shape[1],
        fingerprint=sealed.manifest.fingerprint,
        line=entry.line,
    )


def _check_place(workspace: Workspace, to: Path) -> None:
    if os.path.lexists(to):
        raise AssayError(f"{to} exists already", where="--to", fix="choose another name or remove it")
    if to.resolve().is_relative_to(workspace.root.resolve()):
        raise AssayError(
            f"{to} lies in the workspace that it is to be kept apart from",
            where="--to",
            fix="name a folder outside of it",
        )


def _search(settings: DataSettings, name: str) -> DateRange:
    plan = settings.periods
    if plan is None:
        raise DataError(
            f"no period plan is set for {name}: no date of it is hidden",
            where=f"data.{name}.periods",
            fix="set one in assay.toml; 'assay data show' tells the dates",
        )
    return plan.search


def _digest(plan: PeriodPlan | None) -> str | None:
    return None if plan is None else plan.digest


def _fill(staged: Path, panel: Panel, name: str, settings: DataSettings, search: DateRange) -> Panel:
    from assay.config import load_workspace
    from assay.ledger import Ledger
    from assay.market import truncate, write_dataset

    clock = _LastDay(search.end)
    for part in ("data", "runs", "notes", "book"):
        (staged / part).mkdir()
    (staged / ".gitignore").write_text(_IGNORED, encoding="utf-8")
    (staged / "assay.toml").write_text(_toml(name, settings, search), encoding="utf-8")
    sealed = write_dataset(truncate(panel.data, search.end), staged / "data" / name, clock=clock)
    Ledger.create(staged / "ledger", clock=clock)
    load_workspace(staged)
    return sealed


def _toml(name: str, settings: DataSettings, search: DateRange) -> str:
    """The settings of the data set as the defaults of its own workspace."""
    lines = ["[defaults]", f'data = "{name}"']
    if settings.universe is not None:
        lines.append(f'universe = "{settings.universe}"')
    lines += [
        f"horizons = {list(settings.horizons)}",
        f"lag = {settings.lag}",
        f'fill = "{settings.fill}"',
    ]
    if settings.costs is not None:
        lines += ["", "[costs]", f"buy_bp = {settings.costs.buy_bp}", f"sell_bp = {settings.costs.sell_bp}"]
    lines += ["", f"[data.{name}.periods]", f'search = ["{search.start}", "{search.end}"]', ""]
    return "\n".join(lines)


def _refuse_later(folder: Path, end: date) -> None:
    """Refuse a copy in which a name tells of a later date, such as that of a field ``earnings_2031``."""
    from assay.market import names_later

    manifests = [*folder.glob("data/*/manifest.json"), folder / "assay.toml"]
    words = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    for path in manifests:
        words |= set(_words(_parsed(path)))
    told = sorted(word for word in words if names_later(word, end))
    if told:
        raise AssayError(
            f"{told[0]!r} in the sealed copy would name a date after {end}",
            where="--to",
            fix="rename the data set, field, group or universe that it comes from; nothing was written",
        )


def _parsed(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)


def _words(value: Any) -> Iterator[str]:
    """Keys and texts of parsed JSON or TOML, without hashes, whose digits mean nothing."""
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif isinstance(value, str) and not _HASH.fullmatch(value):
        yield value
