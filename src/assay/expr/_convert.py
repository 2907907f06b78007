"""Typed tree to text of a dialect, and from one dialect to another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from assay.errors import Refusal
from assay.expr import _reasons as reasons
from assay.expr._check import FieldList, parse, require_windows
from assay.expr._equivalents import WHOLE, equivalent
from assay.expr._grammar import GRAMMARS
from assay.expr._names import REPORT_FIELDS
from assay.expr._op import Arg, Composite, DialectName, Form, Op, Param, coerce
from assay.expr._ops.pairs import OUTPUTS
from assay.expr._parser import unknown_dialect
from assay.expr._print import write
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
    parts_of,
)
from assay.expr._table import composites, op_table
from assay.expr._tree import Call, Constant, Field, Node, Params, ParamValue, distinct
from assay.expr._words import words

_CONVENTIONS: Final = frozenset({"min_periods", "ddof", "scale", "missing", "bias"})
"""Parameters in which platforms differ and which change no order: values may be missing, or rescaled."""

_REPORT_NAMES: Final = {canonical: written for written, canonical in REPORT_FIELDS.items()}


@dataclass(frozen=True, slots=True)
class Conversion:
    """A formula in another dialect.

    ``differences`` lists conventions that changed, empty when exact; ``consultant`` the words that the
    platform of the dialect opens to consultants alone.
    """

    text: str
    dialect: DialectName
    differences: tuple[str, ...] = ()
    consultant: tuple[str, ...] = ()


def to_text(node: Node, dialect: DialectName = "core") -> str:
    """The tree written in a dialect; reading it there gives the same tree.

    Raises
    ------
    Refusal
        Reason ``no_form``: the dialect has no way to write an op with these parameters.
    """
    return _Writer(dialect, exact=True, rewrite=False).text(node)


def convert(
    text: str,
    source: DialectName,
    target: DialectName,
    *,
    exact: bool = True,
    fields: FieldList | None = None,
) -> Conversion:
    """A formula of one dialect in another.

    An op that the target has no word for is written with others where they give the same values
    (``Quantile`` as ``ts_percentage``).

    Parameters
    ----------
    exact : with False, an op may take the target's own convention (ddof, missing values in a window,
        scale of ranks) or the nearest form it has; each change is listed in ``differences``. None
        turns an order around.

    Raises
    ------
    Refusal
        The formula is refused in its own dialect, or reads the future (an ``ExpressionError``), or has no
        form in the target.
    """
    expression = parse(text, source, fields=fields, level="typed")
    require_windows(expression)
    try:
        return _written(expression.node, target, exact=exact)
    except Refusal as error:
        if exact and error.reason is reasons.NO_FORM:
            raise _offering_loose(error, expression.node, target) from error
        raise


def _written(node: Node, target: DialectName, *, exact: bool) -> Conversion:
    writer = _Writer(target, exact=exact)
    program = writer.program(node)
    differences = tuple(dict.fromkeys(writer.differences))
    return Conversion(write(program, target), target, differences, _of_consultants(program, target))


def _of_consultants(program: Program, dialect: DialectName) -> tuple[str, ...]:
    """The words of a program that not every user of the platform may use, each once."""
    if dialect != "fastexpr":
        return ()
    known = words(dialect)
    names = dict.fromkeys(part.name for part in parts_of(program) if isinstance(part, Apply))
    return tuple(sorted(name for name in names if known[name.lower()].level == "consultant"))


def _offering_loose(error: Refusal, node: Node, target: DialectName) -> Refusal:
    """The refusal with what the target's own conventions would change, where they allow a form."""
    try:
        differences = _written(node, target, exact=False).differences
    except Refusal as final:
        return final
    changes = "; ".join(differences)
    fix = f"add --loose (exact=False): {changes}; or choose another dialect, such as core"
    return Refusal(
        error.reason, error.message, where=error.where, fix=fix, details={"loose": list(differences)}
    )


