"""The engine in the qlib dialect against pyqlib, both on one store in qlib's format.

    python benchmarks/qlib_diff.py                     makes an environment for pyqlib first, with pip
    python benchmarks/qlib_diff.py --python PYTHON     with the interpreter of an environment that has pyqlib
    python benchmarks/qlib_diff.py --data FOLDER       on a stored data set instead of a simulated market

pyqlib lives in an environment of its own, since it binds its versions of pandas and others. Prints a table;
exit code 1 when a formula disagrees. ``ASSAY_QLIB_PYTHON`` names the interpreter as ``--python`` does; with
it set, ``tests/market/test_qlib_peer.py`` runs the same comparison.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from assay.engine import evaluate_formulas
from assay.market import Panel, export_qlib, import_qlib, open_panel, simulate

ENVIRONMENT = "ASSAY_QLIB_PYTHON"
FORMULAS = (
    "$close",
    "$volume",
    "$vwap",
    "Ref($close, 1)",
    "Ref($close, 5)/$close",
    "Delta($close, 3)",
    "Mean($close, 5)",
    "Sum($volume, 10)",
    "Std($close, 20)",
    "Var($close, 10)",
    "Skew($close, 20)",
    "Kurt($close, 20)",
    "Max($high, 10)",
    "Min($low, 10)",
    "Med($close, 9)",
    "Mad($close, 7)",
    "Quantile($close, 20, 0.8)",
    "Rank($close, 10)",
    "EMA($close, 10)",
    "Slope($close, 20)",
    "Rsquare($close, 20)",
    "Resi($close, 20)",
    "Corr($close, Log($volume+1), 20)",
    "Corr($close/Ref($close, 1), $volume/Ref($volume, 1), 10)",
    "Cov($high, $low, 10)",
    "Abs($close-$open)/$open",
    "Sign($close-Ref($close, 1))",
    "Power($close/$open, 3)",
    "Greater($open, $close)-Less($open, $close)",
    "(2*$close-$high-$low)/($high-$low+1e-12)",
    "Mean(Abs($close/Ref($close, 1)-1)*$volume, 20)/Std($volume, 20)",
)


@dataclass(frozen=True)
class Deviation:
    """A formula on which the two differ on purpose; over whole windows without gaps they still agree.

    ``theirs`` is what pyqlib is asked, ``ours`` what Assay is.
    """

    theirs: str
    ours: str
    why: str


_NAN_IS_FALSE = "pyqlib's comparison with a missing value is false; Assay's is missing"
_NAN_IS_LARGEST = "to pyqlib a missing value is the largest and the smallest; Assay skips it"
DEVIATIONS = (
    Deviation("IdxMax($high, 20)", "IdxMax($high, 20)", _NAN_IS_LARGEST),
    Deviation("IdxMin($low, 20)", "IdxMin($low, 20)", _NAN_IS_LARGEST),
    Deviation("Count($close > $open, 10)", "Count($close > $open, 10)", _NAN_IS_FALSE),
    Deviation(
        "If($close > Ref($close, 1), $volume, 0)", "If($close > Ref($close, 1), $volume, 0)", _NAN_IS_FALSE
    ),
    Deviation(
        "10*WMA($close, 10)", "WMA($close, 10)", "pyqlib divides the weighted mean once more by the window"
    ),
)
WHOLE = 21
"""Bars without a gap that no window of a deviating formula goes beyond."""
CLOSE = 1e-5
"""Allowed difference over the larger of the value and the formula's typical size, in float32."""
MOST_APART = 1e-3
"""Share of cells that may differ more, and of cells that only one side has."""


@dataclass(frozen=True)
class Agreement:
    """How one formula compares: cells that both have, that one alone has, and that differ."""

    formula: str
    cells: int
    alone: int
    differ: int
    worst: float
    deviation: str = ""

    @property
    def good(self) -> bool:
        return self.cells > 0 and (self.alone + self.differ) <= MOST_APART * self.cells


