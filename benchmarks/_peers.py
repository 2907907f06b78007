"""The same formulas for other libraries: KunQuant (compiled C++) and pandas."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from assay.expr import Call, Constant, Field, Node, distinct, fields_of

LAYOUTS = (("STs8", "STs", 8), ("STs16", "STs", 16), ("TS", "TS", 16))


class KunQuant:
    """One compiled batch in one layout, float32, one thread."""

    def __init__(self, nodes: Mapping[str, Node], data: Any, layout: tuple[str, str, int]) -> None:
        from KunQuant.Driver import KunCompilerConfig
        from KunQuant.jit import cfake
        from KunQuant.Op import Builder, Input, Output
        from KunQuant.runner import KunRunner
        from KunQuant.Stage import Function

        self.name, kind, self._lanes = layout
        self._blocked = kind == "STs"
        self._runner = KunRunner
        self._shape = tuple(data.shape)
        names = sorted({field for node in nodes.values() for field in fields_of(node)})
        builder = Builder()
        with builder:
            built: dict[Node, Any] = {Field(name): Input(name) for name in names}
            for name, node in nodes.items():
                Output(_kunquant(node, built), name)
        config = KunCompilerConfig(
            input_layout=kind, output_layout=kind, blocking_len=self._lanes, split_source=10
        )
        started = time.process_time(), _children()
        self._library = cfake.compileit(
            [("batch", Function(builder.ops), config)],
            f"batch_{self.name}",
            cfake.CppCompilerConfig(for_each=cfake.single_thread_compile),
        )
        self.compile_seconds = time.process_time() - started[0] + _children() - started[1]
        self._module = self._library.getModule("batch")
        self._executor = self._runner.createSingleThreadExecutor()
        self._inputs = {name: self._packed(data.field(name)) for name in names}
        self._outputs = {name: np.empty_like(self._inputs[names[0]]) for name in nodes}

    def run(self) -> None:
        """Evaluate into fresh arrays, as it does by itself."""
        self._graph({})

    def run_into(self) -> None:
        """Evaluate into arrays made beforehand."""
        self._graph(self._outputs)

    def _graph(self, outputs: dict[str, Any]) -> None:
        self._runner.runGraph(self._executor, self._module, self._inputs, 0, self._shape[0], outputs)

    def result(self, name: str) -> np.ndarray:
        array = self._outputs[name]
        if self._blocked:
            array = array.transpose(1, 0, 2).reshape(self._shape[0], -1)
        return array[:, : self._shape[1]]

    def _packed(self, panel: np.ndarray) -> np.ndarray:
        """Instruments in blocks of lanes, padded to whole blocks with missing values."""
        if not self._blocked:
            return np.ascontiguousarray(panel)
        extra = -panel.shape[1] % self._lanes
        padded = np.pad(panel, ((0, 0), (0, extra)), constant_values=np.nan)
        blocks = padded.reshape(panel.shape[0], -1, self._lanes)
        return np.ascontiguousarray(blocks.transpose(1, 0, 2))


def _children() -> float:
    """CPU seconds of finished child processes: the C++ compiler."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _kunquant(root: Node, built: dict[Node, Any]) -> Any:
    from KunQuant import ops as k
    from KunQuant.Op import ConstantOp, Rank

    makers: dict[str, Callable[..., Any]] = {
        "neg": lambda x: 0 - x, "abs": k.Abs, "sign": k.Sign, "log": k.Log, "rank": lambda x, **_: Rank(x),
        "maximum": k.Max, "minimum": k.Min, "gt": k.GreaterThan, "lt": k.LessThan,
        "delay": lambda x, window: k.BackRef(x, window),
        "delta": lambda x, window: x - k.BackRef(x, window),
        "ts_sum": lambda x, window, **_: k.WindowedSum(x, window),
        "ts_mean": lambda x, window, **_: k.WindowedAvg(x, window),
        "ts_std": lambda x, window, **_: k.WindowedStddev(x, window),
        "ts_max": lambda x, window, **_: k.WindowedMax(x, window),
        "ts_min": lambda x, window, **_: k.WindowedMin(x, window),
        "ts_argmax": lambda x, window, **_: k.TsArgMax(x, window),
        "ts_argmin": lambda x, window, **_: k.TsArgMin(x, window),
        "ts_rank": lambda x, window, **_: k.TsRank(x, window) / window,
        "ts_decay_linear": lambda x, window, **_: k.DecayLinear(x, window),
        "ts_corr": lambda x, y, window, **_: k.WindowedCorrelation(x, window, y),
        "ts_cov": lambda x, y, window, **_: k.WindowedCovariance(x, window, y),
    }  # fmt: skip
    for node in distinct(root):
        if node in built or isinstance(node, Constant):
            continue
        assert isinstance(node, Call)
        args = [arg.value if isinstance(arg, Constant) else built[arg] for arg in node.args]
        if node.op not in ("where", "and", "or", "not"):
            # a comparison is a mask there, not a number
            args = [
                k.Select(value, ConstantOp(1), ConstantOp(0)) if _is_comparison(arg) else value
                for arg, value in zip(node.args, args, strict=True)
            ]
        params = {name: value for name, value in node.params if name == "window"}
        if node.op in _INFIX:
            built[node] = _INFIX[node.op](*args)
        elif node.op == "where":
            ends = [ConstantOp(a) if isinstance(a, float) else a for a in args[1:]]
            built[node] = k.Select(args[0], *ends)
        else:
            full = [ConstantOp(a) if isinstance(a, float) else a for a in args]
            built[node] = makers[node.op](*full, **params)
    return built[root]


