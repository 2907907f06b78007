"""Which of the public FASTEXPR collections the check before any call accepts, and why it refuses the rest.

    python benchmarks/fastexpr.py [--data DIR] [--list] [--json]

``--data`` is a folder with the collections; see ``FILES`` for their names. Names of fields are not looked up,
as the collections come from many data sets. A program that is accepted is also printed and read back, and its
simplified form is checked. Exit code 1 when a count is not the expected one: each refusal was looked at once.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from assay.brain import DataFieldInfo
from assay.brain.fastexpr import Problem, check_program, expression, operators
from assay.config import BrainLevel
from assay.errors import Refusal
from assay.expr import canonical, to_text

DEFAULT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "expressions"
ACCEPTED = "accepted"
SIGNATURES = "brain_operators_facts.json"


@dataclass(frozen=True)
class Collection:
    """A file, for whom it is checked, and how many programs should get which verdict."""

    file: str
    level: BrainLevel
    what: str
    expected: Mapping[str, int]


FILES = (
    Collection(
        "fastexpr_official.txt", "user", "today's operators, as found in public repositories",
        # 44 have no result and 2 are lists, 2 have a dot in a name; the others have placeholders
        # (`ts_rank(FIELD, NUM)`), or too few or too many inputs in their source
        {ACCEPTED: 3086, "syntax": 48, "inputs": 47, "attribute": 6, "type": 2},
    ),
    Collection(
        "fastexpr_extended.txt", "consultant", "operators of consultants",
        {ACCEPTED: 64, "syntax": 3, "inputs": 10, "type": 1},
    ),
    Collection("fastexpr_extended.txt", "user", "the same, for a user", {"operator": 75, "syntax": 3}),
    Collection("fastexpr_legacy.txt", "consultant", "names from before 2016", {"operator": 77, "syntax": 1}),
    Collection("fastexpr_rejected.txt", "consultant", "no programs", {"syntax": 94}),
    Collection(
        SIGNATURES, "consultant", "signatures of operators, as programs",
        # of combos and selections, or without a published definition
        {ACCEPTED: 118, "operator": 21, "variable": 2},
    ),
)  # fmt: skip


@dataclass
class Result:
    """Verdicts on one collection."""

    collection: Collection
    verdicts: Counter[str] = field(default_factory=Counter)
    listed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return dict(self.verdicts) == dict(self.collection.expected) and not self.broken


def programs(path: Path) -> Iterator[tuple[str, Mapping[str, DataFieldInfo] | None]]:
    """The programs of a file, one a line; those of the operators have fields of their own."""
    if path.name != SIGNATURES:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield line, None
        return
    for operator in json.loads(path.read_text(encoding="utf-8"))["operators"]:
        for signature in operator["signatures"]:
            yield as_program(signature), fields_of(operator["name"])


def as_program(signature: str) -> str:
    """A signature as a program: its letters are variables or fields, and what stands for more is left out."""
    text = re.sub(r",? ?\.\.+ ?", "", signature).replace("input 3", "input3")
    text = re.sub(r"(?<=\))(, x [-+*/] y| or bucket.*)$", "", text)
    return "d = 5; k = 1; f = 1; " + re.sub(r' or buckets = "[0-9,]+"', "", text)


def fields_of(operator: str) -> Mapping[str, DataFieldInfo]:
    """What the letters of an operator's signature stand for."""
    names = ("x", "y", "z", "input", "input1", "input2", "input3", "weight", "alpha")
    found = {name: DataFieldInfo(id=name) for name in names}
    found |= {name: DataFieldInfo(id=name, type="GROUP") for name in ("group", "g1", "g2")}
    if operator.startswith("vec_"):
        found["x"] = DataFieldInfo(id="x", type="VECTOR")
    if operator == "densify":
        found["x"] = DataFieldInfo(id="x", type="GROUP")
    return MappingProxyType(found)


def measure(collection: Collection, folder: Path) -> tuple[Result, float]:
    """Check every program of a collection; the seconds are those of checking alone."""
    result = Result(collection)
    allowed = operators(collection.level)
    every = list(programs(folder / collection.file))
    start = time.process_time()
    found = [check_program(text, fields, allowed) for text, fields in every]
    seconds = time.process_time() - start
    for (text, fields), problem in zip(every, found, strict=True):
        result.verdicts[ACCEPTED if problem is None else problem.kind] += 1
        if problem is not None:
            result.listed.append(told(text, problem))
        elif fields is None and (said := broken(text, collection.level)):
            result.broken.append(f"{said}: {text}")
    return result, seconds


def told(text: str, problem: Problem) -> str:
    """A refusal in two lines."""
    place = f"line {problem.place.line}, {problem.place.start} to {problem.place.end}"
    return f"[{problem.kind}] {problem.message} ({place}; {problem.hint})\n      {text.strip()[:160]}"


def broken(text: str, level: BrainLevel) -> str:
    """What is wrong with a valid program that is printed, read back and simplified; empty when nothing is."""
    node = expression(text).node
    if expression(to_text(node, "fastexpr")).node != node:
        return "reads back as another"
    try:
        simple = to_text(canonical(node), "fastexpr")
    except Refusal:  # the language has no word for it, so nothing invalid is written
        return ""
    return "" if check_program(simple, None, operators(level)) is None else "simplified to what is not valid"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder with the collections")
    parser.add_argument("--list", action="store_true", help="list every refused program with its reason")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"no folder {options.data}; name one with --data", file=sys.stderr)
        return 2
    check_program("rank(close)")  # the tables are built on first use
    measured = [measure(collection, options.data) for collection in FILES]
    results, seconds = [result for result, _ in measured], sum(taken for _, taken in measured)
    if options.json:
        print(
            json.dumps({"files": [as_json(result) for result in results], "check_cpu_s": round(seconds, 3)})
        )
    else:
        show(results, seconds, listed=options.list)
    return 0 if all(result.ok for result in results) else 1


def as_json(result: Result) -> dict[str, object]:
    """One row as data."""
    return {
        "file": result.collection.file,
        "level": result.collection.level,
        "verdicts": dict(result.verdicts),
        "expected": dict(result.collection.expected),
        "broken": result.broken,
        "as_expected": result.ok,
    }


def show(results: list[Result], seconds: float, *, listed: bool) -> None:
    """The acceptance table."""
    print(f"{'file':29}{'level':12}{'programs':>9}{'accepted':>9}{'refused':>8}  as expected  refused as")
    for result in results:
        total, accepted = result.verdicts.total(), result.verdicts[ACCEPTED]
        kinds = [f"{kind} {n}" for kind, n in sorted(result.verdicts.items()) if kind != ACCEPTED]
        counts = f"{total:>9}{accepted:>9}{total - accepted:>8}"
        name = f"{result.collection.file:29}{result.collection.level:12}"
        print(f"{name}{counts}  {'yes' if result.ok else 'NO':11}  {', '.join(kinds)}")
        if listed:
            for line in result.listed:
                print(f"    {line}")
        for line in result.broken:
            print(f"    {line}")
    count = sum(result.verdicts.total() for result in results)
    print(f"{count} checks in {seconds:.2f} s CPU, {1e3 * seconds / count:.2f} ms each")


if __name__ == "__main__":
    raise SystemExit(main())
