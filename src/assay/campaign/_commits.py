from __future__ import annotations

from pathlib import Path

import assay


def commits() -> tuple[str, ...]:
    """What identifies the program: its version, and the commit where it runs from a checkout."""
    found = [f"assay {assay.__version__}"]
    commit = _head(Path(assay.__file__).resolve().parent)
    return (*found, f"commit {commit}") if commit else tuple(found)


def _head(folder: Path) -> str | None:
    """The commit that a checkout is at, read from its files; None outside of one."""
    for path in (folder, *folder.parents):
        head = path / ".git" / "HEAD"
        if head.is_file():
            text = head.read_text(encoding="utf-8").strip()
            if not text.startswith("ref: "):
                return text
            return _ref(path / ".git", text.removeprefix("ref: "))
    return None


def _ref(git: Path, name: str) -> str | None:
    loose = git / name
    if loose.is_file():
        return loose.read_text(encoding="utf-8").strip()
    packed = git / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {name}")), None)
