"""What a model is told of a session: bounded texts, the most relevant first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from assay.base import canonical_json
from assay.brain._platform import Platform
from assay.brain._result import JobResult
from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain._wire import Check, OperatorInfo
from assay.brain.agent._criteria import unmet
from assay.brain.agent._types import Briefing, Direction, KnowledgeEntry
from assay.brain.search import diagnose
from assay.config import BrainAgentSettings

_NONE: Final = "(none)"
_LINE: Final = 1200
_SECTION: Final = 16_000
_KNOWLEDGE: Final = 20
_DATA_SETS: Final = 40
_SHOWN: Final = 40


def operator_lines(operators: Iterable[OperatorInfo]) -> str:
    """The definitions of operators, a category a line."""
    grouped: dict[str, list[str]] = {}
    for item in operators:
        grouped.setdefault(item.category or "Other", []).append(item.definition or item.name)
    return lines((f"- {name}: {'; '.join(texts)}" for name, texts in grouped.items()), line=6000)


def settings_text(choices: SettingsChoices, settings: SimulationSettings) -> str:
    """The session's settings, and what each may be."""
    offered = {
        "region": list(choices.regions),
        "universe": {region: list(names) for region, names in choices.universes.items()},
        "delay": {region: list(values) for region, values in choices.delays.items()},
        "neutralization": {region: list(names) for region, names in choices.neutralizations.items()},
        "decay": "0 to 512",
        "truncation": "0 to 1",
    }
    return f"{canonical_json(settings.wire())}; choices: {canonical_json(offered)}"


def criteria(settings: BrainAgentSettings) -> str:
    """What an alpha has to reach."""
    return (
        f"Sharpe >= {settings.min_sharpe:g}, fitness >= {settings.min_fitness:g}, "
        f"{settings.min_turnover:.0%} <= turnover <= {settings.max_turnover:.0%}, and no check FAIL "
        f"(target: Sharpe {settings.target_sharpe:g})"
    )


def data_set_lines(platform: Platform) -> str:
    """The platform's data sets, one a line."""
    listed = platform.data_sets()
    rows = [
        canonical_json({"id": item.id, "name": item.name, "fields": item.field_count})
        for item in listed[:_DATA_SETS]
    ]
    if len(listed) > _DATA_SETS:
        rows.append(f"and {len(listed) - _DATA_SETS} more: brain.list_datasets")
    return lines(rows)


def knowledge_lines(entries: Sequence[KnowledgeEntry]) -> str:
    """Entries of the knowledge base, one a line."""
    rows = (
        canonical_json({"topic": item.topic, "insight": item.insight, "tags": list(item.tags)})
        for item in entries[:_KNOWLEDGE]
    )
    return lines(rows)


def direction_lines(directions: Sequence[Direction]) -> str:
    """Directions, one a line; those that live first."""
    rows = [
        canonical_json(
            {
                "direction_id": item.id,
                "hypothesis": item.hypothesis[:300],
                "approach": item.approach[:200],
                "target_check": item.target_check,
                "rounds": item.rounds,
                "improvements": item.improvement_count,
                "best_sharpe": item.best_sharpe,
                "abandoned": item.abandoned,
            }
        )
        for item in sorted(directions, key=lambda item: item.abandoned)
    ]
    return lines(rows)


def result_lines(results: Sequence[JobResult], settings: BrainAgentSettings, base: SimulationSettings) -> str:
    """Results, the best first, as far as they have room; then how many are left out."""
    known = [item for item in results if item.sharpe is not None]
    known.sort(key=lambda item: (len(unmet(item, settings)), -(item.sharpe or 0.0)))
    failed = [item for item in results if item.sharpe is None]
    shown = (known + failed[::-1])[:_SHOWN]
    rows = [result_line(item, base) for item in shown]
    if len(results) > len(shown):
        rows.append(f"and {len(results) - len(shown)} more")
    return lines(rows)


def result_line(item: JobResult, base: SimulationSettings) -> str:
    """One result as JSON: what was asked, its figures, what failed."""
    request = item.proposal.request
    own, usual = request.settings.wire(), base.wire()
    told: dict[str, object] = {
        "job_id": item.job,
        "direction_id": item.proposal.direction,
        "expression": request.regular,
        "settings": {name: value for name, value in own.items() if usual.get(name) != value},
    }
    if item.stats is not None:
        told |= {"sharpe": item.sharpe, "fitness": item.fitness, "turnover": item.turnover}
        told |= {"returns": item.stats.returns, "drawdown": item.stats.drawdown}
        told["failing"] = [_check(check) for check in item.checks if check.result in ("FAIL", "ERROR")]
        told["pending"] = list(item.pending)
    if item.failure is not None:
        place = item.failure.place
        told["error"] = item.failure.message
        told["place"] = None if place is None else [place.line, place.start, place.end]
    return canonical_json(told)


def advice_lines(briefing: Briefing) -> str:
    """What the diagnosis says of the best of each direction that lives."""
    rows = []
    for direction in briefing.directions:
        own = [
            item
            for item in briefing.results
            if item.proposal.direction == direction.id and item.sharpe is not None
        ]
        if direction.abandoned or not own:
            continue
        best = max(own, key=lambda item: item.sharpe or 0.0)
        said = "; ".join(
            f"{finding.message} -> {', '.join(finding.rules[:4])}" for finding in diagnose(best).findings
        )
        rows.append(f"- {direction.id}, {best.job}: {said or 'nothing'}")
    return lines(rows)


def lines(rows: Iterable[str], line: int = _LINE) -> str:
    """Rows one a line, each cut, and as many as have room."""
    found: list[str] = []
    left = _SECTION
    for row in rows:
        text = " ".join(row.split())
        text = text if len(text) <= line else f"{text[: line - 3]}..."
        left -= len(text) + 1
        if left < 0:
            found.append("...")
            break
        found.append(text)
    return "\n".join(found) or _NONE


def quoted(text: str, most: int = 4000) -> str:
    """A text of the user as one JSON string, cut."""
    return canonical_json(text[:most]) if text.strip() else _NONE


def _check(check: Check) -> dict[str, object]:
    return {"name": check.name, "value": check.value, "limit": check.limit}
