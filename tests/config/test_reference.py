from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema
import pytest

from assay.config import json_schema, parse_config, reference_markdown
from assay.config._reference import config_keys

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "config.md"
REFRESH = "import pathlib, assay.config as c; pathlib.Path('docs/reference/config.md').write_text"


def test_the_page_in_the_documentation_is_fresh() -> None:
    command = f'python -c "{REFRESH}(c.reference_markdown())"'
    assert PAGE.read_text(encoding="utf-8") == reference_markdown(), f"refresh it: {command}"


def test_every_key_says_what_it_means() -> None:
    keys = list(config_keys())
    assert {"defaults", "costs", "looks", "data.NAME", "data.NAME.periods"} <= {key.table for key in keys}
    assert all(key.description.endswith(".") and key.example and key.kind for key in keys)


def test_the_example_on_the_page_is_valid(tmp_path: Path) -> None:
    example = reference_markdown().split("```toml\n")[1].split("```")[0]
    workspace = parse_config(example, root=tmp_path)
    assert workspace.default_data == "csi300"


def test_the_schema_accepts_what_the_reader_accepts_and_refuses_unknown_keys() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    example = reference_markdown().split("```toml\n")[1].split("```")[0]
    jsonschema.validate(tomllib.loads(example), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"defalts": {}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"costs": {"buy_bp": -1}}, schema)
