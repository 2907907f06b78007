from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from assay.base import OperatorKind
from assay.errors import AssayError
from assay.tools import Caller, Failed, Outcome, Registry, Tool

_log = logging.getLogger("assay.mcp")


class Offer(Protocol):
    """What a server offers: a registry, or one that is still being opened."""

    def tools(self, caller: OperatorKind | None = None) -> tuple[Tool, ...]:
        """The tools of such a caller, sorted by id."""
        ...

    def call(self, tool_id: str, raw_arguments: str | Mapping[str, Any], caller: Caller) -> Outcome:
        """Call a tool; nothing is raised."""
        ...


class LateOffer:
    """A registry whose tools are listed at once, and whose data is opened for the first call.

    A client waits for the list before it shows anything, and reading a data set takes longer than that.

    Parameters
    ----------
    shown : a registry of the same tools without what stands behind them.
    make : opens the whole one. Where it fails calls fail, the log says why, and the next call tries again.
    """

    def __init__(self, shown: Registry, make: Callable[[], Registry]) -> None:
        self._shown, self._make = shown, make
        self._lock = threading.Lock()
        self._opened: Registry | None = None

    def tools(self, caller: OperatorKind | None = None) -> tuple[Tool, ...]:
        """See :class:`Offer`."""
        return self._shown.tools(caller)

    def call(self, tool_id: str, raw_arguments: str | Mapping[str, Any], caller: Caller) -> Outcome:
        """See :class:`Offer`."""
        try:
            return self.open().call(tool_id, raw_arguments, caller)
        except AssayError as error:
            _log.error("nothing can be served: %s", error.as_dict())
            return Failed(cause=type(error).__name__)

    def open(self) -> Registry:
        """The whole registry, opened by the first who asks; the others wait."""
        with self._lock:
            if self._opened is None:
                self._opened = self._make()
            return self._opened
