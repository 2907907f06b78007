"""Fields and operators as the platform listed them, from files: the client's cache, or a saved reply."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assay.brain._wire import DataFieldInfo, OperatorInfo
from assay.errors import DataError

M = TypeVar("M", bound=BaseModel)
_FIX = "give a reply of GET /data-fields, or the folder in which 'assay brain fields' keeps what it read"


@dataclass(frozen=True, slots=True)
class Listed:
    """``fields`` by id; ``operators`` is None where no list of them lies beside the fields."""

    fields: dict[str, DataFieldInfo] = field(default_factory=dict)
    operators: tuple[OperatorInfo, ...] | None = None


def read_listed(path: Path) -> Listed:
    """The fields of a file, or of all files ``data-fields*.json`` of a folder, there with the operators.

    A file holds a list of fields, or has it under ``items`` (the cache) or ``results`` (a reply).

    Raises
    ------
    DataError
        There is no such file, it cannot be read, or it lists no fields.
    """
    folder = path.is_dir()
    fields = _models(_named(path, "data-fields") if folder else [path], DataFieldInfo, "field")
    operators = _models(_named(path, "operators"), OperatorInfo, "operator") if folder else []
    if not fields:
        raise DataError(f"{path} lists no fields", where=str(path), fix=_FIX)
    return Listed({info.id: info for info in fields}, tuple(operators) or None)


def _named(folder: Path, kind: str) -> list[Path]:
    return sorted(folder.glob(f"{kind}*.json"))


def _models(paths: list[Path], model: type[M], what: str) -> list[M]:
    found = []
    for path in paths:
        try:
            found += [model.model_validate(item) for item in _items(path)]
        except ValidationError as error:
            first = error.errors()[0]
            said = f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
            raise DataError(f"{path} holds what is no {what}: {said}", where=str(path), fix=_FIX) from error
    return found


def _items(path: Path) -> list[Any]:
    try:
        read = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", where=str(path), fix=_FIX) from error
    except ValueError as error:
        raise DataError(f"{path} is no JSON: {error}", where=str(path), fix=_FIX) from error
    listed = read if isinstance(read, list) else None
    if isinstance(read, dict):
        listed = read.get("items", read.get("results"))
    if not isinstance(listed, list):
        raise DataError(f"{path} holds no list of fields", where=str(path), fix=_FIX)
    return listed