class _Writer:
    """``plain``: words that stand for several ops are left out."""

    def __init__(
        self, dialect: DialectName, *, exact: bool, rewrite: bool = True, plain: bool = False
    ) -> None:
        if dialect not in GRAMMARS:
            raise unknown_dialect(dialect)
        self.plain = plain
        self.dialect = dialect
        self.grammar = GRAMMARS[dialect]
        self.exact = exact
        self.rewrite = rewrite
        self.differences: list[str] = []
        self.failed: Call | None = None

    def text(self, node: Node) -> str:
        return write(self.program(node), self.dialect)

    def program(self, node: Node) -> Program:
        return Program((Statement(None, self.syntax(node)),))

    def syntax(self, node: Node) -> Syntax:
        if isinstance(node, Constant):
            return self._constant(node.value)
        if isinstance(node, Field):
            return self._field(node.name)
        return self._call(node)

    def _constant(self, value: float) -> Syntax:
        if math.isnan(value) and self.dialect in ("core", "fastexpr"):
            return Name("nan")
        if not math.isfinite(value):
            raise self._error(f"the constant {value}")
        return Number(value) if value >= 0 else Unary("-", Number(-value))

    def _field(self, name: str) -> Syntax:
        if self.dialect == "report":
            if name not in _REPORT_NAMES:
                raise self._error(f"the field {name!r}")
            return Name(f"${_REPORT_NAMES[name]}")
        return Name(f"${name}" if self.grammar.dollar == "always" else name)

    def _call(self, node: Call) -> Syntax:
        filtered = _filtered(node, self.dialect)
        if filtered is not None:
            word, inputs = filtered
            return Apply(word, tuple(self.syntax(x) for x in inputs), (("filter", Name("true")),))
        op = op_table()[node.op]
        form = op.form(self.dialect)
        listed = _composites_of(self.dialect, node.op)
        for composite in listed:
            if _pattern(composite).depth > 2 and not self.plain and _needed(composite):
                written = self._composite(node, composite)
                if written is not None:
                    return written
        if form is not None and form.symbol and not node.params:
            return self._symbol(node, form)
        if form is not None and form.names and self._fits(node, form, note=False):
            return self._form(node, op, form)
        for composite in listed:
            written = self._composite(node, composite)
            if written is not None:
                return written
        if form is not None and form.names and not self.exact and self._fits(node, form, note=True):
            return self._form(node, op, form)
        if not self.exact:
            for composite in listed:
                bent, changed = self._bent(node, composite)
                written = self._composite(bent, composite)
                if written is not None:
                    self.differences.extend(changed)
                    return written
        written = self._equivalent(node)
        if written is not None:
            return written
        what = f"{node.op} with {_params_text(node)}" if node.params else node.op
        none = "" if self._has(node.op) else ": it has no word for that, nor others that give the same"
        self.failed = node
        raise self._error(what + none)

    def _equivalent(self, node: Call) -> Syntax | None:
        """The op said with others; None where the dialect cannot, or only with differences not allowed."""
        found = equivalent(node, self.dialect, self._has) if self.rewrite else None
        if found is None or (self.exact and found.differences):
            return None
        noted = len(self.differences)
        self.differences.extend(found.differences)
        try:
            return self.syntax(found.node)
        except Refusal:
            if self.failed is None or (self.failed != node and self.failed in distinct(node)):
                raise
            # the refusal must name the op that was written, not what was tried in its place
            del self.differences[noted:]
            return None

    def _has(self, op: str) -> bool:
        form = op_table()[op].form(self.dialect)
        return (form is not None and bool(form.names or form.symbol)) or bool(
            _composites_of(self.dialect, op)
        )

    def _symbol(self, node: Call, form: Form) -> Syntax:
        args = [self.syntax(arg) for arg in node.args]
        if form.symbol == "?":
            if form.names:
                return Apply(form.names[0], tuple(args))
            return Conditional(args[0], args[1], args[2])
        if len(args) == 1:
            if isinstance(args[0], Number) and form.names:
                # a sign before a number would be read as a negative number
                return Apply(form.names[0], (args[0],))
            return Unary(form.symbol, args[0])
        return Binary(form.symbol, args[0], args[1])

    def _fits(self, node: Call, form: Form, *, note: bool) -> bool:
        """Whether the form can say these parameters; with ``note`` it may bend conventions."""
        presets = dict(form.presets)
        op = op_table()[node.op]
        written = set(form.order) if form.order else {p.name for p in op.params} - set(presets)
        changed = []
        for param in op.params:
            value = node.param(param.name)
            if param.name in written:
                continue
            stands = presets.get(param.name, param.default)
            if stands is None:
                return False
            if coerce(param, stands) != value:
                if not (note and param.name in _CONVENTIONS):
                    return False
                changed.append(_change(node.op, param.name, value, stands))
        self.differences.extend(changed)
        return True

    def _form(self, node: Call, op: Op, form: Form) -> Syntax:
        args = dict(zip((a.name for a in op.args), node.args, strict=True))
        preset = {name for name, _ in form.presets}
        order = form.order or tuple(n for n in (*args, *(p.name for p in op.params)) if n not in preset)
        renames = {canonical: written for written, canonical in reversed(form.renames)}
        defaults = dict(form.defaults)
        positional: list[Syntax] = []
        named: list[tuple[str, Syntax]] = []
        skipped = False
        for name in order:
            if name in args:
                positional.append(self.syntax(args[name]))
                continue
            param = op.params[op.param_index[name]]
            value = node.param(name)
            default = defaults.get(name, param.default)
            if default is not None and coerce(param, default) == value:
                skipped = True
            elif not self.grammar.named:
                positional.append(self._literal(value))
            elif positional and (skipped or default is not None):
                named.append((renames.get(name, name), self._literal(value)))
            else:
                positional.append(self._literal(value))
        return Apply(form.names[0], tuple(positional), tuple(named))

    def _literal(self, value: ParamValue) -> Syntax:
        if isinstance(value, bool):
            return Name("true" if value else "false")
        if isinstance(value, str):
            return Text(value)
        return Number(value) if value >= 0 else Unary("-", Number(-value))

    def _composite(self, node: Call, composite: Composite) -> Syntax | None:
        """The word that stands for this very node, its options left at their defaults."""
        bound = _match(_pattern(composite), node)
        if bound is None:
            return None
        given = {
            s.name: bound[s.name] if isinstance(s, Arg) or s.name in bound else _option(s, node)
            for s in composite.slots
        }
        try:
            if composite.build(given) != node:
                return None
        except (ValueError, TypeError):
            return None
        args: list[Syntax] = []
        named: list[tuple[str, Syntax]] = []
        for slot in composite.slots:
            value = given[slot.name]
            if isinstance(slot, Arg):
                args.append(self.syntax(value))  # type: ignore[arg-type]
            elif value is not None and value != slot.default:
                literal = self._literal(value)  # type: ignore[arg-type]
                if slot.default is None and not slot.optional:
                    args.append(literal)
                else:
                    named.append((slot.name, literal))
        return Apply(composite.names[0], tuple(args), tuple(named))

    def _bent(self, node: Call, composite: Composite) -> tuple[Call, list[str]]:
        """The node with the conventions that the composite fixes, and what that changes."""
        theirs = dict(_pattern(composite).params)
        params, changed = [], []
        for name, value in node.params:
            stands = theirs[name] if name in _CONVENTIONS and name in theirs else value
            if stands != value:
                changed.append(_change(node.op, name, value, stands))
            params.append((name, stands))
        return Call(node.op, node.args, tuple(params)), changed

    def _error(self, what: str) -> Refusal:
        return Refusal(reasons.NO_FORM, f"{self.dialect} cannot write {what}", where=self.dialect)


