"""Dataclasses and models as JSON for records, and back."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

T = TypeVar("T")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def as_json(kind: type[T], value: T) -> Any:
    """JSON-ready data of a dataclass or a model, by the names that the platform uses."""
    return _adapter(cast(Hashable, kind)).dump_python(value, mode="json", by_alias=True)


def from_json(kind: type[T], data: Any) -> T:
    """What :func:`as_json` made of a value of that kind."""
    found: T = _adapter(cast(Hashable, kind)).validate_python(data)
    return found
