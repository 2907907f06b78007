from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.config import as_date
from assay.engine import evaluate
from assay.errors import Problem, Refusal
from assay.expr import Node, fields_of
from assay.features._cache import FeatureCache
from assay.features._feature import LAG, Base, Feature, Formula, Function, Label, Values
from assay.features._graph import FeatureGraph, FeatureProblems
from assay.features._lookahead import check_lookahead, run_function
from assay.features._reasons import AS_OF_IN_FUTURE
from assay.market import Panel, data_digest
from assay.metrics import forward_returns, lag_rows

MEMORY_BYTES = 256 << 20

Dates = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True)
class FeaturePanel:
    """A feature as it was known at a date.

    Parameters
    ----------
    dates : event times of the rows, datetime64[D] ``(T,)``.
    instruments : names of the columns.
    values : float32 ``(T, N)``, read-only, NaN = missing.
    known : knowledge times of the rows, datetime64[D] ``(T,)``.
    """

    feature: Feature
    hash: str
    dates: Dates
    instruments: tuple[str, ...]
    values: Values
    known: Dates


class FeatureStore:
    """Features of a panel, as of a date.

    Parameters
    ----------
    panel : where the fields are. Of an agent's store it ends with ``search``.
    graph : the features.
    universe : members by date that ops across instruments see; ``None`` for all instruments.
    cache : folder of values that were computed before; ``None`` for none. Never a source.
    clock : the last day that may be asked for; by default the panel's last.
    period, start : name and first day of what models train and are evaluated on; rows before ``start`` only
        feed lookbacks. By default the whole panel.

    Raises
    ------
    FeatureProblems
        The graph has fields that the panel lacks.
    Refusal
        ``unknown_universe``, ``universe_outdated``.
    """

    def __init__(
        self,
        panel: Panel,
        graph: FeatureGraph,
        *,
        universe: str | None = None,
        cache: Path | None = None,
        clock: date | None = None,
        period: str = "all",
        start: date | None = None,
    ) -> None:
        _check_fields(panel, graph)
        if universe is not None:
            panel.universe(universe)
        self.panel, self.graph, self.universe = panel, graph, universe
        self.clock = clock or as_date(panel.dates[-1])
        self.period = period
        self.start_row = 0 if start is None else int(np.searchsorted(panel.dates, np.datetime64(start, "D")))
        self._cache = None if cache is None else FeatureCache(cache)
        self._memory = _Memory(MEMORY_BYTES)
        self._checked: set[str] = set()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the data set's content."""
        return data_digest(self.panel)

    def materialize(self, name: str, as_of: date | None = None) -> FeaturePanel:
        """A feature as of a day, by default the clock: the rows that were known by then, and no other.

        It is computed from the panel cut there, and equals, bit for bit, the one of the whole panel cut at
        the same row.

        Raises
        ------
        Refusal
            ``unknown_feature``; ``as_of_in_future``: after the clock; ``broken_feature``: a Python feature
            that it depends on looks ahead, or raises.
        """
        feature = self.graph.get_feature(name)
        rows = self._rows(as_of)
        count = max(0, rows - feature.lag)
        values = self._values([name], rows)[name][:count] if count else self._nothing
        dates = self.panel.dates
        return FeaturePanel(
            feature=feature,
            hash=self.graph.hash(name),
            dates=dates[:count],
            instruments=self.panel.instruments,
            values=values,
            known=dates[feature.lag : feature.lag + count],
        )

    def known(self, names: Iterable[str]) -> dict[str, Values]:
        """What was known of features at each bar of the panel, float32 ``(T, N)`` by name: row ``t`` has the
        value of row ``t - lag``.
        """
        found = self._values(list(names), self.panel.shape[0])
        return {name: lag_rows(values, self.graph[name].lag) for name, values in found.items()}

    def known_formulas(
        self, formulas: Mapping[str, Node], sink: Callable[[str, Values], None], *, threads: int = 1
    ) -> None:
        """What was known of formulas over features at each bar, handed out one by one as they are ready.

        Parameters
        ----------
        formulas : trees by name over features, and over groups and vectors of the panel.
        sink : called with a name and its values, float32 ``(T, N)``: row ``t`` has the value of row
            ``t - lag``, with the longest lag of the features that the formula reads.
        threads : of the engine; never change a value.
        """
        fields = {
            name: [item for item in fields_of(node) if item in self.graph] for name, node in formulas.items()
        }
        self._check_functions(sorted({item for named in fields.values() for item in named}))
        members = None if self.universe is None else self.panel.universe(self.universe)

        def take(name: str, values: Values) -> None:
            lag = max((self.graph[item].lag for item in fields[name]), default=LAG)
            sink(name, lag_rows(values, lag))

        work = _Work(self, self.panel, self.panel.shape[0])
        evaluate(formulas, work, universe=members, threads=threads, sink=take)

    @property
    def _nothing(self) -> Values:
        return np.empty((0, self.panel.shape[1]), dtype=np.float32)

    def _rows(self, as_of: date | None) -> int:
        """How many bars of the panel had closed by a day."""
        if as_of is not None and as_of > self.clock:
            raise Refusal(AS_OF_IN_FUTURE, where="as_of")
        day = np.datetime64(as_of or self.clock, "D")
        return int(np.searchsorted(self.panel.dates, day, side="right"))

    def _values(self, names: list[str], rows: int) -> dict[str, Values]:
        """Values on the first ``rows`` bars, as if the panel ended there."""
        self._check_functions(names)
        return self._computed(names, rows)

    def _computed(self, names: list[str], rows: int) -> dict[str, Values]:
        view = self.panel.between(None, self.panel.dates[rows - 1])
        work = _Work(self, view, rows)
        return {name: work.value(name) for name in names}

    def _check_functions(self, names: list[str]) -> None:
        """Check Python features for lookahead, deps first, before they are first served."""
        for name in self.graph.needed(names):
            feature = self.graph[name]
            if isinstance(feature.rule, Function) and name not in self._checked:
                whole = self.panel.shape[0]
                inputs = list(self._computed(list(feature.deps), whole).values())
                deps = max((self.graph[dep].lag for dep in feature.deps), default=0)
                check_lookahead(feature, inputs, feature.lag - deps if feature.is_label else 0)
                self._checked.add(name)

    def _content(self, name: str, rows: int) -> dict[str, Any]:
        dates = self.panel.dates
        return {
            "feature": self.graph.hash(name),
            "data": self.digest,
            "first": str(dates[0]),
            "last": str(dates[rows - 1]),
            "universe": self.universe,
            "version": __version__,
        }


