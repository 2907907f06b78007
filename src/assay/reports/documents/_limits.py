from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What the reader allows.

    Parameters
    ----------
    file_bytes : of a PDF (figures make them large).
    characters : of text, in any format; about 500 full pages.
    pages : of the report.
    inflated_bytes : of all compressed streams of a PDF but images, which are never decoded.
    memory_bytes : address space of the process that reads a PDF (Linux; macOS does not enforce it).
    seconds : wall time of that process.
    """

    file_bytes: int = 50 * MIB
    characters: int = 1_000_000
    pages: int = 300
    inflated_bytes: int = 200 * MIB
    memory_bytes: int = 512 * MIB
    seconds: float = 60.0
