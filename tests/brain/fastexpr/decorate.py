"""The same program written in another way: with variables, comments, line breaks and other cases."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from assay.expr import Program, parse_syntax, write
from assay.expr._syntax import Apply, Binary, Conditional, Name, Number, Statement, Syntax, Text, Unary
from assay.expr._tokens import END, NAME, SYMBOL, tokenize

_BETWEEN = (" ", " ", "", "\n", "  /* a note; b = 1 */ ", " # to the end\n", "\t")


def decorated(text: str, seed: int) -> str:
    """``text``, an expression, as a program that means the same."""
    draw = random.Random(seed)
    statements: list[Statement] = []
    value = _shared(parse_syntax(text, "fastexpr").statements[-1].value, statements, draw)
    program = Program((*statements, Statement(None, value)))
    return _restyled(write(program, "fastexpr"), draw)


def _shared(part: Syntax, statements: list[Statement], draw: random.Random) -> Syntax:
    """The part with some of its parts moved to variables, which are assigned before."""
    made = _with_inner(part, lambda inner: _shared(inner, statements, draw))
    if isinstance(made, Apply | Binary | Conditional) and draw.random() < 0.4:
        name = f"Step{len(statements)}"
        statements.append(Statement(name, made))
        return Name(name)
    return made


def _with_inner(part: Syntax, change: Any) -> Syntax:
    if isinstance(part, Apply):
        named = tuple((name, change(value)) for name, value in part.named)
        return replace(part, args=tuple(change(arg) for arg in part.args), named=named)
    if isinstance(part, Binary):
        return replace(part, left=change(part.left), right=change(part.right))
    if isinstance(part, Conditional):
        return replace(part, condition=change(part.condition), yes=change(part.yes), no=change(part.no))
    if isinstance(part, Unary):
        return replace(part, operand=change(part.operand))
    assert isinstance(part, Name | Number | Text)
    return part


def _restyled(text: str, draw: random.Random) -> str:
    kinds, words, _ = tokenize(text)
    found = []
    for kind, word in zip(kinds, words, strict=True):
        if kind == END:
            break
        if kind == NAME:
            word = draw.choice((str.lower, str.upper, str.title, str))(word)
        if kind == SYMBOL and word in ("&&", "||") and draw.random() < 0.5:
            word = draw.choice(("and", "AND") if word == "&&" else ("or", "Or"))
            word = f" {word} "
        found.append(word + draw.choice(_BETWEEN))
    return draw.choice(("", "/* head */\n")) + "".join(found) + draw.choice(("", ";", "\n;\n"))
