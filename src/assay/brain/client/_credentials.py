"""Who signs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.config import Secret, load_secrets
from assay.errors import AssayError, ProviderAuth

USERNAME = "BRAIN_USERNAME"
PASSWORD = "BRAIN_PASSWORD"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account of the platform; both parts show themselves only through ``reveal``."""

    username: Secret
    password: Secret

    @classmethod
    def load(cls, root: Path | None = None, *, environ: Mapping[str, str] | None = None) -> Credentials:
        """The account in ``BRAIN_USERNAME`` and ``BRAIN_PASSWORD``: of the environment, else of ``.env`` in
        ``root``.

        Raises
        ------
        ProviderAuth
            One of the two is missing.
        AssayError
            One of the two holds no text.
        ConfigProblems
            The ``.env`` cannot be read.
        """
        found = load_secrets(root, environ=environ, names=(USERNAME,))
        missing = [name for name in (USERNAME, PASSWORD) if not found.get(name)]
        if missing:
            raise ProviderAuth(
                f"there are no credentials: {' and '.join(missing)} not set",
                where="the environment" if root is None else f"the environment, and {root / '.env'}",
                fix=f"set {USERNAME} and {PASSWORD} there; without an account, use --local",
            )
        for name in (USERNAME, PASSWORD):
            if not _is_text(found[name].reveal()):
                raise AssayError(f"{name} is not UTF-8", where="the environment", fix="set it again")
        return cls(found[USERNAME], found[PASSWORD])


def _is_text(value: str) -> bool:
    """Whether the environment held characters; bytes that are none come as halves of such."""
    return not any("\ud800" <= char <= "\udfff" for char in value)
