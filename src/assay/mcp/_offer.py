from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mcp_types import Tool as WireTool

from assay.errors import AssayError
from assay.mcp._listing import wire_tool
from assay.tools import Caller, Failed, Outcome, Registry

_log = logging.getLogger("assay.mcp")


class Offer(Protocol):
    """What a server offers to agents."""

    def listed(self) -> Sequence[WireTool]:
        """The tools, named by their ids."""
        ...

    def call(self, tool_id: str, raw_arguments: str | Mapping[str, Any], caller: Caller) -> Outcome:
        """Call a tool; nothing is raised."""
        ...


class RegistryOffer:
    """What a registry has for agents."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def listed(self) -> Sequence[WireTool]:
        """See :class:`Offer`."""
        return [wire_tool(tool) for tool in self._registry.tools("agent")]

    def call(self, tool_id: str, raw_arguments: str | Mapping[str, Any], caller: Caller) -> Outcome:
        """See :class:`Offer`."""
        return self._registry.call(tool_id, raw_arguments, caller)


class LateOffer:
    """A registry whose tools are listed at once, and which is opened for the first call.

    A client waits for the list before it shows anything; to import the desks and to read a data set takes
    longer than that.

    Parameters
    ----------
    listed : the tools of that registry, named by their ids; see :func:`assay.mcp.catalogued`.
    make : opens it. Where it fails calls fail, the log says why, and the next call tries again.
    """

    def __init__(self, listed: Sequence[WireTool], make: Callable[[], Registry]) -> None:
        self._listed, self._make = listed, make
        self._lock = threading.Lock()
        self._opened: Registry | None = None

    def listed(self) -> Sequence[WireTool]:
        """See :class:`Offer`."""
        return self._listed

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
