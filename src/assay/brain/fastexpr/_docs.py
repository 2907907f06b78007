"""The FASTEXPR reference: ``python -m assay.brain.fastexpr._docs docs/reference/fastexpr.md``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, Literal, NamedTuple

from assay.base import atomic_write
from assay.brain._wire import DataFieldInfo, OperatorInfo
from assay.brain.fastexpr._docs_text import CHOICES, INTRODUCTION, MESSAGES, NEVER_SAID, UNITS
from assay.brain.fastexpr._operators import operators
from assay.brain.fastexpr._program import check_program
from assay.brain.fastexpr._units import unit_warnings
from assay.expr import LEGACY, UNSUPPORTED, Word, default_limits, words


class _Case(NamedTuple):
    text: str
    known: bool
    """Whether the message is that of a captured reply of the platform."""


_CASES: Final = (
    _Case("", True),
    _Case("rank(close", True),
    _Case("a = close", False),
    _Case("rank(close))", True),
    _Case("ts_mean(close, 5d)", True),
    _Case("close; open", False),
    _Case("rank(IndClass.sector)", False),
    _Case("tsmean(close, 5)", True),
    _Case("ts_max(close, 5)", True),
    _Case("reduce_avg(close)", True),
    _Case("rank(clsoe)", True),
    _Case("a = a + 1; a", True),
    _Case("rank(close, open)", True),
    _Case("ts_corr(close)", True),
    _Case("add(close)", False),
    _Case("rank(close, 0, 1)", False),
    _Case("ts_mean(close)", True),
    _Case("quantile(close, 5)", False),
    _Case("quantile(close, driver=gauss)", False),
    _Case("ts_delay(close, -1)", False),
    _Case("ts_mean(news, 5)", True),
    _Case("vec_avg(close)", True),
    _Case("rank(sector)", True),
    _Case("group_rank(close, open)", False),
    _Case("ts_mean(close, 3000)", True),
)
"""One program for each kind of message."""

_FIELDS: Final = {
    "close": DataFieldInfo(id="close"),
    "open": DataFieldInfo(id="open"),
    "news": DataFieldInfo(id="news", type="VECTOR"),
    "sector": DataFieldInfo(id="sector", type="GROUP"),
}


_UNIT_CASES: Final = ("close + 1", "close * volume - close", "if_else(close > open, close, volume)")


def reference() -> str:
    """The whole page."""
    parts = [
        INTRODUCTION, _limits(), MESSAGES + "\n".join(map(_message, _CASES)), NEVER_SAID,
        UNITS + "\n".join(map(_unit, _UNIT_CASES)) + "\n", *_operators(), _not_evaluated(), _choices(),
    ]  # fmt: skip
    return "\n".join(parts).rstrip() + "\n"


def _limits() -> str:
    found = default_limits("fastexpr")
    return (
        f"A program has at most {found.characters:,} characters, {found.nodes:,} nodes and {found.depth} "
        f"levels with its variables written out, and needs at most {found.lookback:,} bars of history. The "
        "platform's own bounds are not published.\n"
    )


def _message(case: _Case) -> str:
    found = check_program(case.text, _FIELDS)
    assert found is not None, case.text
    place = f"{found.place.line}: {found.place.start} to {found.place.end}"
    shown = f"`{_cell(case.text)}`" if case.text else "(empty)"
    words_of = "platform" if case.known else "Assay"
    return f"| {shown} | {found.kind} | `{_cell(found.message)}` | {place} | {words_of} |"


def _unit(text: str) -> str:
    (warning,) = unit_warnings(text)
    return f"| `{text}` | `{warning.wire()['message']}` |"


def _operators() -> list[str]:
    user = operators()
    more = [info for info in operators("consultant") if info.name not in {known.name for known in user}]
    return [
        "## Operators\n",
        f"### Open to every user: {len(user)}\n",
        *_by_category(user),
        f"### For consultants: {len(more)} more\n",
        "An account may have fewer; the list that the platform gives it decides.\n",
        *_by_category(more),
    ]


def _by_category(listed: tuple[OperatorInfo, ...] | list[OperatorInfo]) -> list[str]:
    lines = ["| category | operators |", "|---|---|"]
    for category in dict.fromkeys(info.category for info in listed):
        shown = ", ".join(f"`{info.definition}`" for info in listed if info.category == category)
        lines.append(f"| {category} | {shown} |")
    return [*lines, ""]


def _not_evaluated() -> str:
    lines = [
        "### Known and not evaluated\n",
        "The local simulator refuses these; one that the platform lists for an account is taken on trust.\n",
    ]
    whys = UNSUPPORTED["fastexpr"]
    lines += [
        f"- {', '.join(f'`{name}`' for name in whys if whys[name] == why)}: {why}."
        for why in dict.fromkeys(whys.values())
    ]
    old = ", ".join(f"`{name}` → `{new}`" for name, new in sorted(LEGACY.items()))
    return "\n".join([*lines, f"\nOld names, and what is offered for them: {old}.\n"])


def _choices() -> str:
    lines = ["## Where public texts leave a choice\n", "What was chosen, with why:\n"]
    lines += [f"- {text}" for text in CHOICES]
    for name, word in sorted(words("fastexpr").items()):
        note = _note(word)
        if note and not word.legacy:
            lines.append(f"- `{name}`: {note}.")
    return "\n".join(lines) + "\n"


def _note(word: Word) -> str:
    """What is chosen for a word; notes on other platforms are left out."""
    if word.composite is not None:
        return word.composite.note
    assert word.op is not None
    note = word.op.platform_note
    return "" if note.startswith("qlib") else note


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> Literal[0]:
    """Write the page to the path given, or to standard output."""
    if arguments:
        atomic_write(Path(arguments[0]), reference().encode())
    else:
        sys.stdout.write(reference())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
