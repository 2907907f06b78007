"""Bearer tokens: files that only their owner reads, and comparison in constant time."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.config import Secret
from assay.errors import AssayError

SHORTEST = 20


def new_token() -> str:
    """A random token of 256 bits."""
    return f"assay-{secrets.token_urlsafe(32)}"


def write_token(path: Path, token: str) -> None:
    """Write a token into a new file that only its owner may read.

    Raises
    ------
    AssayError
        The file exists.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise AssayError(f"{path} exists already", where=str(path), fix="name a new file") from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(token + "\n")


def read_token(path: Path) -> Secret:
    """The token that a file holds.

    Raises
    ------
    AssayError
        There is no such file, others may read it, or it holds no token.
    """
    try:
        mode, text = path.stat().st_mode, path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(
            f"no token can be read from {path}",
            where=str(path),
            fix="make one: assay backtest token --to FILE",
        ) from error
    if mode & 0o077:
        raise AssayError("other users may read the token", where=str(path), fix=f"chmod 600 {path}")
    if len(text) < SHORTEST or not text.isprintable() or " " in text:
        raise AssayError(
            "the file holds no token", where=str(path), fix="make one: assay backtest token --to FILE"
        )
    return Secret(text)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that a server accepts, by the role of their holder."""

    by_role: Mapping[str, Secret]

    def role_of(self, header: str | None) -> str | None:
        """The role of an ``Authorization`` header; None where it holds no token that is known.

        Each known token is compared in full, so that the time taken says nothing of any.
        """
        scheme, _, given = (header or "").partition(" ")
        digest = _digest(given.strip())
        found: str | None = None
        for role, token in self.by_role.items():
            if hmac.compare_digest(digest, _digest(token.reveal())):
                found = role
        return found if scheme.lower() == "bearer" else None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()
