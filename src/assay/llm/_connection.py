"""What both official clients share: where they connect, how much they read, what their errors mean."""

from __future__ import annotations

import json
import ssl
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from types import ModuleType
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from assay.base import Clock, SystemClock, require
from assay.config import Secret
from assay.errors import AssayError, ProviderBadReply, ProviderError, ProviderTransient
from assay.llm._faults import clean, failure, provider_error, read_fault
from assay.llm._retry import retry_after
from assay.llm._types import Finish, Reachability, ToolCall

T = TypeVar("T")

_LONGEST_CHECK = 10.0
# local servers want no key, the clients refuse to be without one
_NO_KEY = "no-key"
MOST_TOKENS = 10**8
"""More than any one call takes: the widest models read some ten millions."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a service is and how long to wait for it; from the operator's configuration and nowhere else.

    Parameters
    ----------
    base_url : address that the client adds its paths to, with ``/v1`` where the service has it.
    key : sent to that address only; ``None`` for local servers that want none.
    connect_timeout, read_timeout : seconds until connected, and between two pieces of an answer.
    total_timeout : seconds for one whole answer, so that a service that drips cannot hold a run.
    max_bytes : the longest answer that is read.

    Raises
    ------
    AssayError
        ``base_url`` is no plain http(s) address, holds credentials, or is a link-local address.
    """

    base_url: str
    key: Secret | None = None
    connect_timeout: float = 10.0
    read_timeout: float = 180.0
    total_timeout: float = 900.0
    max_bytes: int = 64 * 2**20

    def __post_init__(self) -> None:
        what = _wrong_with(self.base_url)
        if what:
            raise AssayError(
                f"the address {clean(self.base_url)} {what}",
                where="base_url",
                fix="give it as https://host/path, or http://127.0.0.1:port/v1 for a local server",
            )

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def loopback(self) -> bool:
        return self.host == "localhost" or _is(self.host, "is_loopback")


