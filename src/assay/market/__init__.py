"""Markets: panels of dates x instruments, how they are stored, made, imported and examined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names
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
from assay.market._digest import data_digest
from assay.market._fields import BAR_FIELDS, STANDARD_FIELDS, field_info
from assay.market._manifest import Manifest, manifest_schema, read_manifest
from assay.market._own_fields import OwnField
from assay.market._panel import ALL, Panel
from assay.market._problems import DataProblems
from assay.market._reasons import REASONS
from assay.market._store import open_panel, rewrite_dataset, verify, write_dataset
from assay.market._trading import LISTED_BEFORE, Fill, Trading, previous_close
from assay.market._universe import Span, Universe, universe_from_mask, universe_from_spans

# opening and judging a panel needs none of these
_HOMES = {
    "._append": ("append",),
    "._attach": ("Sides", "attach"),
    "._baostock": ("BaoStockClient",),
    "._bar_checks": ("quarantine",),
    "._doctor": ("doctor", "examine"),
    "._fetch": ("FetchIncomplete", "Fetched", "fetch", "outcome_summary"),
    "._fetch_client": ("SOURCES", "BarClient", "Bars", "Snapshot"),
    "._fetch_pace": ("Pace",),
    "._fetch_partial": ("FetchPlan", "Outcome", "begun_plan", "partial_folder"),
    "._findings": ("Finding",),
    "._import": ("Imported", "TableOptions", "import_table"),
    "._qlib": ("import_qlib",),
    "._qlib_export": ("Exported", "export_qlib"),
    "._side_tables": ("OVERLAP_RULES", "UNKNOWN_START_RULES", "GroupSource", "MembershipSource"),
    "._simulate": ("simulate",),
    "._truncate": ("names_later", "truncate"),
    "._update": ("extend", "update"),
    "._yahoo": ("YahooClient",),
}

__all__ = [
    "OwnField",
    "OVERLAP_RULES",
    "UNKNOWN_START_RULES",
    "update",
    "extend",
    "Exported",
    "FetchIncomplete",
    "FetchPlan",
    "Fetched",
    "Outcome",
    "Pace",
    "SOURCES",
    "Snapshot",
    "begun_plan",
    "export_qlib",
    "fetch",
    "outcome_summary",
    "partial_folder",
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
    "data_digest",
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
    "names_later",
    "open_panel",
    "previous_close",
    "read_manifest",
    "rewrite_dataset",
    "simulate",
    "truncate",
    "universe_from_mask",
    "universe_from_spans",
    "verify",
    "write_dataset",
]

if TYPE_CHECKING:
    from assay.market._append import append as append
    from assay.market._attach import Sides as Sides
    from assay.market._attach import attach as attach
    from assay.market._baostock import BaoStockClient as BaoStockClient
    from assay.market._bar_checks import quarantine as quarantine
    from assay.market._doctor import doctor as doctor
    from assay.market._doctor import examine as examine
    from assay.market._fetch import Fetched as Fetched
    from assay.market._fetch import FetchIncomplete as FetchIncomplete
    from assay.market._fetch import fetch as fetch
    from assay.market._fetch import outcome_summary as outcome_summary
    from assay.market._fetch_client import SOURCES as SOURCES
    from assay.market._fetch_client import BarClient as BarClient
    from assay.market._fetch_client import Bars as Bars
    from assay.market._fetch_client import Snapshot as Snapshot
    from assay.market._fetch_pace import Pace as Pace
    from assay.market._fetch_partial import FetchPlan as FetchPlan
    from assay.market._fetch_partial import Outcome as Outcome
    from assay.market._fetch_partial import begun_plan as begun_plan
    from assay.market._fetch_partial import partial_folder as partial_folder
    from assay.market._findings import Finding as Finding
    from assay.market._import import Imported as Imported
    from assay.market._import import TableOptions as TableOptions
    from assay.market._import import import_table as import_table
    from assay.market._qlib import import_qlib as import_qlib
    from assay.market._qlib_export import Exported as Exported
    from assay.market._qlib_export import export_qlib as export_qlib
    from assay.market._side_tables import OVERLAP_RULES as OVERLAP_RULES
    from assay.market._side_tables import UNKNOWN_START_RULES as UNKNOWN_START_RULES
    from assay.market._side_tables import GroupSource as GroupSource
    from assay.market._side_tables import MembershipSource as MembershipSource
    from assay.market._simulate import simulate as simulate
    from assay.market._truncate import names_later as names_later
    from assay.market._truncate import truncate as truncate
    from assay.market._update import extend as extend
    from assay.market._update import update as update
    from assay.market._yahoo import YahooClient as YahooClient

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
