"""Tools of the group ``brain``: what a model may ask of a platform, a knowledge base and the web."""

from assay.brain.tools._desk import BrainDesk, KnowledgeStore
from assay.brain.tools._group import brain_tools
from assay.brain.tools._https import HttpsWeb, WebRules
from assay.brain.tools._knowledge import knowledge_entry
from assay.brain.tools._web import WebHit, WebPage, WebProvider, as_data

__all__ = [
    "BrainDesk",
    "HttpsWeb",
    "KnowledgeStore",
    "WebHit",
    "WebPage",
    "WebProvider",
    "WebRules",
    "as_data",
    "brain_tools",
    "knowledge_entry",
]
