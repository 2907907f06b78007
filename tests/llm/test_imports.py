from __future__ import annotations

import subprocess
import sys

import pytest

from assay import base
from assay.errors import AssayError
from assay.llm import AnthropicProvider, Endpoint, OpenAIProvider


def test_the_package_loads_no_sdk() -> None:
    code = "import sys, assay.llm; sys.exit(any(m in sys.modules for m in ('openai', 'anthropic', 'httpx2')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
def test_without_the_extra_it_is_named(
    kind: type[OpenAIProvider] | type[AnthropicProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"no {name}", name=name)

    monkeypatch.setattr(base._optional.importlib, "import_module", missing)
    with pytest.raises(AssayError) as caught:
        kind("main", Endpoint("http://127.0.0.1"))
    assert caught.value.fix == "pip install 'alpha-assay[llm]'"
