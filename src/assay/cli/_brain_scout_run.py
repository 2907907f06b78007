"""What ``assay brain scout`` does."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.cli._brain_templates_run import opened, table
from assay.cli._output import print_json, say

if TYPE_CHECKING:
    from assay.brain.scout import Ranked
    from assay.brain.search import StoredResult

_SHOWN_ROWS: Final = 12


def scout_data(
    local: bool,
    data: str | None,
    data_set: str | None,
    limit: int,
    language: str,
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Where to look next."""
    from assay.brain.scout import scout
    from assay.brain.search import ResultStore

    with opened(local, data, folder) as (platform, workspace):
        if data_set is not None:
            from assay.brain import require_fields

            require_fields(platform, data_set)
        stored: tuple[StoredResult, ...] = ()
        if workspace is not None:
            with ResultStore(workspace.brain_dir / "results.sqlite") as store:
                stored = store.rows(platform=platform.name)
        report = scout(
            platform, stored, data_set=data_set, language="zh" if language == "zh" else "en", most=limit
        )
    if as_json:
        print_json(asdict(report))
        return
    simulated = " (simulated)" if report.simulated else ""
    say(f"{report.platform}{simulated}: {len(stored)} results so far")
    head = ("score", "coverage", "alphas", "tried", "best sharpe")
    table(("data set", *head), [(row.id, *_cells(row)) for row in report.data_sets])
    say("")
    fields = report.fields[:_SHOWN_ROWS]
    table(("field", *head, "what"), [(row.id, *_cells(row), row.description) for row in fields])
    say("")
    for idea in report.ideas:
        say(f"{idea.expression}")
        say(f"  {idea.data_set}.{idea.field}, {idea.family}: {idea.hypothesis}")


def _cells(row: Ranked) -> tuple[str, ...]:
    best = "-" if row.best is None else f"{row.best:.2f}"
    coverage = "-" if row.coverage is None else f"{row.coverage:.0%}"
    alphas = row.alphas if row.alphas is not None else row.users
    return f"{row.score:.2f}", coverage, "-" if alphas is None else str(alphas), str(row.tried), best
