"""Syntax tree to typed tree: names, arity, kinds and literals (level *typed*)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from assay.base import did_you_mean
from assay.errors import ExpressionError, Reason
from assay.expr import _names as names
from assay.expr import _reasons as reasons
from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._grammar import GRAMMARS
from assay.expr._limits import Limits, default_limits
from assay.expr._op import Arg, DialectName, Kind, Param
from assay.expr._syntax import Apply, Binary, Conditional, Name, Number, Program, Syntax, Text, Unary
from assay.expr._table import op_table
from assay.expr._tokens import error_at, span_at
from assay.expr._tree import Call, Constant, Field, Node, ParamValue
from assay.expr._words import UNSUPPORTED, Word, symbols, words

_LOGICAL: Final = frozenset({"and", "or"})
_QUOTED_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?\Z")
_ARTICLE: Final[Mapping[str, str]] = {
    "number": "a number",
    "bool": "a condition",
    "group": "a group",
    "vector": "a vector",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """Something worth knowing that is no refusal."""

    code: str
    message: str
    line: int
    column: int


@dataclass(slots=True)
class Lowered:
    """The typed tree of a program, what was noticed, and, when asked for, where each node stands."""

    node: Node
    notices: tuple[Notice, ...] = ()
    spans: dict[Node, tuple[int, int]] = field(default_factory=dict)


def lower_program(
    program: Program,
    text: str,
    dialect: DialectName,
    *,
    fields: Mapping[str, FieldInfo] | None = None,
    limits: Limits | None = None,
    record: bool = False,
) -> Lowered:
    """Give the names of a program their meaning.

    Raises
    ------
    ExpressionError
        An unknown op, a wrong number or kind of arguments, a parameter that is no literal; a lone
        assignment (reason ``fragment``); a tree beyond the limits.
    """
    lowering = _Lowering(text, dialect, fields, record)
    node = lowering.program(program)
    allowed = limits or default_limits(dialect)
    if node.depth > allowed.depth:
        message = f"the tree has {node.depth} levels, at most {allowed.depth} are allowed"
        raise error_at(reasons.TOO_DEEP, message, text, 0, len(text), level="typed")
    if node.size > allowed.nodes:
        message = f"the tree has {node.size} nodes written out, at most {allowed.nodes} are allowed"
        raise error_at(reasons.TOO_LARGE, message, text, 0, len(text), level="typed")
    return Lowered(node, tuple(lowering.notices), lowering.spans)


def kind_of(node: Node, fields: Mapping[str, FieldInfo] | None = None) -> Kind:
    """Kind of a tree's value; a field that nobody described is ``any``."""
    if isinstance(node, Call):
        return op_table()[node.op].result
    if isinstance(node, Field):
        info = (fields or STANDARD_FIELDS).get(node.name) or STANDARD_FIELDS.get(node.name)
        return "any" if info is None else info.kind
    return "number"


class _Meaning(NamedTuple):
    node: Node | None
    field: str


@lru_cache(maxsize=8192)
def _standard(name: str, dialect: DialectName) -> _Meaning:
    """What a name means when no data describes it; None for one that the report dialect does not list."""
    canonical = names.field_name(name, dialect)
    if canonical in STANDARD_FIELDS:
        return _Meaning(Field(canonical), canonical)
    if dialect == "report" and canonical not in names.REPORT_FIELDS.values():
        return _Meaning(None, canonical)
    special = (
        names.constant(name, dialect) or names.traded_mean(canonical, dialect) or names.defined(name, dialect)
    )
    return _Meaning(special or Field(canonical), canonical)


_OF_QLIB: Final = "where the formula is qlib's, name that dialect: --dialect qlib (of convert: --from qlib)"
"""What to do about a word or a ``$`` that the core dialect, which is the default, does not know."""


@lru_cache(maxsize=1024)
def _near_words(name: str, dialect: DialectName) -> tuple[str, ...]:
    """Names of ops near to an unknown one; kept, because a list in another dialect repeats few names."""
    return did_you_mean(name, words(dialect))


