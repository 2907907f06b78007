"""The op reference, made from the op table: ``python -m assay.expr._docs docs/reference/ops.md``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from assay.base import atomic_write
from assay.expr._fields import STANDARD_FIELDS
from assay.expr._grammar import DIALECTS
from assay.expr._limits import default_limits
from assay.expr._names import REPORT_FIELDS
from assay.expr._op import DialectName, Form, Op
from assay.expr._reasons import REASONS
from assay.expr._table import builtin_table
from assay.expr._words import LEGACY, UNSUPPORTED, Word, builtin_words

_LOOKBACKS: Final = {
    "none": "no further bars",
    "window": "window - 1 bars",
    "delay": "window bars",
    "window_lag": "window - 1 + lag bars",
    "span": "span - 1 bars",
}
_MISSING: Final = {
    "propagate": "a missing input gives a missing result",
    "strict": "the first value at row window - 1; a missing value spoils it, unless min_periods is set",
    "skip": "missing values are left out",
    "pairs": "where one input is missing the pair is left out",
    "never": "the result is never missing",
    "defined": "as the definition says",
}
_EXPONENTS: Final = {
    "clip": "as the input when both bounds are 0, else needs 0",
    "compare": "0 when both sides have the same, or one is 0",
    "covariance": "the sum of the inputs'",
    "cross": "needs 0",
    "difference": "as the inputs, which must agree; logarithms: the difference",
    "dimensionless": "needs 0",
    "exponential": "needs 0, or a logarithm",
    "fill": "as the input when the number is 0, else needs 0",
    "first": "as the value; the condition must not depend on it",
    "invariant": "0 for any input",
    "logarithm": "log-affine",
    "moment": "k times the input's",
    "power": "times the exponent written",
    "product": "the sum of the inputs'",
    "quotient": "the difference of the inputs'",
    "regression": "residual, alpha, fitted: y's; beta: y's less x's; sums of squares: twice y's; r2: 0",
    "root": "half the input's",
    "same": "as the inputs, which must agree",
    "scale_free": "0, but not for logarithms",
    "select": "as the branches, which must agree",
    "shift_free": "as the input; 0 for logarithms",
    "square": "twice the input's; 0 for logarithms",
    "sum": "as the inputs, which must agree; logarithms: the sum",
    "threshold": "as the input when p is 0 or relative, else needs 0, or a logarithm",
    "window_product": "window times the input's",
    "window_sum": "as the input; logarithms: window times",
    "zero": "0 always",
}


def reference() -> str:
    """The whole page."""
    parts = [
        _INTRODUCTION,
        *_sections(),
        _platform(),
        *(_dialect(name) for name in ("qlib", "report", "alpha101", "alpha191")),
    ]
    return "\n".join([*parts, _fields(), _reasons()]).rstrip() + "\n"


_INTRODUCTION: Final = """# Op reference

This page is made from the op table by `python -m assay.expr._docs docs/reference/ops.md`;
a test fails when it is stale.

