"""The paths. FastAPI is imported here, so this module is loaded only where something is served."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from assay import __version__
from assay.brain.simulator import ROUTES, FaultyWire, Reply, Route
from assay.brain.simulator import Request as WireRequest
from assay.service.brain_sim._openapi import described
from assay.service.brain_sim._settings import BrainSimSettings
from assay.web import Guard

_METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


class _EveryPath:
    """All paths: the wire itself knows which need a session."""

    def __contains__(self, path: object) -> bool:
        return True


class _Broken(Response):
    """A connection that ends in the middle of a reply."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Promise more than is sent; the server then closes the connection."""
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


def make_app(wire: FaultyWire, settings: BrainSimSettings) -> FastAPI:
    """The application; see :func:`assay.service.brain_sim.app`."""
    made = FastAPI(
        title="Assay simulator of BRAIN",
        version=__version__,
        summary="The requests and replies of the platform, computed on a local market.",
        docs_url=None,
        redoc_url=None,
    )
    made.state.wire, made.state.settings = wire, settings
    made.add_middleware(Guard, settings=settings, open_paths=_EveryPath())
    for route in ROUTES:
        made.add_api_route(route.path, answer, methods=[route.method], **_about(route))
    made.add_api_route("/{path:path}", answer, methods=_METHODS, include_in_schema=False)
    return made


async def answer(request: Request) -> Response:
    """Hand the request to the wire, and its reply back."""
    wire: FaultyWire = request.app.state.wire
    settings: BrainSimSettings = request.app.state.settings
    began = time.perf_counter()
    path = request.scope["raw_path"].decode("latin-1")
    asked = WireRequest(
        method=request.method,
        path=path,
        query=request.scope["query_string"].decode("latin-1"),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=await request.body(),
        scheme=request.url.scheme,
    )
    delivery = await run_in_threadpool(wire.handle, asked)
    if delivery.delay:
        await asyncio.sleep(delivery.delay)
    status = "broken" if delivery.reply is None else str(delivery.reply.status)
    settings.on_request(f"{request.method} {path} {status} {time.perf_counter() - began:.3f} s")
    return _Broken() if delivery.reply is None else _response(delivery.reply)


def _response(reply: Reply) -> Response:
    made = Response(reply.body, reply.status)
    for name, value in reply.headers:
        made.headers.append(name, value)
    return made


def _about(route: Route) -> dict[str, Any]:
    name = route.answer.__name__
    return {
        "name": name,
        "operation_id": f"{route.method.lower()}_{name}",
        "summary": f"{route.method} {route.path}",
        "openapi_extra": described(route),
        "response_class": Response,
    }
