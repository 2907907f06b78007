"""Formulas computed by pyqlib: run by ``qlib_diff.py`` with the interpreter of pyqlib's own environment.

python _qlib_features.py STORE FORMULAS.json OUT.npz
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np


def main(store: str, formulas: str, out: str) -> None:
    """One array (dates, instruments) a formula, with both axes."""
    import qlib
    from qlib.data import D

    qlib.init(provider_uri=store, region="cn", kernels=1, logging_level="ERROR")
    texts = json.loads(Path(formulas).read_text(encoding="utf-8"))
    days = D.calendar()
    # every instrument on every day: cut to listings, the windows of qlib are still those of the whole series
    names = sorted(D.list_instruments(D.instruments("all"), as_list=True))
    frame = D.features(names, texts, start_time=days[0], end_time=days[-1], disk_cache=0)
    frame.columns = texts
    arrays = {}
    for place, text in enumerate(texts):
        wide = frame[text].unstack(level=0).reindex(index=days, columns=names)
        arrays[f"f{place}"] = wide.to_numpy(dtype=np.float64)
    np.savez(out, dates=np.asarray(days, dtype="datetime64[D]"), names=np.array(names), **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