def _change(op: str, name: str, value: ParamValue, stands: ParamValue) -> str:
    before, after = (WHOLE if name == "min_periods" and v == 0 else v for v in (value, stands))
    shown = [v if v is WHOLE else repr(v) for v in (before, after)]
    return f"{op}: {name} {shown[0]} becomes {shown[1]}"


def _params_text(node: Call) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in node.params)


_RENAMED: Final = {
    "buckets": "edges", "skipBoth": "skip_both", "NaNGroup": "missing_group", "lower": "low", "upper": "high",
}  # fmt: skip


def _option(slot: Param, node: Call) -> object:
    """What an option of a word must be to give this node; its default where the node does not say."""
    own = dict(node.params)
    if slot.name == "rettype":
        return OUTPUTS.index(str(own["output"])) if "output" in own else slot.default
    if slot.name == "dense":
        return own["missing"] == "strict" if "missing" in own else slot.default
    return own.get(_RENAMED.get(slot.name, slot.name), slot.default)


_PLACEHOLDER: Final = 7919
"""Stands for a required number in a pattern; no word fixes this value itself."""


@lru_cache(maxsize=256)
def _pattern(composite: Composite) -> Call:
    """What the word builds from placeholders: a field for each input, one number for required ones.

    An empty call where it cannot be built from them: it needs a text, or one of two options.
    """
    given: dict[str, object] = {}
    for slot in composite.slots:
        if isinstance(slot, Arg):
            given[slot.name] = Field(slot.name)
        elif slot.default is None and not slot.optional:
            if slot.type == "text":
                return Call("")
            given[slot.name] = _PLACEHOLDER
        else:
            given[slot.name] = "0,1" if slot.name == "buckets" else slot.default
    try:
        built = composite.build(given) if not composite.variadic else None
    except ValueError:
        return Call("")
    return built if isinstance(built, Call) else Call("")


