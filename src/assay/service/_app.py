"""The paths. FastAPI is imported here, so this module is loaded only where something is served."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from assay._version import __version__
from assay.base import canonical_json, unique_keys
from assay.errors import Reason, Refusal
from assay.judge import EVAL_SEALED
from assay.service._desk import Answer, Desk, Job, open_desk
from assay.service._faults import answer_to, fault
from assay.service._models import (
    BacktestRequest,
    ErrorBody,
    EvalAnswer,
    Health,
    ScoreAnswer,
    SearchAnswer,
    SpecAnswer,
    TestAnswer,
    TestRequest,
)
from assay.service._reasons import (
    BAD_REQUEST,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    PERIOD_NOT_ALLOWED,
    UNAVAILABLE,
    UNKNOWN_SPEC,
)
from assay.service._registry import Answers, Specs, key_of
from assay.service._settings import ServiceSettings
from assay.service._terms import Terms
from assay.service._worker import Worker
from assay.web import BUSY, Guard

EVAL_HEADER = "X-Assay-Eval-Token"
OPEN_PATHS = ("/health", "/openapi.json")
"""What is served without a token: that the service is up, and how to ask it."""

_STATUSES = {
    400: "the body is no JSON",
    401: "no valid token",
    403: "a foreign host or origin; a period that is shut; a budget of looks that is used up",
    404: "no such path or spec",
    405: "the path does not take this method",
    408: "the body came too slowly",
    409: "the idempotency key belongs to another request, or to one that was interrupted",
    413: "the body is too large",
    422: "an error of the model: the formula or the spec; or a request that breaks the schema",
    429: "too many requests, or too many at once; Retry-After says how long to wait",
    503: "an error of the environment: time or memory limit, a ledger that is busy, data that is missing",
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": text} for status, text in _STATUSES.items()
}
_UNGUARDED: dict[int | str, dict[str, Any]] = {status: _RESPONSES[status] for status in (403, 405, 408, 413)}
_bearer = HTTPBearer(auto_error=False, description="the token of the role search or score")

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern="^[!-~]+$",
        description="The same key and body give the same answer, at no further look or trial.",
    ),
]
EvalToken = Annotated[
    str | None, Header(alias=EVAL_HEADER, max_length=200, description="Opens the sealed period once.")
]


class Service:
    """What the paths share: desk, worker, specs, answers, and the places that are free."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.desk: Desk = open_desk(settings.data)
        self.worker = Worker(settings.data, settings.memory_limit)
        self.specs = Specs(self.desk.ledger)
        self.answers = Answers(self.desk.ledger)
        self.places = threading.BoundedSemaphore(settings.waiting)
        for text in settings.specs:
            self.specs.add(text)

    def work(self, job: Job) -> Answer:
        """Do a job in the worker; the run of one that was stopped is closed."""
        answer = self.worker.call(job, self.settings.time_limit)
        if answer.status == 503 and job.run:
            self.desk.abandon(job.run)
        return answer

    def placed(self, action: Callable[[], Response]) -> Response:
        """Do something in one of the places, or say that none is free."""
        if not self.places.acquire(blocking=False):
            wait = str(math.ceil(self.settings.time_limit / 4))
            return _error(429, "client", BUSY, headers={"Retry-After": wait})
        try:
            return action()
        finally:
            self.places.release()

    def backtest(self, asked: BacktestRequest, role: str, key: str | None, eval_token: str) -> Response:
        """The answer to a backtest, from the ledger where its key was answered before."""
        if asked.period == "score" and role != "score":
            return _error(403, "client", PERIOD_NOT_ALLOWED)
        if asked.period == "eval" and not eval_token:
            return _error(403, "client", EVAL_SEALED)
        gated = self.specs.get(asked.spec_id)
        if gated is None:
            return _error(404, "client", UNKNOWN_SPEC)
        job = Job(
            asked.expression, asked.dialect, Terms.of(gated), asked.period, self.desk.new_run(), eval_token
        )
        if key is None:
            return self._timed(job)
        known = key_of(role, key)
        before = self.answers.begin(known, [asked.model_dump(), eval_token])
        if before is not None:
            answer = before.result()
            return _reply(answer, {"Idempotency-Replayed": "true"})
        return self._timed(job, known)

    def _timed(self, job: Job, key: str | None = None) -> Response:
        start = time.monotonic()
        answer = Answer(503, fault("environment", UNAVAILABLE))
        try:
            answer = self.work(job)
        finally:
            if key is not None:
                self.answers.end(key, answer)
        bucket = self.settings.bucket
        if job.period == "score" and bucket > 0:
            # how long it took says something of the hidden data
            time.sleep(bucket - (time.monotonic() - start) % bucket)
        return _reply(answer)


