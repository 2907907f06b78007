"""What ``assay data`` prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._output import print_json, say

_SHOWN = 10

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.market import Fetched, Finding, Imported, Manifest, MarketData, Panel


def summary(manifest: Manifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        "source": manifest.source.kind,
        "simulated": manifest.simulated,
        "instruments": manifest.instruments.count,
        "dates": manifest.dates.count,
        "first": manifest.dates.first,
        "last": manifest.dates.last,
        "universes": list(manifest.universes),
        "created": manifest.created,
        "fingerprint": manifest.fingerprint,
    }


def line(manifest: Manifest) -> str:
    dates, universes = manifest.dates, ", ".join(manifest.universes)
    return (
        f"{manifest.name:<16} {manifest.source.kind:<10} {manifest.instruments.count:>6} instruments  "
        f"{dates.count:>5} dates {dates.first} to {dates.last}"
        + (f"  universes: {universes}" if universes else "")
    )


def describe(manifest: Manifest, folder: Path) -> list[str]:
    """A data set's manifest as lines for a terminal."""
    lines = [
        f"{manifest.name} ({folder})",
        f"  source: {manifest.source.kind}"
        + (" - simulated, nothing in it is real" if manifest.simulated else ""),
        f"  created: {manifest.created}",
        f"  dates: {manifest.dates.count}, {manifest.dates.first} to {manifest.dates.last}",
        f"  instruments: {manifest.instruments.count}; ended earlier: {manifest.instruments.ended}",
        f"  market: {manifest.market or 'none'}; price limits: {manifest.limits.rule}",
        "  fields:",
    ]
    for field, entry in manifest.fields.items():
        exponent = "?" if entry.exponent is None else f"{entry.exponent:g}"
        origin = f" = {entry.derived}" if entry.derived else ""
        lines.append(f"    {field:<18} {entry.kind:<7} exponent {exponent:<3} {entry.unit}{origin}")
    if "factor" not in manifest.fields:
        lines.append("  no adjustment factor: splits and dividends look like losses")
    for group, labels in manifest.groups.items():
        lines.append(f"  group {group}: {_counted(len(labels.labels), 'label')}; {labels.description}")
    for universe, spans in manifest.universes.items():
        other = f" (also {', '.join(spans.aliases)})" if spans.aliases else ""
        lines.append(
            f"  universe {universe}{other}: {_counted(spans.spans, 'span')}, "
            f"known until {spans.known_until}; "
            f"{_counted(len(spans.unknown_members), 'member')} without data"
        )
    lines += [f"  events {series}: {count}" for series, count in manifest.events.items()]
    lines += [f"  rule: {rule}" for rule in manifest.rules]
    lines += [f"  filter: {kept}" for kept in manifest.filters]
    if manifest.quarantine.count:
        reasons = ", ".join(f"{reason} {count}" for reason, count in manifest.quarantine.by_reason.items())
        lines.append(
            f"  quarantined bars: {manifest.quarantine.count} ({reasons}), in {manifest.quarantine.file}"
        )
    lines += [
        f"  planted: {item.name}: {item.expression}  (IC {item.ic:g} over {item.horizon} bars)"
        for item in manifest.planted
    ]
    lines.append(f"  fingerprint: {manifest.fingerprint}")
    return lines


def tell_written(panel: Panel, folder: Path, *, as_json: bool, lost: Sequence[str] = ()) -> None:
    if as_json:
        print_json({**summary(panel.manifest), "folder": str(folder), "left_behind": list(lost)})
        return
    say(f"stored in {folder}")
    say(line(panel.manifest))
    for series in lost:
        say(f"  event series {series} was not carried over: give it again with --events {series}=FILE")


