from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.base import MAX_TOML, TomlFault, read_toml_file, toml_of


def test_text_and_data_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("a = 1\n")
    assert read_toml_file(file) == ("a = 1\n", {"a": 1})
    with pytest.raises(FileNotFoundError):
        read_toml_file(tmp_path / "b.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", "is not TOML: Invalid value"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("a = " + "9" * 5000, "a number is too long"),
    ],
)
def test_what_is_no_toml(text: str, said: str) -> None:
    with pytest.raises(TomlFault, match=said):
        toml_of(text)


def test_files_that_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"#" * (MAX_TOML + 1))
    (tmp_path / "latin").write_bytes(b"a = '\xff'")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, said in (
        ("long", "longer than 1 MiB"),
        ("latin", "not UTF-8"),
        ("pipe", "no file"),
        ("folder", "no file"),
    ):
        with pytest.raises(TomlFault, match=said):
            read_toml_file(tmp_path / name)
