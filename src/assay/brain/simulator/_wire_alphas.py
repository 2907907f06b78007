"""``/alphas`` and ``/users``: what the platform keeps of an account's alphas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from assay.brain._platform import CorrelationKind
from assay.brain._wire import Check, Column, Recordset
from assay.brain.simulator._account import Account
from assay.brain.simulator._account_alpha import wire_checks
from assay.brain.simulator._account_alphas import Document
from assay.brain.simulator._account_types import platform_time
from assay.brain.simulator._wire_filters import Listing
from assay.brain.simulator._wire_properties import read_properties
from assay.brain.simulator._wire_types import Reply, Request, json_reply, not_found, retry_after
from assay.errors import AssayError

_LISTING: Final = Listing(
    most=100,
    searched=("id", "name", "regular.code"),
    dates=("dateCreated", "dateSubmitted", "dateModified", "os.startDate"),
    flags=("hidden", "favorite"),
    ignored=("competition",),
    contains={"tag": "tags"},
)
_SELF: Final = tuple(
    Column(name=name, title=title, type=kind)
    for name, title, kind in (
        ("id", "Id", "string"), ("name", "Name", "string"), ("instrumentType", "Instrument Type", "string"),
        ("region", "Region", "string"), ("universe", "Universe", "string"),
        ("correlation", "Correlation", "decimal"), ("sharpe", "Sharpe", "decimal"),
        ("returns", "Returns", "percent"), ("turnover", "Turnover", "percent"),
        ("fitness", "Fitness", "decimal"), ("margin", "Margin", "permyriad"),
    )
)  # fmt: skip
_PROD: Final = tuple(
    Column(name=name, title=name.title(), type=kind)
    for name, kind in (("min", "decimal"), ("max", "decimal"), ("alphas", "integer"))
)
_KINDS: Final[dict[str, CorrelationKind]] = {"self": "self", "prod": "prod", "power-pool": "power-pool"}


def user(request: Request, account: Account) -> Reply:
    """``GET /users/self``."""
    return json_reply(
        {"id": account.user, "username": account.login.username, "permissions": list(account.permissions)}
    )


def user_alphas(request: Request, account: Account) -> Reply:
    """``GET /users/self/alphas``: newest first, with those of simulations that nobody has polled."""
    with suppress(AssayError):  # what cannot be kept is not told, and is computed again
        account.simulations.settle_due()
    return json_reply(_LISTING.page(account.alphas.all()[::-1], request))


def alpha(request: Request, account: Account, name: str) -> Reply:
    """``GET /alphas/{id}``."""
    return json_reply(_known(account, name))


def change(request: Request, account: Account, name: str) -> Reply:
    """``PATCH /alphas/{id}``."""
    _known(account, name)
    changes = read_properties(request.json())
    modified = platform_time(account.clock.now())

    def edit(document: Document) -> Document:
        regular = {**document["regular"], **changes.get("regular", {})}
        return {**document, **changes, "regular": regular, "dateModified": modified}

    return json_reply(account.alphas.change(name, edit))


def check(request: Request, account: Account, name: str) -> Reply:
    """``GET /alphas/{id}/check``."""
    checks = account.reviews.check(_known(account, name))
    return _running(account) if checks is None else json_reply(_checks(checks))


def submit(request: Request, account: Account, name: str) -> Reply:
    """``POST /alphas/{id}/submit``: asked again it begins nothing anew, and ends without Retry-After."""
    verdict = account.reviews.submit(_known(account, name))
    location = ("Location", f"{request.base}/alphas/{name}/submit")
    if verdict is None:
        return Reply(201, headers=(location, retry_after(account.settings.retry_after)))
    if verdict.taken:
        return Reply(201, headers=(location,))
    return json_reply(_checks(verdict.checks), 403)


def submission(request: Request, account: Account, name: str) -> Reply:
    """``GET /alphas/{id}/submit``.

    The end is told once: 200 or 403 with the checks. After it, as without a submission, comes an empty 404.
    """
    try:
        verdict = account.reviews.verdict(_known(account, name))
    except LookupError:
        return Reply(404)
    if verdict is None:
        return _running(account)
    return json_reply(_checks(verdict.checks), 200 if verdict.taken else 403)


def recordsets(request: Request, account: Account, name: str) -> Reply:
    """``GET /alphas/{id}/recordsets``."""
    _known(account, name)
    found = [{"name": one, "title": _title(one)} for one in account.alphas.recordsets(name)]
    return json_reply({"count": len(found), "results": found})


def recordset(request: Request, account: Account, name: str, which: str) -> Reply:
    """``GET /alphas/{id}/recordsets/{name}``."""
    _known(account, name)
    found: Recordset | None = account.alphas.recordsets(name).get(which)
    if found is None:
        raise not_found()
    return json_reply(_envelope(found.name, found.columns, found.records))


def correlations(request: Request, account: Account, name: str, kind: str) -> Reply:
    """``GET /alphas/{id}/correlations/{kind}``."""
    _known(account, name)
    if kind not in _KINDS:
        raise not_found()
    found = account.reviews.correlations(name, _KINDS[kind])
    columns = _PROD if kind == "prod" else _SELF
    rows = [[row[column.name] for column in columns] for row in found.rows]
    title = f"{kind}-correlation"
    return json_reply({**_envelope(title, columns, rows), "min": found.min, "max": found.max})


def _known(account: Account, name: str) -> Document:
    document = account.alphas.get(name)
    if document is None:
        raise not_found()
    return document


def _running(account: Account) -> Reply:
    return Reply(200, headers=(retry_after(account.settings.retry_after),))


def _checks(checks: Iterable[Check]) -> dict[str, Any]:
    return {"is": {"checks": wire_checks(checks)}}


def _envelope(name: str, columns: Sequence[Column], records: Iterable[Sequence[Any]]) -> dict[str, Any]:
    schema = {"name": name, "title": _title(name), "properties": [column.wire() for column in columns]}
    return {"schema": schema, "records": [list(row) for row in records]}


def _title(name: str) -> str:
    return name.replace("-", " ").title()
