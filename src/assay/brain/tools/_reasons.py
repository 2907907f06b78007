"""Reasons of the tools of the group ``brain``."""

from typing import Final

from assay.errors import Reason

NO_PLATFORM: Final = Reason(
    "no_platform", "no platform is attached here", "ask the operator to attach one, or the local simulator"
)
NO_KNOWLEDGE_BASE: Final = Reason(
    "no_knowledge_base", "no knowledge base is attached here", "go on without it"
)
UNKNOWN_DATA_SET: Final = Reason(
    "unknown_data_set", "the platform lists no such data set", "take an id that brain.list_datasets gives"
)
UNKNOWN_FIELD: Final = Reason(
    "unknown_field", "the data set has no such field", "take an id that brain.list_fields gives"
)
UNKNOWN_OPERATOR: Final = Reason(
    "unknown_operator", "the platform lists no such operator", "take a name that brain.search_operators gives"
)
UNKNOWN_SETTING: Final = Reason(
    "unknown_setting", "a simulation has no such setting", "take a name that brain.get_setting_schema gives"
)
NOT_LISTED: Final = Reason(
    "host_not_listed",
    "the address is not one that may be read here: https, a host of web_hosts, a public address",
    "read a page of a host that the tool's description lists",
)
UNREADABLE_PAGE: Final = Reason(
    "unreadable_page", "the page could not be read as text within the limits", "try another page"
)
NO_SEARCH: Final = Reason(
    "no_search",
    "none of the hosts that may be read has a search that is known here",
    "use brain.fetch_webpage",
)
