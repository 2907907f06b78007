from __future__ import annotations

import base64
import hmac
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from assay.errors import ConfigProblems, Problem

MASK = "[redacted]"
# shorter values ("1", "true") would mask ordinary words all over a text
_SHORTEST = 6
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
# keys of known providers, and credentials in headers and addresses
_SHAPES = (
    re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:hf|ghp|gho|ghs|github_pat|xox[abp])[_-][A-Za-z0-9_-]{16,}"),
    re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"(?i)(?<=\bbearer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?i)(?<=\bbasic )[A-Za-z0-9+/=]{8,}"),
    re.compile(r"(?i)(?<=[?&]key=)[^&\s\"']+"),
    re.compile(r"(?i)(?<=[?&]token=)[^&\s\"']+"),
    re.compile(r"(?i)(?<=[?&]api_key=)[^&\s\"']+"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
)


class Secret:
    """A value that shows itself only through :meth:`reveal`.

    ``repr``, ``str``, ``format`` and pydantic's JSON give a mask; copies stay masked; pickling is refused.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value, for the one call that needs it."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({MASK!r})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled: it would leave the process in the clear")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        from_text = core_schema.no_info_after_validator_function(cls, core_schema.str_schema())
        return core_schema.json_or_python_schema(
            json_schema=from_text,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(cls), from_text]),
            serialization=core_schema.to_string_ser_schema(when_used="json"),
        )


def read_dotenv(path: Path) -> dict[str, Secret]:
    """The ``NAME=value`` lines of a ``.env`` file; an absent file is empty.

    Blank lines, ``#`` comments, an ``export`` before the name and quotes around the value are understood.

    Raises
    ------
    ConfigProblems
        The file cannot be read, or lines are not of this form (named by number, never quoted).
    """
    try:
        lines = Path(path).read_bytes().decode("utf-8-sig").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        what = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        problem = Problem(".env", what, "save it as UTF-8 with read permission")
        raise ConfigProblems([problem], where=str(path)) from error
    found: dict[str, Secret] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text)
        value = None if match is None else _unquoted(match.group(2))
        if match is None or value is None:
            problems.append(
                Problem(f"line {number}", "is not NAME=value", "write NAME=value or NAME='value'")
            )
        else:
            found[match.group(1)] = Secret(value)
    if problems:
        raise ConfigProblems(problems, where=str(path))
    return found


def _unquoted(text: str) -> str | None:
    if text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        rest = text[end + 1 :].strip()
        return text[1:end] if end > 0 and (not rest or rest.startswith("#")) else None
    return re.split(r"\s+#", text, maxsplit=1)[0].strip()


def load_secrets(
    root: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    names: Collection[str] = (),
) -> dict[str, Secret]:
    """Secrets by name: the ``.env`` of folder ``root``, and over it the variables of the environment.

    Of the environment only names that end in KEY, TOKEN, SECRET, PASSWORD or CREDENTIAL(S), those that
    ``.env`` names, and ``names`` are taken.
    """
    environ = os.environ if environ is None else environ
    found = {} if root is None else read_dotenv(Path(root) / ".env")
    wanted = {*found, *names}
    taken = {k: Secret(v) for k, v in environ.items() if v and (k in wanted or _SECRET_NAME.search(k))}
    return {**found, **taken}


def redact(text: str, secrets: Iterable[Secret] | None = None, *, shapes: bool = True) -> str:
    """``text`` with every secret masked.

    ``secrets`` (default: those of the environment) are masked as they are, and in their JSON, URL and
    base64 forms; with ``shapes`` whatever is shaped like a provider's key, a bearer token or a password in
    an address is masked too. Values of fewer than 6 characters are left alone.
    """
    known = load_secrets().values() if secrets is None else secrets
    forms = {form for secret in known for form in _forms(secret.reveal())}
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, MASK)
    for shape in _SHAPES if shapes else ():
        text = shape.sub(MASK, text)
    return text


def _forms(value: str) -> set[str]:
    if len(value) < _SHORTEST:
        return set()
    encoded = base64.b64encode(value.encode()).decode().rstrip("=")
    return {value, json.dumps(value)[1:-1], quote(value, safe=""), encoded}
