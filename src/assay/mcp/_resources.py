"""Notes, certificates, runs and campaigns as resources: each is read through its tool, and so its guard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, unquote

from mcp_types import INTERNAL_ERROR, ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from assay.mcp._faults import SERVER_FAILED, UNKNOWN_RESOURCE, protocol_fault
from assay.mcp._offer import Offer
from assay.tools import Caller, Failed, Ok

_JSON: Final = "application/json"
_ROWS: Final = 100
_LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of resource: the tool that lists them, the one that reads one, and how rows name themselves.

    ``key`` is the column of the list and the argument of the read; ``pages`` says whether the list has pages.
    """

    name: str
    description: str
    list_tool: str
    read_tool: str
    key: str
    asked: Mapping[str, Any] = field(default_factory=dict)
    pages: bool = True

    def uri(self, key: str) -> str:
        """The address of one."""
        return f"assay://{self.name}/{quote(key, safe='')}"

    @property
    def template(self) -> ResourceTemplate:
        """How their addresses are made."""
        return ResourceTemplate(
            name=self.name,
            uri_template=f"assay://{self.name}/{{{self.key}}}",
            description=self.description,
            mime_type=_JSON,
        )


KINDS: Final = (
    Kind(
        "notes",
        "A published research note, which can be cited as note:<slug>.",
        "writing.list_notes",
        "writing.get_note",
        "slug",
        pages=False,
    ),
    Kind(
        "certificates",
        "What a certificate says of a factor that was judged on the search period.",
        "certificate.list",
        "certificate.get",
        "certificate",
    ),
    Kind("runs", "Where a run stands, and what it recorded.", "run.list", "run.status", "run"),
    Kind(
        "campaigns",
        "How far a campaign has come.",
        "run.list",
        "campaign.status",
        "run",
        {"desk": "campaign"},
    ),
)


class Resources:
    """The resources of an offer; kinds whose tools it lacks do not exist."""

    def __init__(self, offer: Offer) -> None:
        known = {tool.name for tool in offer.listed()}
        self._offer = offer
        self._kinds = tuple(kind for kind in KINDS if {kind.list_tool, kind.read_tool} <= known)

    def templates(self) -> list[tuple[str, ResourceTemplate]]:
        """Templates by their address, sorted."""
        return sorted(((kind.template.uri_template, kind.template) for kind in self._kinds), key=_key)

    def listed(self, caller: Caller) -> list[tuple[str, Resource]]:
        """All resources by their address, sorted; a kind whose store is absent or damaged has none."""
        found = {
            kind.uri(key): Resource(
                name=f"{kind.name}/{key}", uri=kind.uri(key), description=kind.description, mime_type=_JSON
            )
            for kind in self._kinds
            for key in self._keys(kind, caller)
        }
        return sorted(found.items())

    def keys(self, name: str, caller: Caller) -> list[str]:
        """Keys of the first kind whose variable has this name, such as all certificates."""
        kind = next((kind for kind in self._kinds if kind.key == name), None)
        return [] if kind is None else list(self._keys(kind, caller))

    def keys_of_template(self, template: str, variable: str, caller: Caller) -> list[str] | None:
        """Keys that a template may be filled with; None where there is no such template."""
        kind = next((kind for kind in self._kinds if kind.template.uri_template == template), None)
        if kind is None:
            return None
        return list(self._keys(kind, caller)) if variable == kind.key else []

    def _keys(self, kind: Kind, caller: Caller) -> Iterator[str]:
        offset: int | None = 0
        while offset is not None:
            page = {"limit": _ROWS, "offset": offset} if kind.pages else {}
            outcome = self._offer.call(kind.list_tool, {**kind.asked, **page}, caller)
            if not isinstance(outcome, Ok):
                return
            yield from (row[kind.key] for row in outcome.result["rows"])
            offset = outcome.result["next_offset"] if kind.pages else None

    def read(self, uri: str, caller: Caller) -> ReadResourceResult:
        """One resource, as the result of its tool in JSON.

        Raises
        ------
        MCPError
            There is none of this address; what its tool refused stands in ``data.cause``.
        """
        kind, key = self._found(uri)
        outcome = self._offer.call(kind.read_tool, {kind.key: key}, caller).face()
        if isinstance(outcome, Ok):
            text = json.dumps(outcome.result, ensure_ascii=False, indent=1)
            return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_JSON, text=text)])
        if isinstance(outcome, Failed):
            raise protocol_fault(SERVER_FAILED, outcome.message, code=INTERNAL_ERROR, uri=uri)
        raise protocol_fault(UNKNOWN_RESOURCE, outcome.message, uri=uri, cause=outcome.reason)

    def _found(self, uri: str) -> tuple[Kind, str]:
        for kind in self._kinds:
            prefix = kind.uri("")
            if uri.startswith(prefix) and len(uri) <= _LONGEST:
                key = unquote(uri.removeprefix(prefix))
                if kind.uri(key) == uri:  # one address for each, and no parts that climb
                    return kind, key
        raise protocol_fault(UNKNOWN_RESOURCE, uri=uri[:_LONGEST])


def _key(pair: tuple[str, object]) -> str:
    return pair[0]
