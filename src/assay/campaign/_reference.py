"""What is made from the declaration of the keys: a commented ``campaign.toml``, its reference page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_NAMES: Final = {"mechanisms": "NAME"}
_TITLE: Final = "# A campaign. Every key is optional; values in a comment are the defaults or examples."


def campaign_template(values: Mapping[str, Any]) -> str:
    """A commented ``campaign.toml``: every key with its meaning and its default.

    Parameters
    ----------
    values : what is set, by dotted name, such as ``{"stop.max_rounds": 10}``.
    """
    from assay.campaign._models import CampaignFile
    from assay.config._reference import config_keys, table_summaries

    summaries = table_summaries(CampaignFile, _NAMES)
    lines, current = [_TITLE], ""
    for key in config_keys(CampaignFile, _NAMES):
        own = "NAME" in key.table
        if key.table != current:
            current = key.table
            lines += ["", f"# {summaries[current]}", f"# [{current}]" if own else f"[{current}]"]
        lines.append(f"# {key.description}")
        name = f"{key.table}.{key.name}"
        if name in values:
            lines.append(f"{key.name} = {_toml(values[name])}")
        else:
            # an example that says nothing still is valid TOML
            lines.append(f"# {key.name} = {key.example or json.dumps('...')}")
    return "\n".join(lines) + "\n"


def campaign_reference_markdown() -> str:
    """The page ``docs/reference/campaign.md``, generated from the declaration of the keys."""
    from assay.campaign._models import CampaignFile
    from assay.campaign._settings import MECHANISMS, MECHANISMS_ZH
    from assay.config._reference import config_keys, table_summaries

    lines = [
        "# campaign.toml",
        "",
        "A campaign is told by one file; `assay campaign init` writes one with every key in a comment. No",
        "table is required: without any, a campaign runs without a model, on the workspace's default data",
        "set. Every problem of the file is reported at once, before anything is written. This page is",
        "generated from the declaration of the keys.",
    ]
    summaries, current = table_summaries(CampaignFile, _NAMES), ""
    for key in config_keys(CampaignFile, _NAMES):
        if key.table != current:
            current = key.table
            lines += ["", f"## [{current}]", "", summaries[current], ""]
            lines += ["| key | kind | default | meaning |", "|---|---|---|---|"]
        default = key.default if key.default in ("required", "unset") else f"`{key.default}`"
        lines.append(f"| `{key.name}` | {key.kind} | {default} | {key.description} |")
    lines += ["", "## Mechanism types of Assay", "", "| name | `en` | `zh` |", "|---|---|---|"]
    lines += [f"| `{name}` | {text} | {MECHANISMS_ZH[name]} |" for name, text in MECHANISMS.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    # strings, numbers, booleans and lists of them read the same in both
    return json.dumps(value, ensure_ascii=False)
