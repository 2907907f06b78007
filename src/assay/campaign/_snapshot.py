from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from assay.base import new_folder
from assay.campaign._config import config_of
from assay.campaign._settings import CampaignConfig
from assay.errors import AssayError, ConfigProblems, Problem

SNAPSHOT: Final = "snapshot"
_CONFIG: Final = "campaign.json"
_TEMPLATES: Final = "templates/"


@dataclass(frozen=True)
class RunSnapshot:
    """The files that a run searches with: field file, op file, templates; by name, as bytes."""

    files: Mapping[str, bytes]

    @classmethod
    def read(cls, config: CampaignConfig) -> RunSnapshot:
        """The files that a config names, as they are now.

        Raises
        ------
        ConfigProblems
            A file cannot be read; all at once.
        """
        problems: list[Problem] = []
        files: dict[str, bytes] = {}
        for key, name in (("fields", "fields.toml"), ("ops", "ops.toml")):
            path = getattr(config.files, key)
            if path is not None:
                _take(files, name, config.folder / path, f"files.{key}", problems)
        if config.files.templates is not None:
            folder = config.folder / config.files.templates
            found = sorted(folder.glob("*.md")) if folder.is_dir() else []
            if not found:
                problems.append(
                    Problem(
                        "files.templates", f"{config.files.templates} holds no *.md", "name another folder"
                    )
                )
            for path in found:
                _take(files, f"{_TEMPLATES}{path.name}", path, "files.templates", problems)
        if problems:
            raise ConfigProblems(problems, where="files")
        return cls(MappingProxyType(files))

    @classmethod
    def open(cls, run_folder: Path) -> RunSnapshot:
        """The copies that a run took.

        Raises
        ------
        AssayError
            The run has no snapshot.
        """
        folder = run_folder / SNAPSHOT
        if not folder.is_dir():
            raise AssayError(
                "the run has no snapshot", where=str(folder), fix="put it back, or start a new run"
            )
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != _CONFIG
        }
        return cls(MappingProxyType(files))

    def take(self, run_folder: Path, config: CampaignConfig) -> None:
        """Copy the files, and the config as it was read, into the run's folder, whole or not at all.

        What a start that was broken off before its record left there is replaced.
        """
        target = run_folder / SNAPSHOT
        if target.exists():
            shutil.rmtree(target)
        with new_folder(target) as folder:
            for name, content in self.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            (folder / _CONFIG).write_text(
                json.dumps(config.as_dict(), indent=1, ensure_ascii=False), encoding="utf-8"
            )

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 by name of the file."""
        return {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()}

    def text(self, name: str) -> str | None:
        """The text of a file; None where the config names none.

        Raises
        ------
        ConfigProblems
            It is not UTF-8.
        """
        if name not in self.files:
            return None
        try:
            return self.files[name].decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ConfigProblems(
                [Problem(name, "is not UTF-8", "save the file as UTF-8")], where=name
            ) from error

    def templates(self) -> dict[str, str]:
        """Templates by the name of their file, without the ending."""
        names = [name for name in self.files if name.startswith(_TEMPLATES)]
        return {Path(name).stem: self.text(name) or "" for name in names}


def recorded_config(run_folder: Path) -> CampaignConfig:
    """The config that a run was started with.

    Raises
    ------
    ConfigProblems
        The copy is missing or damaged.
    """
    path = run_folder / SNAPSHOT / _CONFIG
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = Problem(_CONFIG, f"cannot be read: {error}", "put the snapshot back")
        raise ConfigProblems([problem], where=str(path)) from error
    return config_of(data, where=str(path), folder=run_folder / SNAPSHOT)


def _take(files: dict[str, bytes], name: str, path: Path, where: str, problems: list[Problem]) -> None:
    try:
        files[name] = path.read_bytes()
    except OSError as error:
        problems.append(
            Problem(where, f"{path.name} cannot be read: {error.strerror or error}", "check the path")
        )
