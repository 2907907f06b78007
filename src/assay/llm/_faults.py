"""Which kind of :class:`ProviderError` an error of a service is.

The table is read from the top; the first row that fits decides. A row looks at the HTTP status, at the names
by which the service calls the fault (``code``, ``type``, ``details.error_code``) and, where two services use
one name for two faults, at the host. Words of the message count only in the rows marked ``words``, since they
change and are translated: there the service gives nothing else to tell the cases apart.

Real bodies with their sources are in ``tests/llm/error_bodies.json``; each is a test. Pages of the services:

- OpenAI: https://developers.openai.com/docs/guides/error-codes
- DeepSeek: https://api-docs.deepseek.com/quick_start/error_codes (its ``code`` is ``invalid_request_error``
  whatever the fault, so status and ``type`` decide)
- DashScope: https://help.aliyun.com/zh/model-studio/error-code
- Anthropic: https://docs.claude.com/en/api/errors
- Zhipu: https://docs.z.ai/api-reference/api-code
- Moonshot: https://platform.kimi.ai/docs/api/errors
- vLLM: https://github.com/vllm-project/vllm/pull/37011
- Ollama: https://github.com/netease-youdao/QAnything/issues/555
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.config import Secret, redact
from assay.errors import (
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
)

_LONGEST_MESSAGE = 300
_LONGEST_READ = 100_000
_DEEPEST_BODY = 4
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table. What a row leaves out fits everything."""

    kind: type[ProviderError]
    names: frozenset[str] = frozenset()
    status: frozenset[int] = frozenset()
    host: str = ""
    words: tuple[str, ...] = ()

    def fits(self, fault: Fault) -> bool:
        return (
            (not self.names or not self.names.isdisjoint(fault.names))
            and (not self.status or fault.status in self.status)
            and (not self.host or fault.host == self.host or fault.host.endswith("." + self.host))
            and (not self.words or any(words in fault.message.lower() for words in self.words))
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """What a service said: HTTP status (``None`` inside a stream), its names in lower case, its words.

    ``code`` is the first name as the service wrote it.
    """

    status: int | None
    names: tuple[str, ...]
    message: str
    host: str = ""
    code: str = ""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REFUSED_STATUS = frozenset({400, 404, 405, 409, 410, 411, 413, 414, 415, 422, 431, 501, 505})
_SERVER_STATUS = frozenset(range(500, 600)) - _REFUSED_STATUS

TABLE: tuple[Row, ...] = (
    # DashScope names a limit of tokens per minute as OpenAI names a used-up balance; waiting helps there
    Row(
        ProviderTransient,
        _names("insufficient_quota throttling.allocationquota"),
        frozenset({429}),
        host="aliyuncs.com",
    ),
    # 1113: Zhipu, in arrears; 30011: SiliconFlow, paid balance insufficient;
    # insufficient_user_quota: gateways of the one-api family, with status 403
    Row(
        ProviderQuotaExhausted,
        _names(
            "insufficient_quota billing_error billing_hard_limit_reached arrearage "
            "allocationquota.freetieronly exceeded_current_quota_error insufficient_user_quota 1113 30011"
        ),
    ),
    Row(ProviderQuotaExhausted, status=frozenset({402})),
    # Anthropic: 400 invalid_request_error like any malformed request; only the words tell
    Row(
        ProviderQuotaExhausted,
        _names("invalid_request_error"),
        frozenset({400}),
        words=("credit balance is too low", "reached your specified api usage limits"),
    ),
    # the content was refused, with any status; 1301: Zhipu
    Row(
        ProviderBadReply,
        _names(
            "content_filter content_policy_violation data_inspection_failed datainspectionfailed "
            "invalidparameter.datainspection 1301"
        ),
    ),
    # 1000-1004, 1110-1112, 1121: Zhipu, key or account refused; 1220: no permission
    Row(
        ProviderAuth,
        _names(
            "authentication_error invalid_authentication_error incorrect_api_key_error invalid_api_key "
            "invalidapikey permission_error permission_denied_error accessdenied access_denied "
            "accessdenied.unpurchased 1000 1001 1002 1003 1004 1110 1111 1112 1121 1220"
        ),
    ),
    Row(ProviderAuth, status=frozenset({401, 403, 407})),
    # 1120, 1234: Zhipu, passing faults; 1302, 1303, 1305: too many at once, too often
    Row(
        ProviderTransient,
        _names(
            "rate_limit_error rate_limit_exceeded rate_limit_reached_error overloaded_error "
            "engine_overloaded_error timeout_error throttling throttling.ratequota "
            "throttling.allocationquota throttling.burstrate limit_requests limit_burst_rate "
            "requesttimeout internalerror.timeout 1120 1234 1302 1303 1305"
        ),
    ),
    Row(ProviderTransient, status=frozenset({408, 425, 429}) | _SERVER_STATUS),
    Row(ProviderBadReply, status=_REFUSED_STATUS),
    # an error sent after the status 200, in a stream or instead of a reply
    Row(
        ProviderBadReply,
        _names("invalid_request_error not_found_error request_too_large invalidparameter model_not_found"),
    ),
)

_FIX: dict[type[ProviderError], str] = {
    ProviderQuotaExhausted: "top up the account or raise its limit, then resume the run",
    ProviderTransient: "try again later; a run resumes where it stopped",
    ProviderAuth: "check the key in the environment or .env, and that it is one for this service and model",
    ProviderBadReply: "check the model's name, the size of the request and base_url",
}


def classify(fault: Fault) -> type[ProviderError]:
    """The kind of a fault by the table; of one that no row knows, by whether it came inside a stream."""
    for row in TABLE:
        if row.fits(fault):
            return row.kind
    in_stream = fault.status is None or 200 <= fault.status < 300
    return ProviderTransient if in_stream else ProviderBadReply


def read_fault(status: int | None, body: object, *, host: str = "") -> Fault:
    """The fault in the body of an error, whichever of the services' forms it has.

    Known: ``{"error": {"code", "type", "message"}}``, also without the envelope and with numbers as codes;
    Anthropic's ``{"type": "error", "error": {...}}``; ``{"error": "text"}``; plain text.
    """
    inner = body
    for _ in range(_DEEPEST_BODY):
        if not (isinstance(inner, Mapping) and inner.get("error")):
            break
        inner = inner["error"]
    if not isinstance(inner, Mapping):
        text = inner if isinstance(inner, str) else ""
        return Fault(
            status, (), "a page, no error of the service" if text.lstrip()[:1] == "<" else text, host
        )
    details = inner.get("details")
    said = [inner.get("code"), inner.get("type")]
    said += [details.get("error_code")] if isinstance(details, Mapping) else []
    names = [str(name) for name in said if isinstance(name, str | int) and str(name)]
    message = inner.get("message")
    return Fault(
        status,
        tuple(name.lower() for name in names),
        message if isinstance(message, str) else "",
        host,
        names[0] if names else "",
    )


def provider_error(
    fault: Fault,
    *,
    name: str,
    secrets: Iterable[Secret] = (),
    retry_after: float | None = None,
) -> ProviderError:
    """The typed error of a fault of backend ``name``, with the service's words short and without secrets."""
    kind = classify(fault)
    code = clean(fault.code, secrets)
    head = " ".join(part for part in (f"HTTP {fault.status}" if fault.status else "", code) if part)
    said = clean(fault.message, secrets)
    return kind(
        f"{name}: {head or 'error'}" + (f": {said}" if said else ""),
        where=f"llm.backends.{name}",
        fix=_FIX[kind],
        status=fault.status,
        code=code or None,
        retry_after=retry_after if kind is ProviderTransient else None,
    )


def failure(
    kind: type[ProviderError], name: str, what: str, *, secrets: Iterable[Secret] = ()
) -> ProviderError:
    """A typed error that no body of an error describes: a time-out, a reset, a reply of the wrong shape."""
    return kind(f"{name}: {clean(what, secrets)}", where=f"llm.backends.{name}", fix=_FIX[kind])


def clean(text: str, secrets: Iterable[Secret] = ()) -> str:
    """A service's words for a log: one line, at most 300 characters, no control characters, keys masked."""
    # a service may send megabytes; cut far behind what is shown, since a cut through a key would unmask it
    text = _CONTROL.sub(" ", text[:_LONGEST_READ])
    words = redact(redact(text), secrets).split()
    # services echo a part of a refused key between asterisks
    text = " ".join("[redacted]" if "***" in word else word for word in words)
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"