`w` stands for the window: bars, the current one included. A window op with `min_periods=k` > 0 skips
missing values, counts a window cut short by the start of the data, and needs k valid values; 0, the
default, needs the whole window. *Exponent* tells what a stock's adjustment factor does to the value:
prices have 1, volumes -1, amounts and returns 0; only values of exponent 0 can be compared between
stocks. ±inf becomes missing at the op that made it.
"""


def _sections() -> Iterable[str]:
    by_category: dict[str, list[Op]] = {}
    for op in builtin_table().values():
        by_category.setdefault(op.category, []).append(op)
    for category, ops in by_category.items():
        yield f"## {category[0].upper()}{category[1:]}\n"
        yield from (_op(op) for op in ops)


def _op(op: Op) -> str:
    signature = builtin_words("core")[op.name].signature
    kinds = ", ".join(f"{arg.name}: {arg.kind}" for arg in op.args if arg.kind != "number")
    lines = [f"### `{signature}`\n", f"{op.definition}.\n"]
    lines.append(f"- result: {op.result}" + (f" (inputs: {kinds})" if kinds else ""))
    lines.append(
        f"- needs {_LOOKBACKS[op.lookback]}" + (", and all history: it is recursive" if op.stateful else "")
    )
    lines.append(f"- missing: {_MISSING[op.missing]}")
    lines.append(f"- exponent: {_EXPONENTS[op.exponent]}")
    written = [_form(form) for form in op.forms if form.dialect != "core" and (form.names or form.symbol)]
    if written:
        lines.append(f"- written: {'; '.join(written)}")
    lines.append(f"- source: {op.source}")
    if op.example is not None:
        lines.append(f"- example: {op.example.text} ({op.example.source})")
    if op.platform_note:
        lines.append(f"- note: {op.platform_note}")
    return "\n".join(lines) + "\n"


def _form(form: Form) -> str:
    shown = f"`{form.names[0]}`" if form.names else ""
    if form.symbol:
        symbol = "? :" if form.symbol == "?" else form.symbol
        shown = f"{shown} or `{symbol}`" if shown else f"`{symbol}`"
    if form.presets:
        shown += f" ({', '.join(f'{name}={value}' for name, value in form.presets)})"
    if not form.runnable:
        shown += " (not evaluated)"
    return f"{form.dialect} {shown}" + (f" ({form.note})" if form.note else "")


def _platform() -> str:
    """The FASTEXPR words: first those open to every user, each with its example."""
    known = builtin_words("fastexpr")
    lines = ["## FASTEXPR words\n", "Names are read without regard to case.\n"]
    for level, title in (("user", "Open to every user"), ("consultant", "For consultants")):
        lines += [f"### {title}\n", "| word | meaning | example |", "|---|---|---|"]
        for name in sorted(known):
            word = known[name]
            if not word.legacy and word.level == level and name == word.name.lower():
                lines.append(
                    f"| `{_cell(word.signature)}` | {_cell(word.meaning)} | {_cell(_example(word))} |"
                )
        lines.append("")
    old = ", ".join(f"`{name}` = `{new}`" for name, new in sorted(LEGACY.items()))
    lines += ["### Old names\n", f"Read with a warning: {old}.\n", "### Known and not evaluated\n"]
    for why in dict.fromkeys(UNSUPPORTED["fastexpr"].values()):
        names = ", ".join(f"`{n}`" for n, reason in UNSUPPORTED["fastexpr"].items() if reason == why)
        lines.append(f"- {names}: {why}.")
    return "\n".join(lines) + "\n"


def _example(word: Word) -> str:
    found = word.example
    if found is None:
        return ""
    return f"{found.text} ({'published' if found.published else found.source})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _dialect(dialect: DialectName) -> str:
    known = builtin_words(dialect)
    lines = [f"## Words of `{dialect}`\n", "| word | op |", "|---|---|"]
    for name in sorted(known, key=str.lower):
        word = known[name]
        if word.composite is not None:
            meaning = word.composite.definition
        else:
            assert word.op is not None
            form = word.op.form(dialect)
            preset = ", ".join(f"{n}={v}" for n, v in form.presets) if form is not None else ""
            meaning = f"`{word.op.name}`" + (f" ({preset})" if preset else "")
            if not word.runnable:
                meaning += ": on the list of the dialect, not evaluated"
        lines.append(f"| `{_cell(word.signature)}` | {_cell(meaning)} |")
    if dialect == "report":
        lines += [
            "",
            f"Fields: {', '.join(f'`${name}`' for name in REPORT_FIELDS)}; `$net_mf_amount` has no data.",
        ]
    for name, why in UNSUPPORTED.get(dialect, {}).items():
        lines.append(f"\n`{name}` {why}.")
    return "\n".join(lines) + "\n"


def _fields() -> str:
    lines = ["## Standard fields\n", "| field | kind | exponent | unit | meaning |", "|---|---|---|---|---|"]
    for info in STANDARD_FIELDS.values():
        exponent = "" if info.exponent is None or info.kind != "number" else f"{info.exponent:g}"
        lines.append(f"| `{info.name}` | {info.kind} | {exponent} | {info.unit} | {info.description} |")
    lines.append(
        "\n`adv20` and the like are written out: `ts_mean(amount, 20)`, in `fastexpr` `ts_mean(volume, 20)`, "
        "unless the data has a field of that name.\n"
    )
    return "\n".join(lines)


def _reasons() -> str:
    lines = [
        "## Limits and refusals\n",
        "| dialect | characters | nodes | depth | lookback |",
        "|---|---|---|---|---|",
    ]
    for dialect in DIALECTS:
        limits = default_limits(dialect)
        lines.append(
            f"| {dialect} | {limits.characters} | {limits.nodes} | {limits.depth} | {limits.lookback} |"
        )
    lines += ["", "| reason | meaning | what to do |", "|---|---|---|"]
    lines += [f"| `{reason.code}` | {reason.summary} | {reason.fix} |" for reason in REASONS]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page to the path given, or to standard output."""
    if arguments:
        atomic_write(Path(arguments[0]), reference().encode())
    else:
        sys.stdout.write(reference())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