def main() -> int:
    """Compare and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        python = options.python or os.environ.get(ENVIRONMENT) or str(make_environment(options.venv))
        panel = (
            open_panel(options.data)
            if options.data is not None
            else simulate(11, instruments=60, days=400, name="peer")
        )
        found = compare(panel, Path(python), folder)
    if options.json:
        print(json.dumps([{**asdict(item), "good": item.good} for item in found], indent=2))
    else:
        print("| formula | cells | one side alone | differ | largest difference |\n|---|---:|---:|---:|---:|")
        for item in found:
            mark = "" if item.good else " **disagrees**"
            mark += f" (whole windows only: {item.deviation})" if item.deviation else ""
            print(f"| `{item.formula}`{mark} | {item.cells:,} | {item.alone} | {item.differ} |", end="")
            print(f" {item.worst:.1e} |")
    return 0 if all(item.good for item in found) else 1


def make_environment(folder: Path) -> Path:
    """The interpreter of an environment with pyqlib, made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "pyqlib"], check=True)
    return python


def compare(panel: Panel, python: Path, folder: Path) -> list[Agreement]:
    """Every formula on every cell within the listings, by both."""
    store = folder / "store"
    export_qlib(panel, store)
    theirs_texts = [*FORMULAS, *(item.theirs for item in DEVIATIONS)]
    ours_texts = [*FORMULAS, *(item.ours for item in DEVIATIONS)]
    (folder / "formulas.json").write_text(json.dumps(theirs_texts), encoding="utf-8")
    script = Path(__file__).with_name("_qlib_features.py")
    done = subprocess.run(
        [str(python), str(script), str(store), str(folder / "formulas.json"), str(folder / "out.npz")],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    if done.returncode:
        raise SystemExit(f"pyqlib failed:\n{done.stderr[-2000:]}")
    # our side reads the same store, so that both see the same bits
    ours = Panel(import_qlib(store, quarantine_bars=False).data)
    named = {f"f{place}": text for place, text in enumerate(ours_texts)}
    computed = evaluate_formulas(named, ours, dialect="qlib")
    listed = _listed(ours)
    with np.load(folder / "out.npz") as theirs:
        if theirs["names"].tolist() != list(ours.instruments) or len(theirs["dates"]) != len(ours.dates):
            raise SystemExit("the two sides do not have the same axes")
        plain = [
            _agreement(text, computed[f"f{place}"], theirs[f"f{place}"], listed)
            for place, text in enumerate(FORMULAS)
        ]
        whole = _whole(ours)
        special = [
            replace(
                _agreement(item.ours, computed[f"f{place}"], theirs[f"f{place}"], whole), deviation=item.why
            )
            for place, item in enumerate(DEVIATIONS, start=len(FORMULAS))
        ]
    return [*plain, *special]


def _listed(panel: Panel) -> np.ndarray:
    rows = np.arange(panel.shape[0])[:, None]
    return (rows >= panel.data.first_row) & (rows <= panel.data.last_row)


def _whole(panel: Panel) -> np.ndarray:
    """Cells at the end of :data:`WHOLE` bars of which none is missing."""
    priced = np.isfinite(panel.field("close"))
    out = np.zeros(priced.shape, dtype=bool)
    windows = np.lib.stride_tricks.sliding_window_view(priced, WHOLE, axis=0)
    out[WHOLE - 1 :] = windows.all(axis=-1)
    return out


def _agreement(text: str, ours: np.ndarray, theirs: np.ndarray, listed: np.ndarray) -> Agreement:
    theirs = np.where(np.isfinite(theirs), theirs, np.nan)
    left, right = np.isfinite(ours) & listed, np.isfinite(theirs) & listed
    both = left & right
    size = np.median(np.abs(theirs[both])) if both.any() else 1.0
    apart = np.abs(ours[both] - theirs[both]) / np.maximum(np.abs(theirs[both]), max(size, 1e-12))
    return Agreement(
        text,
        int(both.sum()),
        int((left ^ right).sum()),
        int((apart > CLOSE).sum()),
        float(apart.max()) if apart.size else 0.0,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", help="interpreter of an environment that has pyqlib")
    parser.add_argument(
        "--venv",
        type=Path,
        default=Path.home() / ".cache" / "assay" / "pyqlib",
        help="where the environment is made",
    )
    parser.add_argument("--data", type=Path, help="a stored data set; default: a simulated market")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