class _Work:
    """One computation on the panel cut at a row."""

    def __init__(self, store: FeatureStore, view: Panel, rows: int) -> None:
        self._store, self._view, self._rows = store, view, rows

    @property
    def shape(self) -> tuple[int, int]:
        return self._view.shape

    def field(self, name: str) -> Values:
        """As the engine asks for inputs: a feature, or a field that is none."""
        return self.value(name) if name in self._store.graph else self._view.field(name)

    def group(self, name: str) -> NDArray[np.int32]:
        return self._view.group(name)

    def vector(self, name: str) -> Values:
        return self._view.vector(name)

    def value(self, name: str) -> Values:
        """Values of a feature: from memory, from the cache, or computed."""
        store = self._store
        feature = store.graph[name]
        if isinstance(feature.rule, Base):
            return self._view.field(feature.rule.field)
        key = (name, self._rows)
        found = store._memory.get(key)
        if found is None:
            found = self._stored(feature)
            found.flags.writeable = False
            store._memory.put(key, found)
        return found

    def _stored(self, feature: Feature) -> Values:
        cache = (
            None if isinstance(feature.rule, Label) else self._store._cache
        )  # a label is made faster than read
        if cache is None:
            return self._made(feature)
        content = self._store._content(feature.name, self._rows)
        found = cache.get(content, self.shape)
        if found is None:
            found = self._made(feature)
            cache.put(content, found)
        return found

    def _made(self, feature: Feature) -> Values:
        rule = feature.rule
        if isinstance(rule, Formula):
            return self._formula(rule.expression.node)
        if isinstance(rule, Label):
            return label_values(self._view, rule)
        return run_function(feature, [self.value(dep) for dep in feature.deps], self.shape)

    def _formula(self, node: Node) -> Values:
        universe = self._store.universe
        members = None if universe is None else self._view.universe(universe)
        return evaluate({"value": node}, self, universe=members)["value"].copy()


def label_values(panel: Panel, label: Label) -> Values:
    """A label on all rows of a panel, float32 ``(T, N)``; the last ``1 + horizon`` rows are missing."""
    gone = panel.trading(label.fill).delisted_row
    return forward_returns(panel.field(label.fill), label.horizon, delisted_row=gone)


class _Memory:
    """The arrays used last, up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._items: OrderedDict[tuple[str, int], Values] = OrderedDict()
        self._lock = threading.Lock()
        self._max, self._held = max_bytes, 0

    def get(self, key: tuple[str, int]) -> Values | None:
        with self._lock:
            found = self._items.get(key)
            if found is not None:
                self._items.move_to_end(key)
            return found

    def put(self, key: tuple[str, int], values: Values) -> None:
        with self._lock:
            before = self._items.pop(key, None)
            self._held += values.nbytes - (0 if before is None else before.nbytes)
            self._items[key] = values
            while self._held > self._max and len(self._items) > 1:
                self._held -= self._items.popitem(last=False)[1].nbytes


def _check_fields(panel: Panel, graph: Mapping[str, Feature]) -> None:
    problems = []
    for name, feature in graph.items():
        rule = feature.rule
        wanted: Iterable[str] = ()
        if isinstance(rule, Base):
            wanted = (rule.field,)
        elif isinstance(rule, Formula):
            wanted = (field for field in rule.expression.fields if field not in graph)
        problems += [
            Problem(name, f"needs {field!r}, which the data set {panel.name!r} does not have")
            for field in wanted
            if field not in panel.fields
        ]
    if problems:
        raise FeatureProblems(problems)
