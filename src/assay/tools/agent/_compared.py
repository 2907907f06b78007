"""What two plays of one run left, held against each other byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to: ``difference`` is the first one found, None where all is equal."""

    run: str
    records: int
    files: int
    difference: str | None

    @property
    def equal(self) -> bool:
        """Whether export and files have the bytes of the run."""
        return self.difference is None


def compared(run_id: str, *, exports: tuple[bytes, bytes], folders: tuple[Path, Path]) -> Replayed:
    """Hold a replay against the run.

    Parameters
    ----------
    exports : the canonical export of the run, and of the replay.
    folders : what the run left below ``runs/``, and what the replay did; hidden files do not count.
    """
    difference = _first_line(*exports) or _first_file(*folders)
    return Replayed(run_id, exports[0].count(b"\n"), len(list(_files(folders[1]))), difference)


def _first_line(first: bytes, again: bytes) -> str | None:
    """Where two exports part."""
    for number, (left, right) in enumerate(zip_longest(first.splitlines(), again.splitlines()), 1):
        if left != right:
            return f"record {number} of the export: {_around(left, right)}"
    return None


def _first_file(first: Path, again: Path) -> str | None:
    """The first file that only one folder has, or that differs."""
    names = sorted({*_files(first), *_files(again)})
    for name in names:
        left, right = (_content(base / name) for base in (first, again))
        if left != right:
            return f"{name}: {_around(left, right)}"
    return None


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _files(folder: Path) -> Iterator[str]:
    """Files that a run leaves, by their place in its folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(folder).as_posix()


def _around(left: bytes | None, right: bytes | None) -> str:
    """Both sides from a little before the place at which they part."""
    if left is None or right is None:
        return f"only in the {'replay' if left is None else 'run'}"
    pairs = zip_longest(left, right)
    place = max(0, next(number for number, (a, b) in enumerate(pairs) if a != b) - _SHOWN // 4)
    shown = (side[place : place + _SHOWN].decode("utf-8", "replace") for side in (left, right))
    return "from character {} on, the run has {!r}, the replay {!r}".format(place, *shown)
