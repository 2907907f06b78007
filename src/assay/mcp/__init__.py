"""The tools over the Model Context Protocol: for agents outside, over stdio or streamable HTTP.

Serving needs the extra ``server``; the tools themselves, :func:`surface`, do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names

__all__ = [
    "Attached",
    "Callers",
    "HttpSettings",
    "LateOffer",
    "NameStyle",
    "Offer",
    "Parts",
    "RegistryOffer",
    "WireNames",
    "bare_surface",
    "build_server",
    "catalogue",
    "catalogue_text",
    "catalogued",
    "http_app",
    "serve_stdio",
    "surface",
]

# the SDK comes with an extra, and is slow to import
__getattr__ = lazy_names(
    __name__,
    {
        "._callers": ("Callers",),
        "._catalogue": ("catalogue", "catalogue_text"),
        "._http": ("HttpSettings", "http_app"),
        "._listing": ("catalogued",),
        "._names": ("NameStyle", "WireNames"),
        "._offer": ("LateOffer", "Offer", "RegistryOffer"),
        "._parts": ("Parts",),
        "._server": ("build_server",),
        "._stdio": ("serve_stdio",),
        "._surface": ("Attached", "bare_surface", "surface"),
    },
)

if TYPE_CHECKING:
    from assay.mcp._callers import Callers
    from assay.mcp._catalogue import catalogue, catalogue_text
    from assay.mcp._http import HttpSettings, http_app
    from assay.mcp._listing import catalogued
    from assay.mcp._names import NameStyle, WireNames
    from assay.mcp._offer import LateOffer, Offer, RegistryOffer
    from assay.mcp._parts import Parts
    from assay.mcp._server import build_server
    from assay.mcp._stdio import serve_stdio
    from assay.mcp._surface import Attached, bare_surface, surface
