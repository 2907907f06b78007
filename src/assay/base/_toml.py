from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

MAX_TOML: Final = 1 << 20


class TomlFault(ValueError):
    """A file or text is no TOML; the message goes on where the file is named: ``is not TOML: ...``."""


def toml_of(text: str) -> dict[str, Any]:
    """The data of a TOML text.

    Raises
    ------
    TomlFault
        It is not TOML, or the reader gives up on it: thousands of nested brackets, or of digits in a number.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlFault(f"is not TOML: {str(error)[:200]}") from error
    except RecursionError as error:
        raise TomlFault("is not TOML: nested too deeply") from error
    except ValueError as error:
        raise TomlFault("is not TOML: a number is too long") from error


def read_toml_file(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and its data; a pipe is not waited for.

    Raises
    ------
    TomlFault
        As :func:`toml_of`; the file is longer than 1 MiB, is not UTF-8, or is no regular file.
    OSError
        It cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise TomlFault("is no file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(MAX_TOML + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_TOML:
        raise TomlFault("is longer than 1 MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TomlFault("is not UTF-8") from error
    return text, toml_of(text)
