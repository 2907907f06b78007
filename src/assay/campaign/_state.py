from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from assay.campaign._files import RunFiles
from assay.campaign._stop import Stop
from assay.campaign._types import History

STATE: Final = "state.json"


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands, for people and pages; written after each round, read by nothing that decides.

    ``digest`` is the hash of the bodies of all rounds, so that a state can be held against its ledger; times
    and places are not in it, and a resumed run leaves the bytes of one that was not interrupted.
    """

    run: str
    history: History
    digest: str
    pools: Mapping[str, str]
    commits: Sequence[str]
    stop: Stop | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        trials = self.history.trials
        return {
            "run": self.run,
            "rounds": len(self.history.rounds),
            "slots": len(trials),
            "trials": sum(trial.evaluated for trial in trials),
            "zoo": [trial.id for trial in self.history.zoo],
            "memory_round": self.history.memory_round,
            "pools": dict(self.pools),
            "commits": list(self.commits),
            "ledger": {"rounds": len(self.history.rounds), "sha256": self.digest},
            "stop": None if self.stop is None else asdict(self.stop),
        }

    def write(self, files: RunFiles) -> None:
        """Replace ``state.json``."""
        files.write(STATE, json.dumps(self.as_dict(), sort_keys=True, indent=2, ensure_ascii=False) + "\n")


def known_commits(folder: Path) -> tuple[str, ...]:
    """The commits that the state in a run's folder lists; none where there is no state that can be read.

    They are told to people; nothing that a run does depends on them.
    """
    try:
        data = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return tuple(str(commit) for commit in data["commits"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def changed_commits(folder: Path, now: Sequence[str]) -> tuple[str, ...]:
    """A warning for each commit that a run has not seen yet."""
    before = known_commits(folder)
    return (
        tuple(f"the run began with {', '.join(before)}; this is {name}" for name in now if name not in before)
        if before
        else ()
    )
