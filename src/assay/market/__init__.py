"""Markets: panels of dates x instruments, how they are stored, made, imported and examined."""

from assay.market._append import append
from assay.market._attach import Sides, attach
from assay.market._data import (
    EVENT_DTYPE,
    Group,
    MarketData,
    Minutes,
    Planted,
    PriceLimits,
    Quarantined,
    Source,
)
from assay.market._doctor import Finding, doctor, examine, quarantine
from assay.market._fields import BAR_FIELDS, STANDARD_FIELDS, field_info
from assay.market._import import Imported, TableOptions, import_table
from assay.market._manifest import Manifest, manifest_schema, read_manifest
from assay.market._own_fields import OwnField
from assay.market._panel import ALL, Panel
from assay.market._problems import DataProblems
from assay.market._qlib import import_qlib
from assay.market._reasons import REASONS
from assay.market._side_tables import (
    OVERLAP_RULES,
    UNKNOWN_START_RULES,
    GroupSource,
    MembershipSource,
)
from assay.market._simulate import simulate
from assay.market._sources import BaoStockClient, BarClient, Bars, YahooClient, download
from assay.market._store import open_panel, rewrite_dataset, verify, write_dataset
from assay.market._trading import LISTED_BEFORE, Fill, Trading, previous_close
from assay.market._universe import Span, Universe, universe_from_mask, universe_from_spans
from assay.market._update import extend, update

__all__ = [
    "OwnField",
    "OVERLAP_RULES",
    "UNKNOWN_START_RULES",
    "update",
    "extend",
    "download",
    "YahooClient",
    "Bars",
    "BarClient",
    "BaoStockClient",
    "import_qlib",
    "Sides",
    "attach",
    "append",
    "MembershipSource",
    "GroupSource",
    "DataProblems",
    "import_table",
    "TableOptions",
    "Imported",
    "quarantine",
    "examine",
    "doctor",
    "Finding",
    "ALL",
    "BAR_FIELDS",
    "EVENT_DTYPE",
    "LISTED_BEFORE",
    "REASONS",
    "STANDARD_FIELDS",
    "Fill",
    "Group",
    "Manifest",
    "MarketData",
    "Minutes",
    "Panel",
    "Planted",
    "PriceLimits",
    "Quarantined",
    "Source",
    "Span",
    "Trading",
    "Universe",
    "field_info",
    "manifest_schema",
    "open_panel",
    "previous_close",
    "read_manifest",
    "rewrite_dataset",
    "simulate",
    "universe_from_mask",
    "universe_from_spans",
    "verify",
    "write_dataset",
]
