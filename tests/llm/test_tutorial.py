"""The settings that the tutorial on models shows are accepted, and name what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.config import parse_config

PAGE = (Path(__file__).parents[2] / "docs" / "tutorials" / "models.md").read_text("utf-8")
SAMPLES = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda text: text.partition("\n")[0])
def test_a_sample_is_accepted(sample: str, tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text(sample, "utf-8")
    llm = parse_config(sample, root=tmp_path).llm
    assert llm.backends
    assert all(role.model for role in llm.roles.values())


def test_every_recipe_is_there() -> None:
    assert len(SAMPLES) == 8
    for service in ("DeepSeek", "Qwen", "OpenAI", "Anthropic", "Ollama", "vLLM", "GGUF"):
        assert service in PAGE
