"""A loose conversion may lose values or rescale them; it never changes an order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import spearmanr

from assay.engine import reference
from assay.errors import Refusal
from assay.expr import (
    DIALECTS,
    STANDARD_FIELDS,
    Call,
    Constant,
    Field,
    FieldInfo,
    convert,
    op_table,
    parse,
    to_text,
)

FIELDS = {**STANDARD_FIELDS, "news": FieldInfo("news", "vector")}
BARS, STOCKS, WINDOW = 60, 14, 8


class Panel:
    """Positive random walks with some values missing in the later half, and groups."""

    shape = (BARS, STOCKS)

    def __init__(self) -> None:
        draw = np.random.default_rng(11)
        self._numbers = {}
        for name in ("close", "open", "volume", "high"):
            values = np.exp(np.cumsum(draw.normal(0.0, 0.3, self.shape), axis=0)).astype(np.float32)
            values[BARS // 2 :][draw.random((BARS - BARS // 2, STOCKS)) < 0.02] = np.nan
            self._numbers[name] = values
        self._groups = np.broadcast_to(np.arange(STOCKS) % 2, self.shape).astype(np.int32)
        self._vectors = draw.normal(5.0, 1.0, (4, *self.shape)).astype(np.float32)

    def field(self, name):
        return self._numbers[name]

    def group(self, name):
        return self._groups

    def vector(self, name):
        return self._vectors


SAMPLE = {
    "window": WINDOW, "span": 5.0, "q": 0.8, "factor": 0.9, "k": 2, "m": 2, "nth": 1, "low": 0.5, "high": 2.0,
    "edges": "0.2,0.4,0.6,0.8",
}  # fmt: skip


def written(op, dialect, chosen):
    """The op in a dialect, with the parameters that it fixes there; None where it has no word for them."""
    numbers = iter(("close", "open", "volume", "high"))
    groups = iter(("sector", "industry"))
    args = []
    for arg in op.args:
        if arg.kind == "bool":
            args.append(Call("gt", (Field(next(numbers)), Constant(1.0))))
        elif arg.kind == "group":
            args.append(Field(next(groups)))
        else:
            args.append(Field("news" if arg.kind == "vector" else next(numbers)))
    form = op.form(dialect)
    fixed = {} if form is None else dict(form.presets)
    given = {p.name: fixed.get(p.name, SAMPLE.get(p.name, p.default)) for p in op.params}
    given.update(chosen)
    try:
        return to_text(Call(op.name, tuple(args), op.fill(given)), dialect)
    except Refusal:
        return None


def choices(op):
    """Each value of each convention alone: the texts to choose from, true or false, and counts."""
    for param in op.params:
        values = param.choices if param.name != "output" else ()
        if param.type == "bool":
            values = (False, True)
        elif param.name in ("min_periods", "ddof"):
            values = (0, 1)
        yield from ({param.name: value} for value in values)


CASES = [
    (op.name, source, chosen)
    for op, source in product(op_table().values(), DIALECTS)
    if op.evaluate is None and (source == "core" or op.form(source))
    for chosen in ({}, *(choices(op) if source == "core" else ()))
]


@pytest.fixture(scope="module")
def values():
    panel, known = Panel(), {}

    def of(node):
        if node not in known:
            known[node] = reference.evaluate(node, panel)
        return known[node]

    return of


def likeness(one, other) -> float:
    """Mean rank correlation across stocks, over the bars where both have an order."""
    found = []
    for a, b in zip(one, other, strict=True):
        both = np.isfinite(a) & np.isfinite(b)
        if both.sum() >= 5 and np.ptp(a[both]) > 0:
            if np.ptp(b[both]) == 0:
                return 0.0
            found.append(spearmanr(a[both], b[both]).statistic)
    if not found:
        both = np.isfinite(one) & np.isfinite(other)
        return 1.0 if both.any() and np.allclose(one[both], other[both], rtol=1e-5) else 0.0
    return float(np.mean(found))


@pytest.mark.parametrize(("name", "source", "chosen"), CASES)
def test_a_loose_conversion_keeps_the_order(name, source, chosen, values) -> None:
    text = written(op_table()[name], source, chosen)
    if text is None:
        assert source != "core"
        return
    node = parse(text, source, fields=FIELDS, level="typed").node
    for target in DIALECTS:
        try:
            made = convert(text, source, target, exact=False, fields=FIELDS)
        except Refusal:
            continue
        back = parse(made.text, target, fields=FIELDS, level="typed").node
        if back == node:
            assert made.differences == (), (made, target)
            continue
        like = likeness(values(node), values(back))
        assert like > 0.95, f"{text} ({source}) as {made.text} ({target}): {like:.3f}"


@pytest.mark.parametrize("q", [0.0, 0.1, 0.25, 0.5, 0.8, 0.99, 1.0])
@pytest.mark.parametrize("window", [1, 2, 5, 8])
def test_a_quantile_is_written_exactly(q, window, values) -> None:
    text = f"ts_quantile(close, {window}, {q})"
    made = convert(text, "core", "fastexpr")
    one, other = values(parse(text).node), values(parse(made.text, "fastexpr").node)
    np.testing.assert_allclose(other, one, rtol=1e-5)