def _wrong_with(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        return "is malformed"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not an http(s) address"
    if parts.username or parts.password:
        return "holds credentials"
    if parts.query or parts.fragment:
        return "has a query or a fragment"
    # the metadata services of clouds live there, and hand out keys
    return "is link-local" if _is(parts.hostname, "is_link_local") else ""


def _is(host: str, what: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool(getattr(mapped or address, what))


class Assembly(Protocol):
    """Puts the pieces of a stream together; ``finish`` is ``None`` until one says how the reply ended."""

    finish: Any

    def add(self, piece: dict[str, Any], /) -> None: ...

    def body(self) -> dict[str, Any]: ...


class Connection:
    """A client of an official SDK that neither retries nor follows redirects, and its errors translated."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        *,
        sdk: str,
        clock: Clock | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.endpoint = endpoint
        self._sdk: ModuleType = require(sdk, extra="llm")
        self._httpx: ModuleType = require("httpx2", extra="llm")
        self._clock = clock or SystemClock()
        self._monotonic = monotonic
        self.secrets = (endpoint.key,) if endpoint.key else ()

    def client(self, class_name: str, **options: Any) -> Any:
        """The SDK's client. The key is revealed here and nowhere else."""
        endpoint = self.endpoint
        timeout = self._httpx.Timeout(endpoint.read_timeout, connect=endpoint.connect_timeout)
        http = self._httpx.Client(
            timeout=timeout,
            follow_redirects=False,
            # proxies of the environment must not see what is meant for this machine
            trust_env=not endpoint.loopback,
            event_hooks={"response": [_bounds(self.name, endpoint, self._httpx, self._monotonic)]},
        )
        weakref.finalize(self, http.close)  # nothing that http holds refers to self
        return getattr(self._sdk, class_name)(
            api_key=endpoint.key.reveal() if endpoint.key else _NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=timeout,
            http_client=http,
            # max_bytes then bounds what is unpacked, too
            default_headers={"Accept-Encoding": "identity"},
            **options,
        )

    def guarded(self, call: Callable[[], T]) -> T:
        """The result of ``call``; what it raises becomes a :class:`ProviderError`.

        The SDK's exception is not chained: it holds the request, with the key in a header.
        """
        httpx = self._httpx
        base = getattr(self._sdk, "OpenAIError", None) or self._sdk.AnthropicError
        # ValueError: malformed JSON and UTF-8, which both SDKs let through; RecursionError: JSON of any depth
        raised = (base, httpx.HTTPError, httpx.StreamError, httpx.InvalidURL)
        try:
            return call()
        except (*raised, ssl.SSLError, OSError, ValueError, RecursionError) as error:
            found = self._translated(error)
        raise found

    def read_json(self, raw: bytes, content_type: str) -> dict[str, Any]:
        """The object in a whole body.

        Raises
        ------
        ProviderError
            It is a page, no JSON, cut, or an error that came with the status 200.
        """
        if "html" in content_type or raw.lstrip()[:1] == b"<":
            raise self.bad("a page came instead of a reply; base_url may be wrong")
        body = self.guarded(lambda: json.loads(raw))
        if not isinstance(body, dict):
            raise self.bad("the reply is no JSON object")
        self.no_error_in(body)
        return body

    def read_stream(self, stream: Any, whole: Assembly) -> dict[str, Any]:
        """The body that the pieces of an SDK's stream make up.

        Raises
        ------
        ProviderError
            The stream holds an error, or ends before the reply does, of which neither SDK tells.
        """
        try:
            content_type = stream.response.headers.get("content-type", "")
            if "json" in content_type or "html" in content_type:  # a service that does not stream, or a page
                return self.read_json(stream.response.read(), content_type)
            for piece in map(_plain, stream):
                self.no_error_in(piece)
                if isinstance(piece, dict):
                    whole.add(piece)
        finally:
            stream.close()
        if whole.finish is None:
            raise self.transient("the stream ended before the reply did")
        return whole.body()

    def finish(
        self, reason: Any, names: Mapping[str, Finish], *, text: str, calls: Sequence[ToolCall]
    ) -> Finish:
        """How a reply ended, from what the service says and what the reply holds.

        Raises
        ------
        ProviderError
            It does not say, or holds nothing though it claims to be whole.
        """
        ended = names.get(reason) if isinstance(reason, str) else None
        if ended is None:
            raise self.bad(f"the reply does not say how it ended ({str(reason)[:40]})")
        if ended in ("length", "content_filter"):
            return ended
        if not text and not calls:
            raise self.bad("the reply is empty")
        # services disagree on which of the two ends a reply that calls tools
        return "tool_calls" if calls else "stop"

    def no_error_in(self, body: Any) -> None:
        """Raise the error that a body or chunk sent with the status 200 holds, if it does."""
        if isinstance(body, dict) and body.get("error"):
            raise provider_error(
                read_fault(None, body, host=self.endpoint.host), name=self.name, secrets=self.secrets
            )

    def bad(self, what: str) -> ProviderError:
        return failure(ProviderBadReply, self.name, what, secrets=self.secrets)

    def transient(self, what: str) -> ProviderError:
        return failure(ProviderTransient, self.name, what, secrets=self.secrets)

    def check(self, client: Any) -> Reachability:
        """Ask for the list of models with a short time-out."""
        patience = min(_LONGEST_CHECK, self.endpoint.read_timeout)

        def ask() -> bytes:
            with client.models.with_streaming_response.list(timeout=patience) as response:
                return bytes(response.read())

        try:
            models = _model_ids(self.guarded(lambda: json.loads(self.guarded(ask))))
        except ProviderError as error:
            if error.status in (404, 405, 501):
                return Reachability(True, f"{self.name}: answers, but lists no models")
            return Reachability(False, error.message)
        return Reachability(True, f"{self.name}: answers; {len(models)} models", models)

    def _translated(self, error: Exception) -> ProviderError:
        sdk, httpx, name = self._sdk, self._httpx, self.name
        if isinstance(error.__cause__, ProviderError):  # of _bounds, wrapped by the SDK
            return error.__cause__
        if isinstance(error, sdk.APIStatusError):
            fault = read_fault(error.status_code, error.body, host=self.endpoint.host)
            wait = retry_after(error.response.headers, self._clock.now())
            return provider_error(fault, name=name, secrets=self.secrets, retry_after=wait)
        if isinstance(error, sdk.APITimeoutError | httpx.TimeoutException | TimeoutError):
            return self.transient(
                f"no answer within {self.endpoint.connect_timeout:g} s to connect "
                f"or {self.endpoint.read_timeout:g} s between pieces"
            )
        if isinstance(error, sdk.APIConnectionError | httpx.HTTPError | OSError):
            return self.transient(f"no connection, or one that broke ({_reason(error)})")
        if isinstance(error, sdk.APIError):  # an error in the middle of a stream
            fault = read_fault(None, error.body, host=self.endpoint.host)
            return provider_error(fault, name=name, secrets=self.secrets)
        if isinstance(error, RecursionError):
            return self.bad("the reply is nested too deeply")
        if isinstance(error, ValueError):
            return self.transient("a malformed or cut piece of a reply")
        return self.bad(f"the client gave up ({type(error).__name__})")


def _bounds(
    name: str, endpoint: Endpoint, httpx: ModuleType, monotonic: Callable[[], float]
) -> Callable[[Any], None]:
    """Hook of the HTTP client: every body, also that of an error, is read within the limits."""

    class Bounded(httpx.SyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, stream: Any) -> None:
            self._stream = stream
            self._ends = monotonic() + endpoint.total_timeout

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in self._stream:
                size += len(piece)
                if size > endpoint.max_bytes:
                    raise failure(ProviderBadReply, name, f"the reply is over {endpoint.max_bytes} bytes")
                if monotonic() > self._ends:
                    raise failure(
                        ProviderTransient, name, f"no whole reply within {endpoint.total_timeout:g} s"
                    )
                yield piece

        def close(self) -> None:
            self._stream.close()

    def hook(response: Any) -> None:
        response.stream = Bounded(response.stream)

    return hook


def _reason(error: BaseException) -> str:
    """The innermost cause, as the operating system says it."""
    while error.__cause__ is not None:
        error = error.__cause__
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, OSError) else str(error) or name


def _model_ids(body: Any) -> tuple[str, ...]:
    listed = body.get("data") if isinstance(body, dict) else None
    found = [item.get("id") for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return tuple(sorted(model for model in found if isinstance(model, str)))


def _plain(piece: Any) -> Any:
    """A chunk of an SDK as plain data, whatever shape it arrived in."""
    dump = getattr(piece, "model_dump", None)
    return dump(exclude_unset=True, warnings=False) if dump else piece


def check_parameters(parameters: Mapping[str, Any], reserved: frozenset[str]) -> None:
    """Refuse parameters that the rest of a request says, or that would change what a reply is."""
    taken = sorted(reserved.intersection(parameters))
    if taken:
        raise AssayError(
            f"{', '.join(taken)} cannot be set as a parameter", where="parameters", fix="leave it out"
        )


def count(value: Any) -> int:
    """A number of tokens; what is no such number, or could not be one, counts as none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 < value <= MOST_TOKENS else 0
