from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib import resources
from importlib.metadata import version
from typing import Any

from assay.base import json_hash
from assay.errors import DataError
from assay.judge._results import to_plain

FORMAT = "assay-certificate"
VERSION = 1
DIGITS = 10


def certificate_schema() -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of a certificate."""
    text = resources.files("assay.judge").joinpath("certificate.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def software_versions() -> dict[str, str]:
    """Versions of everything whose arithmetic a certificate rests on."""
    return {
        "assay": version("alpha-assay"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def content_hash(body: Mapping[str, Any]) -> str:
    """SHA-256 of a certificate's body as canonical JSON."""
    return "sha256:" + json_hash(body)


def seal(body: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate from its body.

    Floats are rounded to 10 significant digits: the last bits of a sum may depend on the processor, and a
    hash over them would differ where the result does not.
    """
    plain = _rounded(to_plain(body))
    return {"format": FORMAT, "version": VERSION, "content_hash": content_hash(plain), "body": plain}


def verify_certificate(certificate: Mapping[str, Any]) -> None:
    """Check a certificate against the schema and its own hash.

    Raises
    ------
    DataError
        It does not have the published shape, or its body was altered after it was made.
    """
    from jsonschema import Draft202012Validator

    faults = sorted(
        Draft202012Validator(certificate_schema()).iter_errors(certificate), key=lambda fault: str(fault.path)
    )
    if faults:
        raise DataError(
            f"this is not a certificate: {faults[0].message}",
            where="/".join(map(str, faults[0].absolute_path)) or "certificate",
            fix="use a certificate as Assay wrote it",
        )
    if content_hash(certificate["body"]) != certificate["content_hash"]:
        raise DataError(
            "the certificate's body does not have the hash that it states",
            where="content_hash",
            fix="it was altered; judge the factor again",
        )


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return 0.0 if short == 0.0 else short  # -0.0 prints as another text than 0.0
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value
