"""Alphas of an account: what the platform shows of them, and their series."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from assay.brain._settings import SimulationRequest
from assay.brain._wire import Alpha, Recordset
from assay.brain.simulator._account_alpha import alpha_document
from assay.brain.simulator._account_series import (
    pack_daily,
    pack_recordsets,
    unpack_daily,
    unpack_recordsets,
)
from assay.brain.simulator._account_store import Record, Store
from assay.brain.simulator._account_types import Job, draw_id, platform_time
from assay.brain.simulator._outcome import Daily, Outcome

Document = dict[str, Any]


class Alphas:
    """The alphas of one account.

    Parameters
    ----------
    author : the user's id.
    """

    def __init__(self, store: Store, author: str, *, seed: int) -> None:
        self._store, self._author, self._seed = store, author, seed
        self._lock = threading.Lock()
        self._documents: dict[str, Document] = {}
        self._numbers: dict[str, int] = {}
        for number, document in store.all("alpha", lambda kept: (kept["number"], kept["document"])):
            self._take(number, document)

    def made(self, job: Job, outcome: Outcome) -> tuple[str, list[Record]]:
        """Make an alpha of the outcome of a simulation; gives its id and what to store."""
        name = draw_id(self._seed, "alpha", job.number, 8)
        document = alpha_document(name, self._author, platform_time(job.posted), outcome)
        return name, [
            ("alpha", name, {"number": job.number, "document": document}),
            ("daily", name, pack_daily(outcome.daily)),
            ("recordsets", name, pack_recordsets(outcome.recordsets)),
        ]

    def keep(self, records: Sequence[Record]) -> None:
        """Take in what is stored of alphas that were :meth:`made`."""
        with self._lock:
            for kind, _, kept in records:
                if kind == "alpha":
                    self._take(kept["number"], kept["document"])

    def all(self) -> list[Document]:
        """All of them, in the order in which they were asked for."""
        with self._lock:
            return [self._documents[name] for name in sorted(self._documents, key=self._numbers.__getitem__)]

    def get(self, name: str) -> Document | None:
        """The document of one; it is never changed in place."""
        with self._lock:
            return self._documents.get(name)

    def change(self, name: str, edit: Callable[[Document], Document]) -> Document:
        """Put what ``edit`` makes of the document in its place."""
        with self._lock:
            number, document = self._numbers[name], edit(self._documents[name])
            self._store.put(("alpha", name, {"number": number, "document": document}))
            self._take(number, document)
            return document

    def daily(self, name: str) -> Daily:
        """The in-sample series of one."""
        return self._store.get("daily", name, unpack_daily)

    def recordsets(self, name: str) -> dict[str, Recordset]:
        """The record sets of one, by name."""
        return self._store.get("recordsets", name, unpack_recordsets)

    def _take(self, number: int, document: Document) -> None:
        self._documents[document["id"]], self._numbers[document["id"]] = document, number


def request_of(document: Document) -> SimulationRequest:
    """What an alpha was simulated with."""
    settings = Alpha.model_validate(document).request_settings
    return SimulationRequest(settings=settings, regular=document["regular"]["code"])
