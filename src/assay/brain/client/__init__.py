"""The platform client: asynchronous, typed."""

from assay.brain.client._blocking import BlockingClient
from assay.brain.client._cache import Cached
from assay.brain.client._catalog import DataQuery
from assay.brain.client._choices import default_settings
from assay.brain.client._client import BrainClient
from assay.brain.client._credentials import Credentials
from assay.brain.client._filter import AlphaFilter
from assay.brain.client._session import Session

__all__ = [
    "AlphaFilter",
    "BlockingClient",
    "BrainClient",
    "Cached",
    "Credentials",
    "DataQuery",
    "Session",
    "default_settings",
]