def _is_comparison(node: Node) -> bool:
    return isinstance(node, Call) and node.op in ("gt", "lt")


_INFIX: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}


def pandas_batch(nodes: Mapping[str, Node], data: Any) -> Callable[[], dict[str, Any]]:
    """A function that evaluates the batch with pandas, each distinct sub-expression once."""
    import pandas as pd

    names = sorted({field for node in nodes.values() for field in fields_of(node)})
    frames = {Field(name): pd.DataFrame(data.field(name).astype(np.float64)) for name in names}

    def run() -> dict[str, Any]:
        known: dict[Node, Any] = dict(frames)
        for root in nodes.values():
            for node in distinct(root):
                if node in known:
                    continue
                if isinstance(node, Constant):
                    known[node] = node.value
                elif isinstance(node, Call):
                    args = [known[arg] for arg in node.args]
                    known[node] = _PANDAS[node.op](*args, **dict(node.params))
        return {name: known[root] for name, root in nodes.items()}

    return run


def _decay(x: Any, window: int, **_: Any) -> Any:
    weights = np.arange(1.0, window + 1) / (window * (window + 1) / 2)
    return x.rolling(window).apply(lambda v: v @ weights, raw=True)


def _where(condition: Any, x: Any, y: Any) -> Any:
    import pandas as pd

    values = np.where(condition, x, y)
    return pd.DataFrame(values, index=condition.index, columns=condition.columns)


_PANDAS: dict[str, Callable[..., Any]] = {
    **_INFIX,
    "neg": lambda x: -x,
    "abs": lambda x: x.abs(),
    "sign": np.sign,
    "log": np.log,
    "gt": lambda x, y: x > y,
    "lt": lambda x, y: x < y,
    "where": _where,
    "rank": lambda x, **_: x.rank(axis=1, pct=True),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "delay": lambda x, window: x.shift(window),
    "delta": lambda x, window: x - x.shift(window),
    "ts_sum": lambda x, window, **_: x.rolling(window).sum(),
    "ts_mean": lambda x, window, **_: x.rolling(window).mean(),
    "ts_std": lambda x, window, **_: x.rolling(window).std(),
    "ts_max": lambda x, window, **_: x.rolling(window).max(),
    "ts_min": lambda x, window, **_: x.rolling(window).min(),
    "ts_argmax": lambda x, window, **_: x.rolling(window).apply(np.argmax, raw=True) + 1,
    "ts_argmin": lambda x, window, **_: x.rolling(window).apply(np.argmin, raw=True) + 1,
    "ts_rank": lambda x, window, **_: x.rolling(window).rank(pct=True),
    "ts_decay_linear": _decay,
    "ts_corr": lambda x, y, window, **_: x.rolling(window).corr(y),
    "ts_cov": lambda x, y, window, **_: x.rolling(window).cov(y),
}
