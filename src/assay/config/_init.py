from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path

from assay.base import atomic_write
from assay.config._load import load_workspace, parse_config
from assay.config._plan import PeriodPlan
from assay.config._workspace import CONFIG_NAME, FOLDERS, Workspace
from assay.errors import AssayError

_IGNORED = "# what a repository of this workspace must not hold\n.env\ndata/\n"


def init_workspace(
    path: Path, *, plans: Mapping[str, PeriodPlan] | None = None, data: str | None = None
) -> Workspace:
    """Make folder ``path`` a workspace: a commented ``assay.toml``, ``.gitignore``, four folders, two notes.

    ``plans`` are period plans to write for data sets, and ``data`` is the one used where none is named. Files
    that are there already stay as they are.

    Raises
    ------
    AssayError
        ``path`` is a workspace already, or cannot be written.
    ConfigProblems
        A plan is not valid; nothing was written.
    """
    from assay.config._reference import template  # needs pydantic

    root = Path(path).resolve()
    file = root / CONFIG_NAME
    if os.path.lexists(file):
        raise AssayError(f"{file} exists already", where=str(file), fix="edit it, or choose another folder")
    text = template(data) + "".join(plan_toml(name, plan) for name, plan in (plans or {}).items())
    parse_config(text, root=root)
    made: list[Path] = []
    try:
        for folder in FOLDERS:
            _make_folder(root / folder, made)
        for place, content in (Path(".gitignore"), _IGNORED), *_template_notes():
            if not os.path.lexists(root / place):
                atomic_write(root / place, content)
                made.append(root / place)
        atomic_write(file, text)
    except BaseException:
        _remove(made)
        raise
    return load_workspace(root)


def _template_notes() -> Iterator[tuple[Path, str]]:
    """The notes that every workspace begins with, by their place in it."""
    for note in resources.files("assay.config").joinpath("template", "notes").iterdir():
        yield Path("notes") / note.name, note.read_text(encoding="utf-8")


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Create a folder and those above it; ``made`` is told which were not there, the highest first."""
    if folder.is_dir():
        return
    try:
        if not folder.parent.exists():
            _make_folder(folder.parent, made)
        folder.mkdir()
    except OSError as error:
        raise AssayError(
            f"cannot create {folder}: {error.strerror or error}",
            where=str(folder),
            fix="choose a folder that may be written to",
        ) from error
    made.append(folder)


def _remove(made: list[Path]) -> None:
    for path in reversed(made):
        with suppress(OSError):  # somebody else put something into it
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink()


def plan_toml(name: str, plan: PeriodPlan) -> str:
    """The table ``[data.NAME.periods]`` of a plan, as text for ``assay.toml``."""
    lines = [f'{key} = ["{period.start}", "{period.end}"]' for key, period in plan.periods()]
    return "\n".join(["", f"[data.{name}.periods]", *lines, f"embargo_bars = {plan.embargo_bars}", ""])
