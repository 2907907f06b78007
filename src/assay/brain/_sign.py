"""The other sign of an expression."""

from __future__ import annotations

from assay.expr import Apply, Name, Number, Unary, parse_syntax


def negated(text: str) -> str:
    """A program whose result has the other sign, whatever its fields; only its last value is rewritten.

    Raises
    ------
    ExpressionError
        It cannot be read.
    """
    last = parse_syntax(text, "fastexpr").statements[-1].value
    before, own, after = text[: last.start], text[last.start : last.end], text[last.end :]
    if isinstance(last, Unary) and own.startswith("-"):
        return f"{before}{own[1:].lstrip()}{after}"
    whole = isinstance(last, (Name, Number, Apply))
    return f"{before}-{own if whole else f'({own})'}{after}"
