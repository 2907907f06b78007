from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.library import UNKNOWN_CERTIFICATE
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._pages import PageArguments, page_of
from assay.tools.builtin._reasons import (
    BAD_CERTIFICATE,
    BAD_LIMIT,
    BAD_OFFSET,
    MISSING_CERTIFICATE,
    NO_LEDGER,
)
from assay.tools.builtin._runs import undamaged
from assay.tools.builtin._view import SearchView

if TYPE_CHECKING:
    from assay.ledger import Ledger

OPEN: Final = "search"
"""The period whose certificates are served: those on hidden dates are nobody's but a person's."""
FIGURES: Final = (
    "rank_ic", "rank_icir", "t", "neutral_rank_ic", "net_return", "net_excess", "ir", "max_drawdown",
    "turnover", "monotonicity", "coverage", "days",
)  # fmt: skip


class CertificateRow(Result):
    certificate: str = Field(description="Content hash, by which certificate.get finds it.")
    name: str
    fingerprint: str | None
    data: str
    decision: str = Field(description="passed, rejected or undefined")


class CertificatesResult(Result):
    rows: list[CertificateRow]
    total: int
    next_offset: int | None = Field(description="Where the next page begins; missing on the last one.")


class CertificateArguments(Arguments):
    certificate: str = Field(
        description="A content hash, as certificate.list gives it.", pattern="^sha256:[0-9a-f]{64}$"
    )


class Figure(Result):
    name: str
    value: float | None = Field(description="Missing where it is undefined.")


class Criterion(Result):
    name: str
    outcome: str = Field(description="passed, failed, undefined, not_applicable or not_run")
    detail: str


class CertificateResult(Result):
    certificate: str
    name: str
    expression: str | None = Field(description="Canonical form; missing for a factor given as values.")
    fingerprint: str | None
    data: str
    simulated: bool
    universe: str | None
    horizon: int
    decision: str
    sentence: str
    figures: list[Figure]
    criteria: list[Criterion]
    leaks: list[Criterion]
    trials: int | None = Field(description="The N that its significance allows for.")
    dsr: float | None = Field(description="Deflated Sharpe ratio.")
    warnings: list[str]


def certificate_tools(ledger: Ledger | None, view: SearchView | None) -> tuple[Tool, ...]:
    """``certificate.list`` and ``certificate.get``: what was judged on the search period."""

    open_ones = _OpenCertificates(view)

    def list_certificates(arguments: PageArguments, context: Context) -> CertificatesResult:
        found = open_ones.rows(_needed(ledger))
        rows, following = page_of(found, arguments, "certificates")
        return CertificatesResult(rows=list(rows), total=len(found), next_offset=following)

    def get(arguments: CertificateArguments, context: Context) -> CertificateResult:
        return open_ones.get(_needed(ledger), arguments.certificate)

    return (
        Tool(
            "certificate.list",
            "Lists the certificates of factors that were judged on the search period.",
            PageArguments,
            CertificatesResult,
            (BAD_LIMIT, BAD_OFFSET, NO_LEDGER, DAMAGED_STATE),
            list_certificates,
        ),
        Tool(
            "certificate.get",
            "Gives what a certificate says of a factor: decision, criteria, figures, leak checks, N.",
            CertificateArguments,
            CertificateResult,
            (MISSING_CERTIFICATE, BAD_CERTIFICATE, UNKNOWN_CERTIFICATE, NO_LEDGER, DAMAGED_STATE),
            get,
        ),
    )


def _needed(ledger: Ledger | None) -> Ledger:
    if ledger is None:
        raise Refusal(NO_LEDGER)
    return ledger


class _OpenCertificates:
    """The certificates that anybody may read, as the ledger has them now.

    One is served where it was judged on the search period, opened no hidden date, and reads no row after the
    clock of the view, which may have been another when it was made. What a document says never changes, so a
    row is read once.
    """

    def __init__(self, view: SearchView | None) -> None:
        self._view = view
        self._known: dict[str, CertificateRow | None] = {}

    def rows(self, ledger: Ledger) -> list[CertificateRow]:
        """Rows of all of them, in order."""
        from assay.library import read_document, recorded_certificates

        with undamaged():
            recorded = recorded_certificates(ledger)
            for name, record in recorded.items():
                if name not in self._known:
                    body = read_document(ledger, record)["body"]
                    self._known[name] = _row(name, body) if self._is_open(body) else None
        return [row for name in recorded if (row := self._known[name]) is not None]

    def get(self, ledger: Ledger, name: str) -> CertificateResult:
        """All of one; ``unknown_certificate`` also for one that is not open."""
        from assay.library import read_document, recorded_certificates

        with undamaged():
            record = recorded_certificates(ledger).get(name)
            body = None if record is None else read_document(ledger, record)["body"]
        if body is None or not self._is_open(body):
            raise Refusal(UNKNOWN_CERTIFICATE, fix="ask certificate.list for the hashes")
        return _certificate(name, body)

    def _is_open(self, body: Mapping[str, Any]) -> bool:
        data = body["data"]
        plain = data["period"] == OPEN and not data["hidden_opened"]
        return plain and (self._view is None or self._view.allows(date.fromisoformat(data["last_row"])))


def _row(name: str, body: Mapping[str, Any]) -> CertificateRow:
    identity = body["identity"]
    return CertificateRow(
        certificate=name,
        name=identity["name"],
        fingerprint=identity["fingerprint"],
        data=body["data"]["panel"],
        decision=body["decision"]["status"],
    )


def _certificate(name: str, body: Mapping[str, Any]) -> CertificateResult:
    data, decision, significance = body["data"], body["decision"], body["significance"]
    return CertificateResult(
        **_row(name, body).model_dump(),
        expression=body["identity"]["canonical"],
        simulated=data["simulated"],
        universe=data["universe"],
        horizon=body["settings"]["horizon"],
        sentence=decision["sentence"],
        figures=[Figure(name=figure, value=body["metrics"].get(figure)) for figure in FIGURES],
        criteria=[_criterion(item) for item in decision["criteria"]],
        leaks=[_criterion(item) for item in body["leaks"]],
        trials=significance["trials"],
        dsr=significance["dsr"],
        warnings=list(body["warnings"]),
    )


def _criterion(item: Mapping[str, Any]) -> Criterion:
    return Criterion(name=item["name"], outcome=item["outcome"], detail=item["detail"])
