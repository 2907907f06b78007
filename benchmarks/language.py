"""What the language reads of the public collections of formulas, why it refuses the rest, and how fast it is.

    python benchmarks/language.py [--data DIR] [--list] [--json]

``--data`` is a folder with the collections; see ``FILES`` for their names. Three counts for each file:
*parsed* (the grammar holds), *typed* (names, arity, kinds, literals) and *runnable* (windows, look-ahead,
lookback, fields). Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import ExpressionError
from assay.expr import (
    STANDARD_FIELDS,
    Check,
    DialectName,
    FieldInfo,
    check,
    parse,
    parse_syntax,
    to_text,
    write,
)

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "expressions"


@dataclass(frozen=True)
class Collection:
    """One file: its dialect, whether a name and a tab come before each formula, and how many should parse.

    ``prose`` names entries counted in the target that turn out to be half prose, and so no formulas.
    """

    file: str
    dialect: DialectName
    named: bool
    target: int
    prose: tuple[str, ...] = ()


FILES = (
    Collection("fastexpr_official.txt", "fastexpr", False, 3189),
    Collection("fastexpr_extended.txt", "fastexpr", False, 78),
    Collection("fastexpr_legacy.txt", "fastexpr", False, 78),
    Collection("fastexpr_rejected.txt", "fastexpr", False, 0),
    Collection("alpha101_paper_notation.txt", "alpha101", True, 101),
    # ten of 191 are printed with an ellipsis; three more say "if up", "cast to float", "similar over 12"
    Collection("gtja191_formulas.tsv", "alpha191", True, 181, ("alpha_112", "alpha_154", "alpha_159")),
    Collection("alpha158_qlib.tsv", "qlib", True, 158),
    Collection("alpha360_qlib.tsv", "qlib", True, 360),
    Collection("alphabench_qlib_style_pool.txt", "qlib", False, 5861),
)


@dataclass
class Result:
    """Counts of one file."""

    collection: Collection
    lines: int = 0
    parsed: int = 0
    fragments: int = 0
    typed: int = 0
    runnable: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    listed: list[str] = field(default_factory=list)
    broken_round_trips: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return (
            self.parsed == self.collection.target - len(self.collection.prose) and not self.broken_round_trips
        )


def read(path: Path, named: bool) -> list[str]:
    """The formulas of a file; one goes on over the next line while its brackets are open."""
    formulas: list[str] = []
    open_brackets = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.split("\t", 1)[1] if named and "\t" in line else line
        if open_brackets > 0 and not named:
            formulas[-1] += "\n" + text
        elif text.strip():
            formulas.append(text)
        else:
            continue
        balance = formulas[-1].count("(") - formulas[-1].count(")")
        open_brackets = balance if path.name.startswith("alphabench") else 0
    return formulas


def measure(collection: Collection, formulas: list[str]) -> tuple[Result, list[Check], float]:
    """Take every formula through the three levels; the seconds are those of parsing and typing alone."""
    result = Result(collection, lines=len(formulas))
    start = time.process_time()
    for text in formulas:
        with contextlib.suppress(ExpressionError):
            parse(text, collection.dialect, level="typed")
    seconds = time.process_time() - start
    checks = [check(text, collection.dialect) for text in formulas]
    for text, found in zip(formulas, checks, strict=True):
        result.parsed += found.level is not None
        result.fragments += found.fragment
        result.typed += found.level in ("typed", "runnable")
        result.runnable += found.level == "runnable"
        if found.error is not None:
            error = found.error
            reason = f"{error.level}: {error.reason.code}"
            result.refused[reason] += 1
            near = f" (did you mean {', '.join(error.suggestions)}?)" if error.suggestions else ""
            result.listed.append(
                f"[{reason}] {error.message}, {error.where}{near}\n      {text.strip()[:160]}"
            )
    return result, checks, seconds


def round_trip(result: Result, checks: list[Check]) -> float:
    """Print and read back: the syntax tree in its dialect, and the typed tree in the core dialect."""
    dialect = result.collection.dialect
    start = time.process_time()
    for found in checks:
        if found.program is None:
            continue
        if parse_syntax(write(found.program, dialect), dialect) != found.program:
            result.broken_round_trips.append(found.text)
            continue
        if found.expression is not None:
            fields = {name: _described(name) for name in found.expression.fields}
            again = check(to_text(found.expression.node), "core", fields=fields)
            if again.expression is None or again.expression.node != found.expression.node:
                result.broken_round_trips.append(found.text)
    return time.process_time() - start


def _described(name: str) -> FieldInfo:
    return STANDARD_FIELDS.get(name, FieldInfo(name, "any"))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder with the collections")
    parser.add_argument("--list", action="store_true", help="list every refused formula with its reason")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"no folder {options.data}; name one with --data", file=sys.stderr)
        return 2
    check("rank(close)", "fastexpr")  # the tables are built on first use
    results, reading, writing = [], 0.0, 0.0
    for collection in FILES:
        result, checks, seconds = measure(collection, read(options.data / collection.file, collection.named))
        reading += seconds
        writing += round_trip(result, checks)
        results.append(result)
    if options.json:
        print(json.dumps(as_json(results, reading, writing), indent=2))
    else:
        show(results, reading, writing, options.list)
    return 0 if all(r.ok for r in results) else 1


def as_json(results: list[Result], reading: float, writing: float) -> dict[str, object]:
    """The measurement as data."""
    files = [
        {
            "file": r.collection.file,
            "dialect": r.collection.dialect,
            "lines": r.lines,
            "parsed": r.parsed,
            "fragments": r.fragments,
            "typed": r.typed,
            "runnable": r.runnable,
            "refused": dict(r.refused),
            "round_trips_broken": len(r.broken_round_trips),
            "prose": list(r.collection.prose),
            "target_met": r.ok,
        }
        for r in results
    ]
    return {"files": files, "parse_and_type_cpu_s": round(reading, 3), "round_trip_cpu_s": round(writing, 3)}


def show(results: list[Result], reading: float, writing: float, listed: bool) -> None:
    """The measurement as a table."""
    head = f"{'file':34}{'lines':>7}{'parsed':>8}{'fragm.':>8}{'typed':>7}{'runs':>7}{'trips':>7}  target"
    print(head)
    print("-" * len(head))
    for r in results:
        trips = "ok" if not r.broken_round_trips else f"{len(r.broken_round_trips)} bad"
        mark = "met" if r.ok else "MISSED"
        if r.ok and r.collection.prose:
            mark = f"all but prose ({', '.join(r.collection.prose)})"
        print(
            f"{r.collection.file:34}{r.lines:>7}{r.parsed:>8}{r.fragments:>8}{r.typed:>7}{r.runnable:>7}{trips:>7}"
            f"  {r.collection.target} parsed: {mark}"
        )
        for reason, count in sorted(r.refused.items()):
            print(f"    {count:>5}  {reason}")
        if listed:
            for line in r.listed:
                print(f"    {line}")
        for text in r.broken_round_trips:
            print(f"    round trip broken: {text[:160]}")
    total = sum(r.lines for r in results)
    print(
        f"{total} formulas: parse and type {reading:.2f} s CPU (at most 2), "
        f"round trip {writing:.2f} s CPU (at most 6)"
    )


if __name__ == "__main__":
    raise SystemExit(main())