def _match(pattern: Node, node: Node) -> dict[str, object] | None:
    """What the placeholders of a pattern stand for in a tree, None when it does not fit."""
    bound: dict[str, object] = {}
    stack = [(pattern, node)]
    while stack:
        theirs, own = stack.pop()
        if isinstance(theirs, Field):
            if bound.setdefault(theirs.name, own) != own:
                return None
        elif isinstance(theirs, Call) and isinstance(own, Call):
            if theirs.op != own.op or len(theirs.args) != len(own.args):
                return None
            for (name, value), (_, given) in zip(theirs.params, own.params, strict=True):
                if value == _PLACEHOLDER:
                    bound[name] = given
            stack.extend(zip(theirs.args, own.args, strict=True))
        elif theirs != own:
            return None
    return bound


@lru_cache(maxsize=256)
def _needed(composite: Composite) -> bool:
    """Whether what a word stands for cannot be said in words that are open to every user of the platform."""
    if composite.level != "consultant":
        return True
    writer = _Writer(composite.dialect, exact=True, rewrite=False, plain=True)
    try:
        plain = Program((Statement(None, writer.syntax(_pattern(composite))),))
    except Refusal:
        return True
    known = words(composite.dialect)
    return any(known[p.name.lower()].level != "user" for p in parts_of(plain) if isinstance(p, Apply))


def _filtered(node: Call, dialect: DialectName) -> tuple[str, tuple[Node, ...]] | None:
    """The word and the inputs of ``add(x, y, filter=true)``, which is read as a sum of filled inputs."""
    found = _fillers(dialect).get(node.op)
    if found is None:
        return None
    word, filler = found
    inputs: list[Node] = []
    left: Node = node
    while isinstance(left, Call) and left.op == node.op:
        inputs.append(left.args[1])
        left = left.args[0]
    inputs.append(left)
    bare = [x.args[0] for x in inputs if isinstance(x, Call) and (x.op, x.params) == filler]
    return (word, tuple(reversed(bare))) if len(bare) == len(inputs) else None


@lru_cache(maxsize=16)
def _fillers(dialect: DialectName) -> Mapping[str, tuple[str, tuple[str, Params]]]:
    """By op, the word with the option ``filter`` and the op that the option puts around each input."""
    found: dict[str, tuple[str, tuple[str, Params]]] = {}
    for composite in composites():
        if composite.dialect == dialect and any(slot.name == "filter" for slot in composite.slots):
            built = composite.build({"inputs": (Field("x"), Field("y")), "filter": True})
            filler = built.args[0] if isinstance(built, Call) else built
            assert isinstance(built, Call)
            assert isinstance(filler, Call)
            found[built.op] = composite.names[0], (filler.op, filler.params)
    return found


@lru_cache(maxsize=16)
def _by_op(dialect: DialectName) -> Mapping[str, tuple[Composite, ...]]:
    found: dict[str, list[Composite]] = {}
    for composite in composites():
        if composite.dialect == dialect and not composite.variadic:
            found.setdefault(_pattern(composite).op, []).append(composite)
    return {op: tuple(listed) for op, listed in found.items() if op}


def _composites_of(dialect: DialectName, op: str) -> tuple[Composite, ...]:
    return _by_op(dialect).get(op, ())
