"""Stop a writer of a ledger at its n-th file operation, in every way that we know, and check what it left.

    python benchmarks/crash_sweep.py                 every point
    python benchmarks/crash_sweep.py --points 500    that many of them, drawn evenly

A point is a scenario, a fault (death, power cut, EIO, ENOSPC, short write, full disk, ...) and an n; see
``tests/ledger/crash.py``. Prints the count; ends with 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "ledger"))

import crash


def main() -> int:
    parser = argparse.ArgumentParser(description="crash sweep of the ledger")
    parser.add_argument("--points", type=int, default=10**9, help="how many points (default: all)")
    parser.add_argument("--folder", type=Path, help="where to work (default: the folder for temporary files)")
    options = parser.parse_args()
    broken = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        tmp = Path(name)
        every = crash.all_points(tmp)
        points = crash.sample(every, options.points)
        for point in points:
            try:
                crash.run(point, tmp)
            except Exception as error:  # noqa: BLE001 - every broken promise is counted, whatever it raises
                broken.append(f"{point}: {error}")
    faults = Counter(point.fault for point in points)
    print(
        f"{len(points)} of {len(every)} points: " + ", ".join(f"{n} {fault}" for fault, n in faults.items())
    )
    print(f"{len(broken)} broken")
    print("\n".join(broken), end="\n" if broken else "")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
