"""The keys of the ``[llm]`` tables of ``assay.toml``."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, JsonValue
from pydantic_core import PydanticCustomError

from assay.config._llm import BackendKind, RoleName
from assay.config._models import ConfigFile, Table

_KEY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(KEY|TOKEN|SECRET)", re.ASCII | re.IGNORECASE)


def parse_key_name(value: object) -> object:
    """The name of a variable; the value is never repeated, as it may be a key put there by mistake."""
    if isinstance(value, str) and _KEY_NAME.fullmatch(value):
        return value
    raise PydanticCustomError(
        "key_name",
        "is not the name of a variable that holds a key",
        {"fix": "write a name ending in KEY, TOKEN or SECRET, as DEEPSEEK_API_KEY; the key goes into .env"},
    )


def parse_base_url(value: object) -> object:
    """An address that keys and prompts may be sent to."""
    what = _wrong_with(value) if isinstance(value, str) else "is not text"
    if what:
        fix = "write https://HOST/PATH, or http://127.0.0.1:PORT/v1 for a server on this machine"
        raise PydanticCustomError("base_url", "{what}", {"what": what, "fix": fix})
    return value


def _wrong_with(url: str) -> str:
    try:
        parts = urlsplit(url)
        loopback = _is_loopback(parts.hostname or "")
        _ = parts.port
    except ValueError:
        return "is not an address"
    plain = url == url.strip() and url.isprintable()
    if not plain or parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not an http(s) address"
    if "@" in parts.netloc:
        return "holds credentials"
    if parts.query or parts.fragment:
        return "has a query or a fragment"
    if parts.scheme == "http" and not loopback:
        return "would send keys and prompts in the clear"
    return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


KeyName = Annotated[str, BeforeValidator(parse_key_name)]
BaseUrl = Annotated[str, BeforeValidator(parse_base_url)]
Count = Annotated[int, Field(ge=0, le=10**12)]
Money = Annotated[float, Field(ge=0, le=10**9)]


class BackendTable(Table):
    """A source of replies, by a name of your own."""

    kind: BackendKind = Field(
        description=(
            "`openai`: any service that speaks OpenAI's protocol (DeepSeek, Qwen, vLLM, Ollama, ...); "
            "`replay`: the log of a run; `scripted`: a file; `rules`, `sampler`: no model at all."
        ),
        examples=["openai"],
    )
    base_url: BaseUrl | None = Field(
        None,
        description="Address; without it, the service's own. `http` only for this machine.",
        examples=["https://api.deepseek.com/v1"],
    )
    key: KeyName | None = Field(
        None,
        description="Name of the variable (environment or `.env`) that holds the key; never the key.",
        examples=["DEEPSEEK_API_KEY"],
    )
    model: str | None = Field(None, description="Model of roles that name none.", examples=["deepseek-chat"])
    timeout: Annotated[float, Field(gt=0, le=3600)] = Field(
        600.0, description="Seconds that one attempt may take."
    )
    stream: bool = Field(
        False, description="Ask for replies in pieces; for proxies that cut idle connections."
    )
    retries: Annotated[int, Field(ge=0, le=20)] = Field(
        4, description="How often a passing error (too many requests, time-out, 5xx) is tried again."
    )
    run: str | None = Field(
        None, description="Of `replay`: the run whose calls are served.", examples=["r-1"]
    )
    script: str | None = Field(
        None,
        description="Of `scripted`: JSON file with a list of replies, relative to the workspace.",
        examples=["replies.json"],
    )


class RoleTable(Table):
    """What a role runs on. A role without a table is not available; what needs no model works without."""

    backend: str = Field(description="Name of a backend above.", examples=["deepseek"])
    model: str | None = Field(
        None, description="Model; without it, that of the backend.", examples=["deepseek-chat"]
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        None, description="Sent if set; without it, the service's own.", examples=[0.7]
    )
    max_tokens: Annotated[int, Field(ge=1, le=10**9)] = Field(
        4096, description="Longest reply, in tokens; budgets count with it before each call."
    )
    structured: Literal["json", "tool"] = Field(
        "json", description="How replies with a form are asked for: plain JSON, or the call of a tool."
    )
    parameters: dict[str, JsonValue] = Field(
        {},
        description="Further parameters of the service, sent as they are; they go before those above.",
        examples=["{seed = 7}"],
    )


class LlmBudgetTable(Table):
    """Hard limits for one run, checked before each call; without a key there is no limit."""

    calls: Count | None = Field(None, description="Calls, each attempt counted.", examples=[2000])
    input_tokens: Count | None = Field(None, description="Tokens sent.", examples=[5_000_000])
    output_tokens: Count | None = Field(None, description="Tokens written by models.", examples=[1_000_000])
    money: Money | None = Field(
        None,
        description="In the currency of the prices; every model used must have a price then.",
        examples=[20.0],
    )


class PriceTable(Table):
    """Prices of a model for a million tokens, in one currency of your choice for all models."""

    input: Money = Field(description="Input that the service had not stored.", examples=[0.28])
    cached_input: Money | None = Field(
        None, description="Input that the service had stored; without it, as `input`.", examples=[0.028]
    )
    output: Money = Field(description="Output.", examples=[0.42])


class LlmTable(Table):
    """Language models: backends, roles, budget and prices. All of it may be left out."""

    backends: dict[str, BackendTable] = Field({}, description="Sources of replies by name.")
    roles: dict[RoleName, RoleTable] = Field({}, description="What each role runs on.")
    budget: LlmBudgetTable = Field(LlmBudgetTable(), description="Hard limits for one run.")
    prices: dict[str, PriceTable] = Field({}, description="Prices by the name of the model.")


class ConfigFileWithLlm(ConfigFile):
    """Settings of an Assay workspace, without the ``[brain]`` tables."""

    llm: LlmTable = Field(LlmTable(), description="Language models.")
