"""Registered specs and answered requests, as the ledger has them: a restart forgets neither."""

from __future__ import annotations

import hashlib
import json
import threading
from concurrent.futures import Future
from dataclasses import dataclass

from assay.base import canonical_json, json_hash
from assay.errors import Refusal
from assay.ledger import Ledger
from assay.service._desk import Answer
from assay.service._reasons import IDEMPOTENCY_CONFLICT, IDEMPOTENCY_INTERRUPTED
from assay.spec import GatedSpec

GATE = "service.spec"
TOOL = "service.backtest"


class Specs:
    """Gated specs by id. Registering one again changes nothing."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._known: dict[str, GatedSpec] = {}
        with ledger.index() as index:
            for entry in index.entries(kind="gate_verdict"):
                if entry.body["gate"] == GATE and "document" in entry.body:
                    gated = GatedSpec.from_json(ledger.get(entry.body["document"]).decode())
                    self._known[gated.spec_id] = gated

    def get(self, spec_id: str) -> GatedSpec | None:
        """The spec of an id."""
        return self._known.get(spec_id)

    def add(self, text: str) -> GatedSpec:
        """Register a document.

        Raises
        ------
        Refusal
            ``spec_altered``, ``spec_not_admitted``.
        """
        gated = GatedSpec.from_json(text)
        with self._lock:
            if gated.spec_id not in self._known:
                (name,) = self._ledger.put([gated.to_json().encode()])
                body = {"gate": GATE, "passed": True, "spec_id": gated.spec_id, "document": name}
                self._ledger.append("gate_verdict", body)
                self._known[gated.spec_id] = gated
        return gated


@dataclass(slots=True)
class _Request:
    digest: str
    answer: Future[Answer]


class Answers:
    """Requests that came with a key, and what was answered: a repeat gets the same, and costs nothing.

    Only what is worked on now is held in memory; what was answered is read from the ledger. That a request
    begins is on the disk before it is worked on. One that was begun and whose answer a crash took is never
    worked on again: it may have cost a look.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._running: dict[str, _Request] = {}

    def begin(self, key: str, request: object) -> Future[Answer] | None:
        """None for a new key, which the caller then works on and ends; else where its answer is or will be.

        Raises
        ------
        Refusal
            ``idempotency_conflict``: the key was used for another request; ``idempotency_interrupted``.
        """
        digest = json_hash(request)
        with self._lock:
            known = self._running.get(key) or self._stored(key)
            if known is not None:
                if known.digest != digest:
                    raise Refusal(IDEMPOTENCY_CONFLICT)
                return known.answer
            body = {"tool": TOOL, "outcome": "begun", "key": key, "request": digest}
            self._ledger.append("tool_call", body)
            self._running[key] = _Request(digest, Future())
        return None

    def end(self, key: str, answer: Answer) -> None:
        """Record the answer of a key that was begun here; who waits for it hears where that fails."""
        running = self._running[key]
        try:
            self._record(key, running.digest, answer)
        except BaseException:
            running.answer.set_exception(Refusal(IDEMPOTENCY_INTERRUPTED))
            raise
        else:
            running.answer.set_result(answer)
        finally:
            with self._lock:
                del self._running[key]

    def _record(self, key: str, digest: str, answer: Answer) -> None:
        content = canonical_json({"status": answer.status, "body": answer.body}).encode()
        (name,) = self._ledger.put([content])
        outcome = "ok" if answer.status == 200 else "refused" if answer.status < 500 else "failed"
        body = {"tool": TOOL, "outcome": outcome, "key": key, "request": digest, "answer": name}
        self._ledger.append("tool_call", body)

    def _stored(self, key: str) -> _Request | None:
        """What the ledger has of a key."""
        with self._ledger.index() as index:
            bodies = [entry.body for entry in index.keyed(key) if entry.body["tool"] == TOOL]
        if not bodies:
            return None
        found = _Request(bodies[0]["request"], Future())
        ended = next((body for body in bodies if body["outcome"] != "begun"), None)
        if ended is None:
            found.answer.set_exception(Refusal(IDEMPOTENCY_INTERRUPTED))
        else:
            stored = json.loads(self._ledger.get(ended["answer"]))
            found.answer.set_result(Answer(stored["status"], stored["body"]))
        return found


def key_of(role: str, header: str) -> str:
    """The hash under which a client's key is known: keys of two roles never meet."""
    return hashlib.sha256(f"{role}\n{header}".encode()).hexdigest()
