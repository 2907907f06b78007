"""One note to an admitted spec, and its evolution on CSI 300 with the hidden periods sealed.

    python benchmarks/evolution.py                  three episodes of the sampler, no model
    python benchmarks/evolution.py --episodes 10
    python benchmarks/evolution.py --simulated      on a simulated market, where ``../shared/data`` is missing

Extraction, readings, gate and episodes are the commands that a desk runs, in a workspace of their own. Prints
Markdown. Exit code 1 when a file of an episode, or what the commands told, names a hidden date, or when
another period than ``score`` was looked at.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.cli import main as assay
from assay.config import DateRange, PeriodPlan, as_date, init_workspace, propose_plan
from assay.ledger import Ledger
from assay.market import Panel, open_panel, simulate, write_dataset

ROOT = Path(__file__).resolve().parents[1]
PLAN = {
    # the last bars of a period are the embargo before the next one
    "search": ("2018-01-01", "2021-11-30"),
    "score": ("2022-01-01", "2023-11-30"),
    "eval": ("2024-01-01", "2024-12-31"),
}
NOTE = """# A note on low volatility

We study the volatility factor on CSI 300 constituents. The factor is defined as the standard deviation of
daily returns over the past 60 trading days. High values predict low returns. The factor is computed daily
and rebalanced weekly. It is industry neutral.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--simulated", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return run(Path(scratch), asked.episodes, simulated=asked.simulated)


def run(folder: Path, episodes: int, *, simulated: bool) -> int:
    """The table of the episodes, and what was wrong with them."""
    panel = simulated_market(folder) if simulated else csi300(folder)
    plan = propose_plan(panel.dates, (1, 5, 20)) if simulated else real_plan()
    assert panel.folder is not None
    desk = folder / "desk"
    init_workspace(desk, plans={panel.name: plan})
    (desk / "data" / panel.name).symlink_to(panel.folder, target_is_directory=True)
    with (desk / "assay.toml").open("a", encoding="utf-8") as config:
        config.write(f"\n[data.{panel.name}.looks]\nscore = {episodes}\n")
    (desk / "note.md").write_text(NOTE, encoding="utf-8")
    os.chdir(desk)
    start = time.perf_counter()
    extracted = told("report", "extract", "note.md", "--data", panel.name, "--out", "spec.json")
    show_spec(extracted, panel, time.perf_counter() - start)
    print("\n| seed of the sampler | IR of the spec | winner | IR | delta | reward | seconds |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    answers = []
    for seed in range(episodes):
        start = time.perf_counter()
        answers.append(told("report", "evolve", "spec.json", "--data", panel.name, "--seed", str(seed)))
        show_episode(seed, answers[-1], time.perf_counter() - start)
    return told_of_hidden(desk, panel, plan, answers)


def show_spec(found: dict[str, Any], panel: Panel, seconds: float) -> None:
    """What the note came to."""
    spec, readings = found["spec"], found["readings"]
    kind = "simulated" if panel.manifest.simulated else "real"
    print(f"Data {panel.name} ({kind}), {len(panel.dates):,} days, {panel.shape[1]} stocks. ", end="")
    print(f"`rules` read `{spec['expr']}`, {spec['universe']}, rebalanced {spec['rebalance']}, ", end="")
    print(f"neutralised by {spec['neutralization']}, direction {found['direction']}; ", end="")
    print(f"admitted: {found['admitted']}. RankIC of the readings: ", end="")
    print(", ".join(f"{point['rank_ic']} ({point['name']})" for point in readings["points"]), end="")
    print(f"; {seconds:.1f} s.")


def show_episode(seed: int, found: dict[str, Any], seconds: float) -> None:
    """One row."""
    best = found["best"]
    winner = None if best is None else f"`{best['expr']}`"
    irs = {item["formula"]: item["figures"]["ir"] for item in found["candidates"]}
    reached = None if best is None else irs.get(best["expr"])
    cells = (seed, found["seed"]["ir"], winner, reached, found["delta"], found["reward"])
    print(f"| {' | '.join('' if cell is None else str(cell) for cell in cells)} | {seconds:.1f} |")


def told_of_hidden(desk: Path, panel: Panel, plan: PeriodPlan, answers: list[dict[str, Any]]) -> int:
    """1 when anything that a policy or a caller gets names a hidden date."""
    days = [str(day) for day in panel.dates if day.item() > plan.search.end]
    texts = [path.read_text(encoding="utf-8") for path in (desk / "runs").rglob("*.json")]
    texts += [json.dumps(answer) for answer in answers]
    named = [day for day in days if any(day in text or day.replace("-", "") in text for text in texts)]
    looks = [entry.body["period"] for entry in Ledger.open(desk / "ledger").entries(kind="look")]
    print(f"\n{len(texts)} files and answers name {len(named)} of {len(days)} hidden dates; ", end="")
    print(f"{len(looks)} looks, at {', '.join(sorted(set(looks))) or 'nothing'}.")
    return 1 if named or set(looks) - {"score"} else 0


def told(*arguments: str) -> dict[str, Any]:
    """What ``assay ARGUMENTS --json`` prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = assay([*arguments, "--json"])
    if code:
        sys.exit(f"assay {' '.join(arguments)}: exit code {code}\n{out.getvalue()}")
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def real_plan() -> PeriodPlan:
    ranges = {name: DateRange(as_date(first), as_date(last)) for name, (first, last) in PLAN.items()}
    return PeriodPlan(**ranges, embargo_bars=21)


def simulated_market(folder: Path) -> Panel:
    write_dataset(simulate(5, instruments=200, days=900, name="sim").data, folder / "sim")
    return open_panel(folder / "sim")


def csi300(folder: Path) -> Panel:
    """The stored data that the tests use."""
    spec = importlib.util.spec_from_file_location("real_market_data", ROOT / "tests" / "market" / "real.py")
    if spec is None or spec.loader is None:
        sys.exit("tests/market/real.py is missing: run this from a checkout")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    taken: Callable[[Path, Path], Panel] = module.csi300_panel
    return taken(ROOT.parent / "shared", folder)


if __name__ == "__main__":
    sys.exit(main())
