from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.base import atomic_write_json, new_folder

if TYPE_CHECKING:
    from assay.library._zoo import Member

FORMAT = "assay-zoo"
VERSION = 1


def export_members(
    members: Sequence[Member], certificates: Sequence[Mapping[str, Any]], folder: Path
) -> None:
    """See :meth:`assay.library.Zoo.export`."""
    with new_folder(folder) as staged:
        for part in ("factors", "certificates"):
            (staged / part).mkdir()
        for member, certificate in zip(members, certificates, strict=True):
            atomic_write_json(staged / "factors" / f"{member.name}.json", member.as_dict())
            atomic_write_json(staged / "certificates" / f"{member.name}.json", dict(certificate))
        atomic_write_json(
            staged / "index.json",
            {
                "format": FORMAT,
                "version": VERSION,
                "factors": [
                    {
                        "name": member.name,
                        "expression": member.expression,
                        "dialect": member.dialect,
                        "fingerprint": member.fingerprint,
                        "certificate": member.certificate,
                        "files": [f"factors/{member.name}.json", f"certificates/{member.name}.json"],
                    }
                    for member in members
                ],
            },
        )