class _Lowering:
    __slots__ = (
        "dialect",
        "dispatch",
        "dollar",
        "fields",
        "fold",
        "later",
        "notices",
        "record",
        "spans",
        "symbols",
        "table",
        "text",
        "variables",
        "words",
    )

    def __init__(
        self, text: str, dialect: DialectName, fields: Mapping[str, FieldInfo] | None, record: bool
    ) -> None:
        self.text = text
        self.dialect = dialect
        self.fields = fields
        self.table = op_table()
        self.words = words(dialect)
        self.symbols = symbols(dialect)
        self.fold = GRAMMARS[dialect].ignore_case
        self.dollar = GRAMMARS[dialect].dollar == "always"
        self.variables: dict[str, Node] = {}
        self.later: set[str] = set()
        self.notices: list[Notice] = []
        self.record = record
        self.spans: dict[Node, tuple[int, int]] = {}
        self.dispatch: dict[type, Callable[[Any], Node]] = {
            Number: self._number,
            Name: self._name,
            Unary: self._unary,
            Binary: self._binary,
            Conditional: self._conditional,
            Apply: self._apply,
            Text: self._text,
        }

    def program(self, program: Program) -> Node:
        if program.fragment:
            message = (
                f"the program only assigns {program.statements[0].target!r}; nothing is left as its result"
            )
            raise self._error(reasons.FRAGMENT, message, program.statements[0])
        last = len(program.statements) - 1
        node: Node | None = None
        self.later = {self._folded(s.target) for s in program.statements if s.target is not None}
        for i, statement in enumerate(program.statements):
            node = self.lower(statement.value)
            if statement.target is not None:
                self.variables[self._folded(statement.target)] = node
                if i == last:
                    self._notice(
                        "assignment_result",
                        f"the result is the last assignment, {statement.target!r}",
                        statement,
                    )
            elif i != last:
                self._notice("unused_value", "the value of this statement is not used", statement)
        assert node is not None
        return node

    def lower(self, syntax: Syntax) -> Node:
        node = self.dispatch[type(syntax)](syntax)
        if self.record and node not in self.spans:
            self.spans[node] = (syntax.start, syntax.end)
        return node

    # -- leaves

    def _number(self, syntax: Number) -> Node:
        return Constant(syntax.value)

    def _text(self, syntax: Text) -> Node:
        raise self._no_value(syntax, {"given": "text"})

    def _no_value(self, syntax: Text, facts: Mapping[str, Any]) -> ExpressionError:
        message = f"the text {syntax.value[:40]!r} is not a value here"
        return self._error(reasons.WRONG_KIND, message, syntax, facts=facts)

    def _name(self, syntax: Name) -> Node:
        name = syntax.name
        if self.variables:
            found = self._variable(name)
            if found is not None:
                return found
        if name[0] == "$":
            if not self.dollar:
                raise self._error(
                    reasons.SYNTAX,
                    f"fields are written without $ in {self.dialect}",
                    syntax,
                    near=(name[1:],),
                    fix=_OF_QLIB if self.dialect == "core" else None,
                )
            name = name[1:]
        elif self.dollar:
            raise self._error(
                reasons.SYNTAX, f"fields are written with $ in {self.dialect}", syntax, near=(f"${name}",)
            )
        return self._field(name, syntax)

    def _variable(self, name: str) -> Node | None:
        return self.variables.get(self._folded(name))

    def _folded(self, name: str) -> str:
        return name.lower() if self.fold else name

    def _field(self, name: str, syntax: Name) -> Node:
        found, canonical = _standard(name, self.dialect)
        if canonical in (self.fields or STANDARD_FIELDS):
            return Field(canonical)
        if self.later and type(found) is Field and self._folded(name) in self.later:
            raise self._error(
                reasons.UNKNOWN_FIELD, f"the variable {name!r} is used before it is assigned", syntax
            )
        if found is not None:
            return found
        near = tuple(f"${n}" for n in did_you_mean(name, names.REPORT_FIELDS))
        raise self._error(
            reasons.UNKNOWN_FIELD, f"the report dialect has no field {name!r}", syntax, near=near
        )

    # -- operators

    def _unary(self, syntax: Unary) -> Node:
        op = self.symbols["prefix" + syntax.op]
        if op == "neg":
            if type(syntax.operand) is Number:
                return Constant(-syntax.operand.value)
            return Call("neg", (self._input(syntax.operand, "number", op, 0),))
        return Call(op, (self._input(syntax.operand, "bool", op, 0),))

    def _binary(self, syntax: Binary) -> Node:
        op = self.symbols[syntax.op]
        kind: Kind = "bool" if op in _LOGICAL else "number"
        return Call(op, (self._input(syntax.left, kind, op, 0), self._input(syntax.right, kind, op, 1)))

    def _conditional(self, syntax: Conditional) -> Node:
        parts: tuple[tuple[Syntax, Kind], ...] = (
            (syntax.condition, "bool"), (syntax.yes, "number"), (syntax.no, "number"),
        )  # fmt: skip
        return Call(
            "where", tuple(self._input(part, kind, "where", i) for i, (part, kind) in enumerate(parts))
        )

    def _input(self, syntax: Syntax, wanted: Kind, op: str, index: int) -> Node:
        """A data input of the wanted kind; a number where a condition is wanted means ``number != 0``."""
        if type(syntax) is Text:
            raise self._no_value(syntax, {"op": op, "index": index, "wanted": wanted, "given": "text"})
        node = self.lower(syntax)
        given = self._kind(node)
        if given == wanted:
            return node
        if wanted == "number" and given in ("bool", "any"):
            return node
        if wanted == "bool" and given in ("number", "any"):
            return Call("ne", (node, Constant(0.0)))
        if given == "any" or wanted == "any":
            return node
        message = f"this is {_ARTICLE[given]}, {_ARTICLE[wanted]} is needed"
        if given == "vector":
            message += "; reduce it first, with vec_avg or vec_sum"
        facts = {"op": op, "index": index, "wanted": wanted, "given": given}
        raise self._error(reasons.WRONG_KIND, message, syntax, expected=(_ARTICLE[wanted],), facts=facts)

    def _kind(self, node: Node) -> Kind:
        if type(node) is Call:
            return self.table[node.op].result
        return kind_of(node, self.fields) if type(node) is Field else "number"

    # -- calls

    def _apply(self, syntax: Apply) -> Node:
        word = self.words.get(syntax.name.lower() if self.fold else syntax.name)
        if word is None:
            raise self._unknown(syntax)
        if word.legacy:
            self._notice("legacy_name", f"{syntax.name!r} is an old name", syntax)
        args = syntax.args
        if self.dialect == "alpha191":
            args = _reorder_191(word.name, args)
        if word.variadic and len(args) > 2:
            return self._variadic(word, syntax)
        given = self._assign(word, syntax, args)
        inputs: list[Node] = []
        values: list[ParamValue | None] = []
        for slot, value in zip(word.slots, given, strict=True):
            if type(slot) is Arg:
                if value is None:
                    raise self._arity(word, syntax, len(args))
                inputs.append(self._input(value, slot.kind, word.name, len(inputs)))
            else:
                assert isinstance(slot, Param)
                if value is not None:
                    values.append(self._literal(value, slot, word, syntax))
                elif slot.default is not None or slot.optional:
                    values.append(slot.default)
                else:
                    raise self._arity(word, syntax, len(args))
        return self._build(word, syntax, tuple(inputs), tuple(values))

    def _assign(self, word: Word, syntax: Apply, args: tuple[Syntax, ...]) -> list[Syntax | None]:
        missing = len(word.slots) - len(args)
        if missing < 0:
            raise self._arity(word, syntax, len(args))
        given: list[Syntax | None] = [*args, *([None] * missing)]
        for name, value in syntax.named:
            place = word.by_name.get(name.lower())
            if place is None:
                if self._is_inert(word, name, value):
                    continue
                raise self._no_argument(word, name, value)
            if given[place] is not None:
                raise self._error(
                    reasons.WRONG_ARITY, f"the argument {name!r} of {word.name} is given twice", value
                )
            given[place] = value
        return given

    def _is_inert(self, word: Word, name: str, value: Syntax) -> bool:
        written = value.value if type(value) is Text else value.name if type(value) is Name else ""
        return self.dialect == "fastexpr" and (name.lower(), written.strip().lower()) in word.inert

    def _variadic(self, word: Word, syntax: Apply) -> Node:
        args = list(syntax.args)
        kinds = [slot.kind for slot in word.slots if isinstance(slot, Arg)]
        options = [slot for slot in word.slots if isinstance(slot, Param)]
        by_name: dict[str, Syntax] = {}
        for name, value in syntax.named:
            place = word.by_name.get(name.lower())
            if place is None or isinstance(word.slots[place], Arg):
                raise self._no_argument(word, name, value)
            by_name[word.slots[place].name] = value
        if options and options[0].name not in by_name:
            last = args[-1]
            is_bool = type(last) is Name and last.name.lower() in ("true", "false")
            if is_bool or options[0].default is None:
                by_name[options[0].name] = args.pop()
        values = tuple(
            self._literal(by_name[o.name], o, word, syntax) if o.name in by_name else o.default
            for o in options
        )
        inputs = tuple(self._input(arg, kinds[0], word.name, i) for i, arg in enumerate(args))
        return self._build(word, syntax, inputs, values)

    def _build(
        self, word: Word, syntax: Apply, inputs: tuple[Node, ...], values: tuple[ParamValue | None, ...]
    ) -> Node:
        if word.composite is None:
            return word.build(inputs, values)
        try:
            return word.build(inputs, values)
        except ValueError as error:
            raise self._error(reasons.BAD_PARAMETER, f"{word.name}: {error}", syntax) from error

    # -- literals

    def _literal(self, syntax: Syntax, param: Param, word: Word, call: Apply) -> ParamValue:
        if param.type == "text":
            return self._text_literal(syntax, param, word, call)
        value = self._constant(syntax)
        if value is None:
            if type(syntax) is Name and self.fields is not None and GRAMMARS[self.dialect].programs:
                self._known_name(syntax, self.fields)
            what = "a window" if param.name in ("window", "span") else f"the parameter {param.name!r}"
            raise self._error(
                reasons.LITERAL_EXPECTED,
                f"{what} of {word.name} must be a number written out",
                syntax,
                expected=("a number",),
                facts={"op": word.name, "parameter": param.name, **self._counted(word, call)},
            )
        if param.type == "bool":
            if value not in (0.0, 1.0):
                raise self._error(
                    reasons.BAD_PARAMETER, f"{param.name!r} of {word.name} is true or false", syntax
                )
            return value == 1.0
        if not math.isfinite(value):
            raise self._error(reasons.BAD_PARAMETER, f"{param.name!r} of {word.name} must be finite", syntax)
        if param.name not in ("window", "span"):  # windows are bounded at level runnable
            low, high = param.low, param.high
            if (low is not None and value < low) or (high is not None and value > high):
                bounds = (
                    f"at least {low:g}"
                    if high is None
                    else f"in [{low if low is not None else -math.inf:g}, {high:g}]"
                )
                raise self._error(
                    reasons.BAD_PARAMETER, f"{param.name!r} of {word.name} must be {bounds}", syntax
                )
        if param.type == "float":
            return value
        if value != int(value):
            if param.name != "window" or not self.fold:
                raise self._error(
                    reasons.BAD_PARAMETER, f"{param.name!r} of {word.name} must be an integer", syntax
                )
            self._notice("fractional_window", f"the window {value:g} is read as {math.floor(value)}", syntax)
        return math.floor(value)

    def _text_literal(self, syntax: Syntax, param: Param, word: Word, call: Apply) -> str:
        if type(syntax) is Text:
            value = syntax.value
        elif type(syntax) is Name:
            value = syntax.name
        elif type(syntax) is Number and not param.choices:
            value = f"{syntax.value:g}"  # BRAIN takes ignore=0 for ignore="0"
        else:
            raise self._error(
                reasons.LITERAL_EXPECTED,
                f"{param.name!r} of {word.name} must be a text",
                syntax,
                expected=("a text",),
                facts={"op": word.name, "parameter": param.name, **self._counted(word, call)},
            )
        if not param.choices:
            return value
        for choice in param.choices:
            if choice.lower() == value.strip().lower():
                return choice
        raise self._error(
            reasons.BAD_PARAMETER,
            f"{param.name!r} of {word.name} must be one of {', '.join(param.choices)}",
            syntax,
            near=did_you_mean(value, param.choices),
        )

    def _constant(self, syntax: Syntax) -> float | None:
        """The value of a number, a sign before one, arithmetic of numbers, or a variable that holds one."""
        if isinstance(syntax, Number):
            return syntax.value
        if isinstance(syntax, Text) and self.dialect == "fastexpr" and _QUOTED_NUMBER.match(syntax.value):
            return float(syntax.value)  # BRAIN's own example writes k="1"
        if isinstance(syntax, Name):
            found = self._variable(syntax.name) or names.constant(syntax.name, "core")
            return found.value if isinstance(found, Constant) else None
        if isinstance(syntax, Unary) and syntax.op == "-":
            inner = self._constant(syntax.operand)
            return None if inner is None else -inner
        if isinstance(syntax, Binary) and syntax.op in "+-*/":
            left, right = self._constant(syntax.left), self._constant(syntax.right)
            if left is None or right is None or (syntax.op == "/" and right == 0):
                return None
            return {"+": left + right, "-": left - right, "*": left * right}.get(
                syntax.op, left / (right or 1.0)
            )
        return None

    # -- refusals

    def _known_name(self, syntax: Name, fields: Mapping[str, FieldInfo]) -> None:
        """Refuse a name that is neither a variable nor a field."""
        if self._variable(syntax.name) is None and names.field_name(syntax.name, self.dialect) not in fields:
            near = did_you_mean(syntax.name, [*self.variables, *fields])
            message = f"there is no variable or field {syntax.name!r}"
            raise self._error(reasons.UNKNOWN_FIELD, message, syntax, near=near)

    def _argument_names(self, word: Word) -> Mapping[str, str]:
        """The dialect's names of arguments that the table calls otherwise."""
        return word.platform_names if self.dialect == "fastexpr" else {}

    def _arguments(self, word: Word) -> list[str]:
        shown = self._argument_names(word)
        return [shown.get(slot.name, slot.name) for slot in word.slots]

    def _signature(self, word: Word) -> str:
        return word.platform_signature if self.dialect == "fastexpr" else word.signature

    def _counted(self, word: Word, call: Apply) -> dict[str, Any]:
        """How many of the arguments in order are no literals, and how many inputs the word has."""
        values = [a for a in call.args if type(a) is not Text and self._constant(a) is None]
        return {"given": len(values), "inputs": _inputs(word), "variadic": word.variadic}

    def _unknown(self, syntax: Apply) -> ExpressionError:
        why = UNSUPPORTED.get(self.dialect, {}).get(
            syntax.name.lower() if self.fold and self.dialect == "fastexpr" else syntax.name
        )
        place = Name(syntax.name, syntax.start, syntax.start + len(syntax.name))
        if why is not None:
            return self._error(
                reasons.UNSUPPORTED_OP, f"{syntax.name} {why}", place, facts={"op": syntax.name}
            )
        return self._error(
            reasons.UNKNOWN_OP,
            f"there is no op {syntax.name[:64]!r} in {self.dialect}",
            place,
            near=_near_words(syntax.name[:64], self.dialect),
            facts={"op": syntax.name},
            fix=_OF_QLIB if self.dialect == "core" and syntax.name in words("qlib") else None,
        )

    def _no_argument(self, word: Word, name: str, value: Syntax) -> ExpressionError:
        start = self.text.rfind(name, 0, value.start)  # nothing but "=" and blanks stands between them
        near = did_you_mean(name, self._arguments(word))
        message = f"{word.name} has no argument {name!r}: {self._signature(word)}"
        return self._error(reasons.UNKNOWN_ARGUMENT, message, Name(name, start, start + len(name)), near=near)

    def _arity(self, word: Word, syntax: Apply, given: int) -> ExpressionError:
        needed = [s.name for s in word.slots if isinstance(s, Arg) or (s.default is None and not s.optional)]
        written = {name.lower() for name, _ in syntax.named}
        signature = self._signature(word)
        lacking = [name for name in needed[given:] if name.lower() not in written]
        if lacking and given < len(needed):
            shown = self._argument_names(word)
            listed = " and ".join(repr(shown.get(name, name)) for name in lacking)
            message = f"{word.name} lacks {listed}: {signature}"
        else:
            plural = "argument" if given == 1 else "arguments"
            message = f"{word.name} does not take {given} {plural}: {signature}"
        facts = {
            "op": word.name,
            "given": given,
            "missing": lacking,
            "inputs": _inputs(word),
            "least": len(needed),
            "most": len(word.slots),
            "variadic": word.variadic,
        }
        return self._error(reasons.WRONG_ARITY, message, syntax, expected=(signature,), facts=facts)

    def _notice(self, code: str, message: str, syntax: Any) -> None:
        span = span_at(self.text, syntax.start, syntax.end)
        self.notices.append(Notice(code, message, span.line, span.column))

    def _error(
        self,
        reason: Reason,
        message: str,
        syntax: Any,
        *,
        expected: tuple[str, ...] = (),
        near: tuple[str, ...] = (),
        facts: Mapping[str, Any] | None = None,
        fix: str | None = None,
    ) -> ExpressionError:
        return error_at(
            reason,
            message,
            self.text,
            syntax.start,
            syntax.end,
            level="typed",
            expected=expected,
            suggestions=near,
            facts=facts,
            fix=fix,
        )


def _inputs(word: Word) -> int:
    return sum(isinstance(slot, Arg) for slot in word.slots)


def _reorder_191(name: str, args: tuple[Syntax, ...]) -> tuple[Syntax, ...]:
    """``REGBETA(x, SEQUENCE(n))`` carries its window inside; ``SUMIF`` is printed in two argument orders."""
    if name in ("REGBETA", "REGRESI") and len(args) == 2:
        inner = args[1]
        if isinstance(inner, Apply) and inner.name.lower() == "sequence" and len(inner.args) == 1:
            return args[0], Name("SEQUENCE", inner.start, inner.end), inner.args[0]
    if name == "SUMIF" and len(args) == 3 and isinstance(args[1], Number):
        return args[0], args[2], args[1]
    return args
