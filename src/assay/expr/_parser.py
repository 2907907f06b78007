from __future__ import annotations

import math

from assay.base import did_you_mean
from assay.errors import ExpressionError, Reason, Refusal
from assay.expr import _reasons as reasons
from assay.expr._grammar import GRAMMARS, PREFIX, TERNARY, Grammar
from assay.expr._limits import Limits, default_limits
from assay.expr._op import DialectName
from assay.expr._syntax import (
    Apply,
    Binary,
    Conditional,
    Name,
    Number,
    Program,
    Statement,
    Syntax,
    Text,
    Unary,
    levels_of,
)
from assay.expr._tokens import END, NAME, NUMBER, SYMBOL, TEXT, error_at, span_at, tokenize

_LEVELS = 200
_OPERAND = ("a number", "a field", "a call", "(")
_PUNCTUATION = frozenset("(),;")
_MEANT = {
    "=": "==",
    "&": "&&",
    "|": "||",
    "and": "&&",
    "or": "||",
    "**": "^",
    "^": "**",
    "&&": "&",
    "||": "|",
}
"""What a symbol or word of other languages stands for, where the dialect has that one."""


def parse_syntax(text: str, dialect: DialectName = "core", *, limits: Limits | None = None) -> Program:
    """Parse a formula without asking what its names mean (level *parsed*).

    Raises
    ------
    ExpressionError
        The text breaks the grammar of the dialect or a limit; carries line, column and what was expected.
    """
    if dialect not in GRAMMARS:
        raise unknown_dialect(dialect)
    allowed = limits or default_limits(dialect)
    if len(text) > allowed.characters:
        message = f"the formula has {len(text)} characters, at most {allowed.characters} are allowed"
        raise error_at(reasons.TOO_LONG, message, text, allowed.characters, len(text))
    program = _Parser(text, GRAMMARS[dialect], allowed).program()
    if len(text) > 2 * _LEVELS:
        _refuse_deep(program, text)
    return program


def _refuse_deep(program: Program, text: str) -> None:
    """What is made of a syntax tree is made by recursion."""
    for part, level in levels_of(program):
        if level > _LEVELS:
            message = f"the formula has more than {_LEVELS} levels here"
            raise error_at(reasons.TOO_DEEP, message, text, part.start, part.end)


def unknown_dialect(name: str) -> Refusal:
    """The error for a dialect that does not exist."""
    near = did_you_mean(name, GRAMMARS)
    fix = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(GRAMMARS)}"
    return Refusal(reasons.UNKNOWN_DIALECT, f"there is no dialect {name!r}", where="dialect", fix=fix)


