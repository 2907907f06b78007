from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from assay.base._clock import Clock, SystemClock
from assay.errors import AssayError

ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

OperatorKind = Literal["human", "agent", "system"]
RandomBytes = Callable[[int], bytes]
"""Gives so many random bytes; ``os.urandom``, or a seeded one that pins a test or a replay."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS: tuple[OperatorKind, ...] = ("human", "agent", "system")
_MODEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:+-]|/(?=[A-Za-z0-9])){0,127}")
_PLAIN = re.compile(r"[^\s\x00-\x1f\x7f\ud800-\udfff](?:[^\x00-\x1f\x7f\ud800-\udfff]{0,126}\S)?")


def check_id(text: str, what: str = "name") -> str:
    """``text`` itself if it is an id that Assay accepts for names of files, runs and data sets.

    Raises
    ------
    AssayError
        It is anything else; ids also name files, so nothing else may pass.
    """
    if not ID_PATTERN.fullmatch(text):
        raise AssayError(
            f"{text!r} cannot be a {what}",
            where=what,
            fix="use 1 to 64 of a-z, 0-9, '_' and '-', beginning with a letter or digit",
        )
    return text


def uuid7(clock: Clock | None = None, random: RandomBytes = os.urandom) -> UUID:
    """A UUID of version 7 (RFC 9562, section 5.7): 48 bits of Unix time in milliseconds, then 74 random bits.

    Parameters
    ----------
    clock : where the time comes from; the machine's clock by default.
    random : called once, for 10 bytes. With both pinned the result is always the same.

    Raises
    ------
    AssayError
        The clock shows a time before 1970 or after the year 10889, which the 48 bits cannot hold.
    """
    milliseconds = ((clock or SystemClock()).now() - _EPOCH) // timedelta(milliseconds=1)
    if not 0 <= milliseconds < 1 << 48:
        raise AssayError("the clock shows a time that a UUID cannot hold", where="clock", fix="set the clock")
    drawn = int.from_bytes(random(10), "big")
    high, low = (drawn >> 68) & 0xFFF, drawn & ((1 << 62) - 1)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)


def is_agent_identifier(text: str) -> bool:
    """Whether ``text`` is ``<model>/<uuid7>``, the UUID written in lower case with hyphens."""
    model, _, tail = text.rpartition("/")
    return bool(_MODEL.fullmatch(model)) and _is_uuid7(tail)


def _is_uuid7(text: str) -> bool:
    try:
        value = UUID(text)
    except ValueError:
        return False
    return str(value) == text and value.version == 7


@dataclass(frozen=True, slots=True)
class Operator:
    """Who acted: a human, an agent with the model artifact that it ran on, or the system itself.

    Make one with :meth:`human`, :meth:`system` or :meth:`agent`; no other way leads to an agent without a
    model artifact or without an identifier of its own.

    Parameters
    ----------
    kind : human, agent or system.
    identifier : a name; for an agent ``<model>/<uuid7>``.
    model_artifact : what exactly ran (a model with its version, or the hash of its weights); for agents only.

    Raises
    ------
    AssayError
        The parts do not make an operator.
    """

    kind: OperatorKind
    identifier: str
    model_artifact: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise AssayError(
                f"{self.kind!r} is no kind of operator",
                where="operator",
                fix="use human, agent or system",
            )
        if self.kind == "agent":
            self._check_agent()
            return
        _check_plain(self.identifier, "name of an operator")
        if self.model_artifact is not None:
            raise AssayError(
                f"a {self.kind} has no model artifact", where="operator", fix="leave it out, or name an agent"
            )

    def _check_agent(self) -> None:
        if self.model_artifact is None:
            raise AssayError(
                "an agent needs a model artifact",
                where="operator",
                fix="name the model with its version, or the hash of its weights",
            )
        _check_plain(self.model_artifact, "model artifact")
        if not isinstance(self.identifier, str) or not is_agent_identifier(self.identifier):
            raise AssayError(
                f"{self.identifier!r} is not the identifier of an agent",
                where="operator",
                fix="write <model>/<uuid7>, or let Operator.agent make it",
            )

    @classmethod
    def human(cls, name: str = "user") -> Operator:
        """A person."""
        return cls("human", name)

    @classmethod
    def system(cls, name: str = "assay") -> Operator:
        """A program that acts by itself, such as a scheduled check."""
        return cls("system", name)

    @classmethod
    def agent(
        cls,
        model: str,
        artifact: str,
        *,
        clock: Clock | None = None,
        random: RandomBytes = os.urandom,
    ) -> Operator:
        """A new agent on ``model``, with an identifier of its own; see :func:`uuid7` for the last two."""
        if not _MODEL.fullmatch(model):
            raise AssayError(
                f"{model!r} cannot be the model of an agent",
                where="operator",
                fix="use letters, digits and . _ : + - /, at most 128",
            )
        return cls("agent", f"{model}/{uuid7(clock, random)}", artifact)

    @property
    def model(self) -> str | None:
        """The model's name in an agent's identifier; None for the others."""
        return self.identifier.rpartition("/")[0] if self.kind == "agent" else None

    def as_dict(self) -> dict[str, str | None]:
        """The operator as JSON-ready data."""
        return {"kind": self.kind, "identifier": self.identifier, "model_artifact": self.model_artifact}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Operator:
        """The operator that :meth:`as_dict` wrote.

        Raises
        ------
        AssayError
            A key is missing or unknown, or the parts do not make an operator.
        """
        if set(data) != {"kind", "identifier", "model_artifact"}:
            raise AssayError(
                f"an operator has kind, identifier and model_artifact, not {', '.join(sorted(data))}",
                where="operator",
                fix="give the three keys",
            )
        return cls(**data)


def _check_plain(text: object, what: str) -> None:
    if not isinstance(text, str) or not _PLAIN.fullmatch(text):
        raise AssayError(
            f"{text!r} cannot be the {what}",
            where="operator",
            fix="use 1 to 128 characters on one line, without spaces at the ends",
        )