def tell_imported(taken: Imported, panel: Panel | None, folder: Path, *, as_json: bool) -> None:
    data = taken.data
    if as_json:
        print_json(
            {
                "written": panel is not None,
                "folder": str(folder) if panel is not None else None,
                **(summary(panel.manifest) if panel is not None else _shape(data)),
                "columns": dict(taken.columns),
                "left_out": list(taken.left_out),
                "findings": [finding.as_dict() for finding in taken.findings],
                "quarantined": len(data.quarantined),
            }
        )
        return
    if taken.columns:
        say("columns: " + ", ".join(f"{field}={column}" for field, column in taken.columns.items()))
    unknown = [field for field, info in data.infos.items() if info.exponent is None]
    if unknown:
        say(f"adjustment exponent unknown: {', '.join(unknown)} (tell it with --exponent FIELD=NUMBER)")
    if taken.left_out:
        say(f"left out, not numbers: {', '.join(taken.left_out)} (labels: --groups NAME=FILE:COLUMN)")
    for text in finding_lines(taken.findings):
        say(text)
    if data.quarantined:
        say(f"quarantined: {_counted(len(data.quarantined), 'bar')} set missing, listed in the manifest")
    if panel is None:
        say("dry run: nothing was written")
        return
    tell_written(panel, folder, as_json=False)


def tell_fetched(done: Fetched, folder: Path, *, as_json: bool) -> None:
    from assay.market import outcome_summary

    told = outcome_summary(done.outcomes)
    if as_json:
        print_json(
            {
                **summary(done.panel.manifest),
                "folder": str(folder),
                "symbols": told,
                "known_until": {
                    name: entry.known_until for name, entry in done.panel.manifest.universes.items()
                },
                "findings": [finding.as_dict() for finding in done.findings],
                "quarantined": done.panel.manifest.quarantine.count,
            }
        )
        return
    say(f"{_counted(told['arrived'], 'symbol')} arrived")
    for word, what in (("empty", "no bars"), ("failed", "missing"), ("notes", "note")):
        for symbol, reason in list(told[word].items())[:_SHOWN]:
            say(f"  {what}: {symbol}: {reason if isinstance(reason, str) else '; '.join(reason)}")
        if len(told[word]) > _SHOWN:
            say(f"  {what}: {len(told[word]) - _SHOWN:,} more, in the manifest")
    for text in finding_lines(done.findings):
        say(text)
    quarantined = done.panel.manifest.quarantine.count
    if quarantined:
        say(f"quarantined: {_counted(quarantined, 'bar')} set missing, listed in the manifest")
    for name, entry in done.panel.manifest.universes.items():
        say(f"universe {name}: known until {entry.known_until}")
    tell_written(done.panel, folder, as_json=False)


def _shape(data: MarketData) -> dict[str, Any]:
    return {
        "name": data.name,
        "source": data.source.kind,
        "instruments": len(data.instruments),
        "dates": len(data.dates),
        "first": str(data.dates[0]),
        "last": str(data.dates[-1]),
        "universes": list(data.universes),
    }


def finding_lines(findings: Sequence[Finding]) -> list[str]:
    """Findings as lines for a terminal, the serious ones first."""
    lines: list[str] = []
    for finding in findings:
        # a finding without places says in words what it counts
        times = f"{finding.count:,} x " if finding.examples else ""
        lines.append(f"{finding.severity}: {finding.check}: {times}{finding.message}")
        lines += [f"    {example}" for example in finding.examples]
        if finding.examples and finding.count > len(finding.examples):
            lines.append(f"    and {finding.count - len(finding.examples):,} more")
    return lines


def tell_findings(target: str, findings: Sequence[Finding], *, as_json: bool) -> None:
    serious = sum(finding.severity == "serious" for finding in findings)
    if as_json:
        listed = [finding.as_dict() for finding in findings]
        print_json({"target": target, "serious": serious, "findings": listed})
        return
    for text in finding_lines(findings):
        say(text)
    others = len(findings) - serious
    say(f"{target}: {_counted(serious, 'serious finding')}, {_counted(others, 'other')}")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