class UniqueKeys(APIRoute):
    """A path whose body may give no key of JSON twice: readers of JSON differ in which one they take."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """See the base class."""
        handle = super().get_route_handler()

        async def checked(request: Request) -> Response:
            problem = doubled_key(await request.body())
            if problem:
                raise RequestValidationError([{"loc": ("body",), "msg": problem}])
            return await handle(request)

        return checked


def doubled_key(body: bytes) -> str:
    """Which key a JSON text gives twice; empty for none, and for what is no JSON, which its reader tells."""
    try:
        json.loads(body, object_pairs_hook=unique_keys)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        return ""
    except ValueError as error:
        return str(error)
    return ""


def make_app(settings: ServiceSettings) -> FastAPI:
    """The application; see :func:`assay.service.app`."""
    service = Service(settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        service.worker.start()
        yield
        service.worker.stop()

    made = FastAPI(
        title="Assay backtest service",
        version=__version__,
        summary="A face of the judge: the client sends an expression and the id of a spec, never dates.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    made.state.service = service
    made.router.route_class = UniqueKeys
    made.add_middleware(Guard, settings=settings, open_paths=OPEN_PATHS)
    made.add_exception_handler(RequestValidationError, _invalid)
    made.add_exception_handler(HTTPException, _http)
    made.add_exception_handler(Refusal, _refused)
    made.add_exception_handler(Exception, _failed)
    made.add_api_route(
        "/health", health, methods=["GET"], response_model=Health, responses=_UNGUARDED, summary="Is it up"
    )
    guarded: dict[str, Any] = {
        "methods": ["POST"],
        "responses": _RESPONSES,
        "dependencies": [Depends(_bearer), Depends(no_query)],
    }
    made.add_api_route(
        "/specs", register, response_model=SpecAnswer, summary="Register a gated spec", **guarded
    )
    made.add_api_route(
        "/test_expr", test_expr, response_model=TestAnswer, summary="Parse, type and run a formula", **guarded
    )
    made.add_api_route(
        "/backtest",
        backtest,
        response_model=SearchAnswer | ScoreAnswer | EvalAnswer,
        summary="Judge a formula under the terms of a spec",
        **guarded,
    )
    return made


def no_query(request: Request) -> None:
    """Refuse parameters in the address: none exists, and one that is ignored would seem to hold."""
    problems = [
        {"loc": ("query", name), "msg": "there is no such parameter"} for name in request.query_params
    ]
    if problems or request.url.query:
        raise RequestValidationError(problems or [{"loc": ("query",), "msg": "there are no parameters"}])


def health() -> Health:
    """Says that the service is up; needs no token."""
    return Health(status="ok", version=__version__)


def register(
    request: Request, document: Annotated[dict[str, Any], Body(description="As GatedSpec.to_json writes it.")]
) -> Response:
    """Take a spec that the extraction gate admitted; an altered document is refused."""
    service: Service = request.app.state.service
    return service.placed(lambda: JSONResponse({"spec_id": service.specs.add(json.dumps(document)).spec_id}))


def test_expr(request: Request, asked: TestRequest) -> Response:
    """Whether a formula parses, types and runs. No figure is told, so no trial is counted."""
    service: Service = request.app.state.service

    def act() -> Response:
        answer = service.work(Job(asked.expression, asked.dialect))
        return _reply(answer)

    return service.placed(act)


def backtest(
    request: Request, asked: BacktestRequest, key: Key = None, eval_token: EvalToken = None
) -> Response:
    """Judge a formula: figures on search, one rounded number on score, figures on eval against a token.

    Every answer but an error of the model counts as a trial; score and eval cost a look.
    """
    service: Service = request.app.state.service
    role: str = request.state.role
    return service.placed(lambda: service.backtest(asked, role, key, eval_token or ""))


def _reply(answer: Answer, headers: dict[str, str] | None = None) -> Response:
    """The answer with its keys sorted, as the ledger keeps it: a repeat has the same bytes."""
    text = canonical_json(answer.body)
    return Response(text, answer.status, headers, media_type="application/json")


def _error(
    status: int,
    source: str,
    reason: Reason,
    details: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    return JSONResponse(fault(source, reason, details=details), status, headers)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        {"where": ".".join(str(part) for part in item["loc"]), "message": item["msg"]}
        for item in error.errors()
    ]
    if not request.headers.get("content-type", "").startswith("application/json"):
        # a body that is not announced as JSON is not read as such, which no other problem says
        problems.insert(0, {"where": "header Content-Type", "message": "send application/json"})
    return _error(422, "client", BAD_REQUEST, {"problems": problems[:20]})


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    reasons = {404: NOT_FOUND, 405: METHOD_NOT_ALLOWED}
    headers = dict(error.headers or {})
    return _error(error.status_code, "client", reasons.get(error.status_code, BAD_REQUEST), headers=headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    if error.reason.code.startswith("idempotency_"):
        return _error(409, "client", error.reason)
    status, body = answer_to(error)
    return JSONResponse(body, status)


async def _failed(request: Request, error: Exception) -> Response:
    status, body = answer_to(error)
    return JSONResponse(body, status)
