"""A campaign whose every role is played by a model service, recorded, broken off, resumed and replayed.

    python examples/recorded_campaign.py FOLDER

makes a workspace in FOLDER, starts a service on the loopback (``model_service.py``), and does what a person
would do at the command line. No key and no network are needed: replay and verification run where there is
none, if the system lets a process go without one (Linux, ``unshare``).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from model_service import ROLES, ModelService, serving

SERVICE_ENDED_IT = 3
CREDIT = 16
"""Answers that are paid for at first: too few for the second round."""

CAMPAIGN = """\
[campaign]
data = "sim"

[mechanisms.reversal]
description = "what went too far turns back"

[mechanisms.volume]
description = "what volume says of prices"

[mechanisms.risk]
description = "risk and its shape"

[roles]
planner = "llm"
proposer = "llm"
reviewer = "llm"
distiller = "llm"

[files]
fields = "fields.toml"

[pools]
reference_file = "reference.toml"
known_file = "known.toml"

[quota]
slots = 6
min_per_type = 1

[round]
groups = 2
picked_parents = true
max_children = 2

[context]
seed_directions = ["what a chart reader sees in a week"]
memory_every = 1
theme_correlation = 0.7
lineage = true
send_back_repeats = true

[stop]
max_rounds = 3
max_trials = 100
patience = 3
"""

FIELDS = """\
[open]
description = "first price of the day"

[high]
description = "highest price of the day"

[low]
description = "lowest price of the day"

[close]
description = "last price of the day"

[vwap]
description = "mean price of the day, weighted by volume"

[volume]
description = "shares traded"

[amount]
description = "traded value"

[turn]
description = "share of the float that traded"

[returns]
description = "return since the last close"
"""
KNOWN = """\
[fortnight]
expression = "-ts_return(close, 10)"
family = "reversal"
"""
REFERENCE = """\
[month]
expression = "ts_return(close, 20)"
family = "momentum"
"""
FILES = {
    "campaign.toml": CAMPAIGN,
    "fields.toml": FIELDS,
    "known.toml": KNOWN,
    "reference.toml": REFERENCE,
}


def main(folder: Path) -> None:
    """All of it, each command shown before what it says."""
    assay(folder.parent, "init", folder.name)
    assay(folder, "data", "simulate", "sim", "--instruments", "120", "--days", "1400")
    assay(folder, "periods", "set", "sim")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    service = ModelService(CREDIT)
    with serving(service) as address:
        with (folder / "assay.toml").open("a", encoding="utf-8") as file:
            file.write(settings(address))
        assay(folder, "campaign", "check")
        assay(folder, "campaign", "run", "--run", "recorded", expected=SERVICE_ENDED_IT)
        print("\n# the service is paid for again", flush=True)
        service.top_up(1000)
        assay(folder, "campaign", "resume", "recorded")
    print(f"\n# the service gave {service.answered} answers and is gone", flush=True)
    assay(folder, "campaign", "replay", "recorded", "--to", "again", offline=True)
    assay(folder, "verify", "recorded", offline=True)
    assay(folder, "campaign", "report", "recorded", "--html", "recorded.html")


def settings(address: str) -> str:
    """The part of ``assay.toml`` on models: one backend, one model for each role."""
    backend = f'\n[llm.backends.loopback]\nkind = "openai"\nbase_url = "{address}"\n'
    roles = "".join(f'\n[llm.roles.{role}]\nbackend = "loopback"\nmodel = "{role}"\n' for role in ROLES)
    budget = "\n[llm.budget]\ncalls = 200\nmoney = 1.0\n"
    prices = "".join(f"\n[llm.prices.{role}]\ninput = 0.3\noutput = 0.4\n" for role in ROLES)
    return backend + roles + budget + prices


def assay(folder: Path, *words: str, expected: int = 0, offline: bool = False) -> None:
    """Show a command and run it.

    Raises
    ------
    SystemExit
        It does not end as expected.
    """
    without = no_network() if offline else ()
    print("\n$", " ".join([*without, "assay", *words]), flush=True)
    done = subprocess.run([*without, installed(), *words], cwd=folder, check=False)
    if done.returncode != expected:
        raise SystemExit(f"exit code {done.returncode}, not {expected}")


def installed() -> str:
    """The command of the Assay that belongs to this Python, else that of the path."""
    beside = Path(sys.executable).with_name("assay")
    found = str(beside) if beside.exists() else shutil.which("assay")
    if found is None:
        raise SystemExit("there is no command 'assay': install it first, pip install -e .")
    return found


def no_network() -> Sequence[str]:
    """What runs a command without a network; empty where the system does not allow it."""
    command = ("unshare", "-rn")
    if shutil.which(command[0]) is None:
        return ()
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else ()


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        raise SystemExit("usage: python examples/recorded_campaign.py FOLDER (which does not exist yet)")
    main(Path(sys.argv[1]).resolve())
