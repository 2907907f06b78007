from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.base import json_hash
from assay.errors import DataError
from assay.expr import FieldInfo
from assay.market._data import MarketData
from assay.market._fields import STANDARD_FIELDS, derived_rules
from assay.market._intact import check_names

FORMAT = "assay-data/1"
MANIFEST_FILE = "manifest.json"
_EXAMPLES = 20


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_Model):
    """One file of the folder."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class SourceEntry(_Model):
    """Where the data came from."""

    kind: Literal["simulated", "table", "qlib", "baostock", "yahoo", "memory"]
    detail: dict[str, Any] = Field(default_factory=dict)


class DatesEntry(_Model):
    """The trading days."""

    count: int
    first: str
    last: str


class InstrumentsEntry(_Model):
    """How many instruments, and how many of them end before the last date."""

    count: int
    ended: int


class FieldEntry(_Model):
    """One field: kind, adjustment exponent (null: unknown), unit, and the rule that makes a derived one."""

    kind: Literal["number", "bool", "vector"]
    exponent: float | None
    unit: str
    description: str
    derived: str | None = None


class GroupEntry(_Model):
    """One classification and its labels by code."""

    labels: list[str]
    by_date: bool
    description: str


class UniverseEntry(_Model):
    """One universe: membership is known until a date; members without data are named."""

    aliases: list[str]
    known_until: str
    spans: int
    unknown_members: list[str]
    description: str


class PlantedEntry(_Model):
    """A signal planted into simulated returns.

    ``ic`` is the expected mean daily RankIC of rows <= t-1 against the return from the close of t+1 over
    ``horizon`` bars.
    """

    name: str
    expression: str
    ic: float
    horizon: int


class QuarantineEntry(_Model):
    """Rows set missing because they could not be true; all of them are in ``file``."""

    count: int
    by_reason: dict[str, int]
    examples: list[dict[str, str]]
    file: str | None


class LimitsEntry(_Model):
    """Which daily price limits hold."""

    rule: Literal["none", "flat", "cn"]
    ratio: float


class Manifest(_Model):
    """What a data set is. Its JSON schema is published by :func:`manifest_schema`."""

    format: Literal["assay-data/1"] = "assay-data/1"
    name: str
    created: str
    source: SourceEntry
    dates: DatesEntry
    instruments: InstrumentsEntry
    market: Literal["CN", "US"] | None
    limits: LimitsEntry
    fields: dict[str, FieldEntry]
    groups: dict[str, GroupEntry]
    universes: dict[str, UniverseEntry]
    events: dict[str, int]
    minutes: int
    rules: list[str]
    filters: list[str]
    planted: list[PlantedEntry]
    quarantine: QuarantineEntry
    files: dict[str, FileEntry]

    @property
    def simulated(self) -> bool:
        """Whether the data is invented; pages must say so."""
        return self.source.kind == "simulated"

    @property
    def fingerprint(self) -> str:
        """Hex digest of the hashes of all files: equal for equal data, whenever it was made."""
        hashes = {name: entry.sha256 for name, entry in self.files.items()}
        return json_hash(hashes)


def manifest_schema() -> dict[str, Any]:
    """The JSON schema of ``manifest.json``."""
    return Manifest.model_json_schema()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a data set's folder.

    Raises
    ------
    DataError
        The folder has no manifest, or one that does not follow the schema.
    """
    path = Path(folder) / MANIFEST_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        aside = path.parent.parent / f".{path.parent.name}.outgoing"
        if not Path(folder).exists() and (aside / MANIFEST_FILE).is_file():
            raise DataError(
                f"an update of {Path(folder).name} was interrupted",
                where=str(aside),
                fix=f"rename {aside.name} to {Path(folder).name}: it is the data set before the update",
            ) from error
        raise DataError(
            f"{folder} is not a data set: it has no {MANIFEST_FILE}",
            where=str(folder),
            fix="see `assay data list`, or make one with `assay data simulate` or `assay data import`",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}", where=str(path), fix="check the file") from error
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise DataError(
            f"the manifest is damaged at {place}: {first['msg']}",
            where=str(path),
            fix="restore the file, or import the data again",
        ) from error
    check_names(manifest, path)
    return manifest


def _field_entry(info: FieldInfo, derived: str | None = None) -> FieldEntry:
    kind: Literal["number", "bool", "vector"] = "number"
    if info.kind == "bool" or info.kind == "vector":
        kind = info.kind
    return FieldEntry(
        kind=kind, exponent=info.exponent, unit=info.unit, description=info.description, derived=derived
    )


def manifest_of(
    data: MarketData,
    *,
    created: str = "",
    files: dict[str, FileEntry] | None = None,
    quarantine_file: str | None = None,
) -> Manifest:
    """The manifest that describes ``data``; for data in memory ``files`` is empty."""
    fields = {name: _field_entry(info) for name, info in data.infos.items()}
    for name, rule in derived_rules(data.fields).items():
        fields[name] = _field_entry(STANDARD_FIELDS[name], rule)
    ended = int(np.count_nonzero((data.last_row >= 0) & (data.last_row < len(data.dates) - 1)))
    return Manifest(
        name=data.name,
        created=created,
        source=SourceEntry(kind=data.source.kind, detail=dict(data.source.detail)),
        dates=DatesEntry(count=len(data.dates), first=str(data.dates[0]), last=str(data.dates[-1])),
        instruments=InstrumentsEntry(count=len(data.instruments), ended=ended),
        market=data.market,
        limits=LimitsEntry(rule=data.limits.rule, ratio=data.limits.ratio),
        fields=fields,
        groups={
            name: GroupEntry(
                labels=list(group.labels), by_date=group.codes.ndim == 2, description=group.description
            )
            for name, group in data.groups.items()
        },
        universes={
            name: UniverseEntry(
                aliases=list(universe.aliases),
                known_until=str(universe.known_until),
                spans=len(universe.spans),
                unknown_members=list(universe.unknown_members),
                description=universe.description,
            )
            for name, universe in data.universes.items()
        },
        events={name: len(table) for name, table in data.events.items()},
        minutes=0 if data.minutes is None else len(data.minutes.times),
        rules=list(data.rules),
        filters=list(data.filters),
        planted=[
            PlantedEntry(name=item.name, expression=item.expression, ic=item.ic, horizon=item.horizon)
            for item in data.planted
        ],
        quarantine=QuarantineEntry(
            count=len(data.quarantined),
            by_reason=dict(sorted(Counter(item.reason for item in data.quarantined).items())),
            examples=[
                {"date": item.date, "symbol": item.symbol, "reason": item.reason}
                for item in data.quarantined[:_EXAMPLES]
            ],
            file=quarantine_file,
        ),
        files=files or {},
    )
