"""The session of an account between two commands: the platform counts sign-ins, and some need a person."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from assay.base import atomic_write_json
from assay.brain.client._credentials import Credentials
from assay.errors import AssayError


@dataclass(frozen=True, slots=True)
class SessionFile:
    """The cookies of a session in a file that its owner alone may read, in a folder that git passes over.

    ``owner`` is a hash of address and account: what another account left is not used.
    """

    path: Path
    owner: str

    @classmethod
    def of(cls, path: Path, origin: str, credentials: Credentials) -> SessionFile:
        """The file of an account at an address."""
        secret = f"{origin}\n{credentials.username.reveal()}\n{credentials.password.reveal()}"
        return cls(path, hashlib.sha256(secret.encode()).hexdigest())

    def load(self) -> dict[str, str]:
        """The cookies; empty where there are none, or none of this account.

        Raises
        ------
        AssayError
            The file is there and cannot be read.
        """
        try:
            found = json.loads(self.path.read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        except OSError as error:
            raise self._fault("read", error) from error
        if not isinstance(found, dict) or found.get("owner") != self.owner:
            return {}
        cookies = found.get("cookies")
        return {str(k): str(v) for k, v in cookies.items()} if isinstance(cookies, dict) else {}

    def save(self, cookies: dict[str, str]) -> None:
        """Keep the cookies.

        Raises
        ------
        AssayError
            The file cannot be written.
        """
        folder = self.path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / ".gitignore").exists():
                (folder / ".gitignore").write_text("*\n")
            # made before anything is in it: a file that exists keeps its permissions
            self.path.touch(mode=0o600)
        except OSError as error:
            raise self._fault("kept", error) from error
        atomic_write_json(self.path, {"owner": self.owner, "cookies": cookies})

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)

    def _fault(self, what: str, error: OSError) -> AssayError:
        return AssayError(
            f"the session cannot be {what}: {error.strerror or error}",
            where=str(self.path),
            fix="make room on the disk, and check that the folder may be written to",
        )
