from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import assay
from assay.base import canonical_json
from assay.errors import DataError
from assay.judge import SUMMARY, JudgeSettings, Thresholds, certificate_schema, verify_certificate
from assay.judge._certificate import content_hash, seal, software_versions

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "certificate.md"


def test_schema_is_valid_and_closed_at_every_level():
    schema = certificate_schema()
    Draft202012Validator.check_schema(schema)

    def walk(part):
        if isinstance(part, dict):
            if part.get("type") == "object":
                assert part.get("additionalProperties", True) is not True
            for item in part.values():
                walk(item)
        elif isinstance(part, list):
            for item in part:
                walk(item)

    walk(schema)


def test_schema_names_every_metric_and_every_setting():
    body = certificate_schema()["properties"]["body"]["properties"]
    assert list(body["metrics"]["properties"]) == [column.key for column in SUMMARY]
    assert set(body["settings"]["properties"]) == set(JudgeSettings().to_dict())
    thresholds = body["settings"]["properties"]["thresholds"]["properties"]
    assert set(thresholds) == {item.name for item in fields(Thresholds)}


def test_default_settings_follow_the_schema():
    schema = certificate_schema()["properties"]["body"]["properties"]["settings"]
    data = json.loads(canonical_json(JudgeSettings().to_dict()))
    assert list(Draft202012Validator(schema).iter_errors(data)) == []


def test_page_documents_every_key():
    text = PAGE.read_text(encoding="utf-8")
    names = [*certificate_schema()["properties"]["body"]["properties"], *JudgeSettings().to_dict()]
    names += [column.key for column in SUMMARY] + [item.name for item in fields(Thresholds)]
    missing = [name for name in names if f"`{name}`" not in text]
    assert missing == []


def test_seal_rounds_and_hashes_the_body():
    a = seal({"x": 0.1 + 0.2, "n": np.int64(3), "nan": float("nan"), "zero": -0.0, "list": (1.5, None)})
    b = seal({"x": 0.3, "n": 3, "nan": None, "zero": 0.0, "list": [1.5, None]})
    assert a == b
    assert a["body"]["x"] == 0.3
    assert a["content_hash"] == content_hash(a["body"])
    assert seal({"x": 0.31})["content_hash"] != a["content_hash"]


def test_what_is_no_certificate_is_refused():
    with pytest.raises(DataError, match="not a certificate"):
        verify_certificate({"format": "assay-certificate"})


def test_software_versions_are_those_that_run():
    versions = software_versions()
    assert versions["numpy"] == np.__version__
    assert versions["assay"] == assay.__version__
    assert set(versions) == {"assay", "python", "numpy", "numba"}