class _Parser:
    """A precedence parser: one pass, its nesting counted so that no text can exhaust the stack."""

    __slots__ = ("grammar", "infix", "kinds", "limits", "nesting", "position", "starts", "text", "texts")

    def __init__(self, text: str, grammar: Grammar, limits: Limits) -> None:
        self.text = text
        self.grammar = grammar
        self.infix = grammar.infix
        self.limits = limits
        self.kinds, self.texts, self.starts = tokenize(text)
        self.position = 0
        self.nesting = 0
        if len(self.kinds) > 2 * limits.nodes:
            self._check_size()

    def _check_size(self) -> None:
        count = 0
        for i, kind in enumerate(self.kinds):
            if kind != SYMBOL or self.texts[i] not in _PUNCTUATION:
                count += 1
                if count > 2 * self.limits.nodes + 1:
                    message = f"the formula has more than {2 * self.limits.nodes} symbols"
                    raise error_at(reasons.TOO_LARGE, message, self.text, self.starts[i], len(self.text))

    def program(self) -> Program:
        if self.kinds[0] == END:
            raise error_at(reasons.EMPTY, "the formula is empty", self.text, 0, 0, expected=_OPERAND)
        if not self.grammar.programs:
            value = self.expression(0)
            if self.kinds[self.position] != END:
                raise self._unexpected(("an operator", "the end of the formula"))
            return Program((Statement(None, value, 0, len(self.text)),))
        statements: list[Statement] = []
        while True:
            while self.texts[self.position] == ";" and statements:
                self.position += 1
            if self.kinds[self.position] == END:
                return Program(tuple(statements))
            statements.append(self._statement())
            if self.kinds[self.position] != END and self.texts[self.position] != ";":
                raise self._not_ended()

    def _statement(self) -> Statement:
        start = self.starts[self.position]
        target = None
        if self.kinds[self.position] == NAME and self.texts[self.position + 1] == "=":
            target = self.texts[self.position]
            if not target.isidentifier():
                raise self._error(reasons.SYNTAX, f"{target!r} cannot be assigned to", ("a name",))
            self.position += 2
        value = self.expression(0)
        return Statement(target, value, start, self._last_end())

    def expression(self, least: int) -> Syntax:
        """An expression whose operators all bind tighter than ``least``."""
        self.nesting += 1
        if self.nesting > self.limits.nesting:
            message = f"the formula is nested more than {self.limits.nesting} levels deep here"
            raise self._error(reasons.TOO_DEEP, message, ())
        texts = self.texts
        infix = self.infix
        start = self.starts[self.position]
        left = self._operand()
        while True:
            symbol = texts[self.position]
            power = infix.get(symbol)
            if power is None:
                meant = self._meant(symbol)
                if meant is None:
                    if symbol == "?" and self.grammar.ternary and least < TERNARY:
                        left = self._conditional(left, start)
                        continue
                    break
                symbol, power = meant, infix[meant]
            if power <= least:
                break
            self.position += 1
            right = self.expression(power - 1 if symbol in ("^", "**") else power)
            left = Binary(symbol, left, right, start, right.end)
        self.nesting -= 1
        return left

    def _meant(self, symbol: str) -> str | None:
        """The symbol that a word such as ``and`` stands for."""
        return self.grammar.synonyms.get(symbol.lower() if self.grammar.ignore_case else symbol)

    def _conditional(self, condition: Syntax, start: int) -> Syntax:
        self.position += 1
        yes = self.expression(0)
        if self.texts[self.position] != ":":
            raise self._unexpected((":",))
        self.position += 1
        no = self.expression(TERNARY - 1)
        return Conditional(condition, yes, no, start, no.end)

    def _operand(self) -> Syntax:
        position = self.position
        kind = self.kinds[position]
        word = self.texts[position]
        start = self.starts[position]
        if kind == NAME:
            if self.texts[position + 1] == "(":
                return self._call(word, start)
            self.position = position + 1
            return Name(word, start, start + len(word))
        if kind == NUMBER:
            self.position = position + 1
            value = float(word)
            if math.isinf(value):
                raise error_at(
                    reasons.BAD_NUMBER, f"{word[:40]} is too large", self.text, start, start + len(word)
                )
            return Number(value, start, start + len(word))
        if word == "(":
            self.position = position + 1
            inner = self.expression(0)
            self._expect(")", start)
            return inner
        if kind == SYMBOL and (word in self.grammar.prefix or word == "+"):
            return self._prefixed()
        if kind == TEXT and self.grammar.texts:
            self.position = position + 1
            return Text(word[1:-1], start, start + len(word))
        raise self._unexpected(_OPERAND)

    def _prefixed(self) -> Syntax:
        """Any number of prefix operators; read in a loop, as a long run of them must not deepen the stack."""
        signs: list[tuple[str, int]] = []
        while self.kinds[self.position] == SYMBOL:
            word = self.texts[self.position]
            if word not in self.grammar.prefix and word != "+":
                break
            if word != "+":
                signs.append((word, self.starts[self.position]))
            self.position += 1
        value = self.expression(PREFIX)
        for symbol, start in reversed(signs):
            value = Unary(symbol, value, start, value.end)
        return value

    def _call(self, name: str, start: int) -> Syntax:
        opening = self.starts[self.position + 1]
        self.position += 2
        args: list[Syntax] = []
        named: list[tuple[str, Syntax]] = []
        texts = self.texts
        if texts[self.position] != ")":
            while True:
                position = self.position
                if self.grammar.named and self.kinds[position] == NAME and texts[position + 1] == "=":
                    self.position = position + 2
                    named.append((texts[position], self.expression(0)))
                elif named:
                    raise self._unexpected(("an argument by name",))
                else:
                    args.append(self.expression(0))
                if texts[self.position] != ",":
                    break
                self.position += 1
                if texts[self.position] == ")" and self.grammar.trailing_comma:
                    break
        self._expect(")", opening)
        return Apply(name, tuple(args), tuple(named), start, self._last_end())

    def _expect(self, symbol: str, opening: int) -> None:
        if self.texts[self.position] != symbol:
            if self.kinds[self.position] == END:
                column = span_at(self.text, opening, opening).column
                message = f"the bracket opened at column {column} is not closed"
                raise self._error(reasons.SYNTAX, message, (symbol,))
            raise self._unexpected(("an operator", ",", symbol))
        self.position += 1

    def _last_end(self) -> int:
        last = self.position - 1
        return self.starts[last] + len(self.texts[last])

    def _not_ended(self) -> ExpressionError:
        """What follows a statement without ``;``: on a new line it is most likely the next statement."""
        expected = ("an operator", ";", "the end of the formula")
        if "\n" not in self.text[self._last_end() : self.starts[self.position]]:
            return self._unexpected(expected)
        message = "the line before is not ended; end a statement with ';'"
        return self._error(reasons.SYNTAX, message, expected)

    def _unexpected(self, expected: tuple[str, ...]) -> ExpressionError:
        kind = self.kinds[self.position]
        if kind == END:
            return self._error(reasons.SYNTAX, "the formula ends where something has to follow", expected)
        found = repr(self.texts[self.position][:40])
        meant = _MEANT.get(self.texts[self.position].lower(), "")
        near = (meant,) if meant in self.infix else ()
        return self._error(reasons.SYNTAX, f"unexpected {found}", expected, near)

    def _error(
        self, reason: Reason, message: str, expected: tuple[str, ...], near: tuple[str, ...] = ()
    ) -> ExpressionError:
        start = self.starts[self.position]
        end = start + len(self.texts[self.position])
        facts = {"found": self.texts[self.position]}
        return error_at(
            reason, message, self.text, start, end, expected=expected, suggestions=near, facts=facts
        )
