"""Which dates of a campaign's data were seen by whom, as the ledger tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from assay.base import Operator
from assay.campaign._prepare import Market
from assay.campaign._settings import CampaignConfig
from assay.ledger import Run


def periods_seen(
    market: Market, run: Run, config: CampaignConfig, operator: Operator
) -> tuple[dict[str, Any], ...]:
    """The periods with their dates, and who read them: the loop, people, programs; JSON-ready.

    Looks of other workspaces, and of those who opened the files themselves, nobody has written down.
    """
    from assay.judge.training import training_end

    end = training_end(market.panel, market.plan, market.settings)
    start = next(run.entries(kind="run_start")).body["operator"]
    loop = {"who": start, "roles": asdict(config.roles), "how": "each round of the campaign"}
    search = market.plan.search
    after = market.panel.dates[market.panel.dates > np.datetime64(end, "D")]
    found: list[dict[str, Any]] = [
        {"period": "training", "start": str(search.start), "end": str(end), "by": [loop]},
        {
            "period": "validate",
            "start": str(after[0]) if len(after) else None,
            "end": str(search.end),
            "by": [{"who": operator.as_dict(), "how": "penalties and weights of the portfolios"}],
        },
    ]
    looks = _looks(run, market.panel.name)
    for name, period in market.plan.periods():
        if name != "search":
            by = [
                {"who": dict(who), "how": f"{count} {'look' if count == 1 else 'looks'}"}
                for (kind, who), count in looks.items()
                if kind == name
            ]
            found.append({"period": name, "start": str(period.start), "end": str(period.end), "by": by})
    return tuple(found)


def _looks(run: Run, data: str) -> Mapping[tuple[str, tuple[tuple[str, Any], ...]], int]:
    counted: Counter[tuple[str, tuple[tuple[str, Any], ...]]] = Counter()
    for entry in run.ledger.entries(kind="look"):
        if entry.body["data"] == data:
            counted[entry.body["period"], tuple(sorted(entry.body["operator"].items()))] += 1
    return counted
