"""A batch, or an optimisation, as a run of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.base import Operator, json_hash
from assay.brain._platform import Platform
from assay.brain._run_inputs import config_hash, data_input
from assay.brain._trials import DESK
from assay.errors import Refusal
from assay.ledger import UNKNOWN_RUN, Ledger, Run


class SearchRun:
    """Begins a run, or goes on with the one of that name, and records how it ends.

    Use as a context. It ends as finished, unless :meth:`pause` was called or an error left it: then it may
    go on.

    Parameters
    ----------
    inputs : what it runs on, JSON-ready; a run that goes on is held to it.

    Raises
    ------
    Refusal
        ``inputs_changed``; ``run_ended``: it had finished.
    """

    def __init__(self, ledger: Ledger, name: str, platform: Platform, inputs: Mapping[str, Any]) -> None:
        self._run = ledger.run(name)
        self._operator = Operator.human()
        hashes = {name: json_hash(value) for name, value in inputs.items()}
        self._inputs = {**data_input(platform), **hashes}
        self._finished = True

    def __enter__(self) -> Run:
        config = config_hash(self._inputs)
        if self._begun():
            self._run.resume(self._operator, config, self._inputs)
        else:
            self._run.start(DESK, self._operator, config, self._inputs)
        return self._run

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None and self._finished:
            self._run.stop("finished")
        elif kind is None or issubclass(kind, (KeyboardInterrupt, Exception)):
            self._run.stop("stopped")
        else:
            self._run.stop("failed")

    def pause(self) -> None:
        """It ends for now, and may go on."""
        self._finished = False

    def _begun(self) -> bool:
        try:
            self._run.state()
        except Refusal as refusal:
            if refusal.reason is UNKNOWN_RUN:
                return False
            raise
        return True
