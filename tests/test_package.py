from __future__ import annotations

import json
import subprocess
import sys

import assay

_SLOW = ("numba", "scipy.stats", "matplotlib", "pandas", "polars", "pyarrow", "mcp")


def _loaded_by(code: str) -> set[str]:
    probe = f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
    return set(json.loads(out.splitlines()[-1]))


def test_import_assay_loads_nothing_slow() -> None:
    loaded = _loaded_by("import assay")
    assert not [name for name in _SLOW if name in loaded]


def test_command_line_module_loads_nothing_slow() -> None:
    loaded = _loaded_by("import assay.cli")
    assert not [name for name in _SLOW if name in loaded]


def test_every_public_name_resolves() -> None:
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(assay, "no_such_name")
