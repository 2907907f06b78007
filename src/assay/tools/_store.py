"""Where episodes lie: ``runs/<run>/<case>/<rollout>/{trajectory,score,metadata}.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from assay.base import Operator, check_id, new_folder
from assay.errors import AssayError, DataError
from assay.tools._trajectory import Trajectory, content_hash, wire_text

FORMAT = "assay-rollout/1"
_FILES = ("trajectory", "score", "metadata")


@dataclass(frozen=True, slots=True)
class Score:
    """The reward of an episode and how it came about.

    Parameters
    ----------
    reward : after all caps; ``None`` where nothing was scored.
    raw : before the caps.
    active_caps : names of the caps that held.
    parts : the sub-scores by name.
    details : whatever else explains it, JSON-ready.
    """

    reward: float | None = None
    raw: float | None = None
    active_caps: tuple[str, ...] = ()
    parts: Mapping[str, float | None] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "reward": self.reward,
            "raw": self.raw,
            "active_caps": list(self.active_caps),
            "parts": dict(self.parts),
            "details": dict(self.details),
        }


class RolloutId(NamedTuple):
    """Names a stored episode within a run."""

    case: str
    rollout: str


@dataclass(frozen=True, slots=True)
class Stored:
    """The three files of an episode, as JSON data."""

    trajectory: Mapping[str, Any]
    score: Mapping[str, Any]
    metadata: Mapping[str, Any]


class TrajectoryStore:
    """The episodes of one run.

    Parameters
    ----------
    runs : the workspace's folder of runs.
    run : id of the run.

    Raises
    ------
    AssayError
        ``run`` is not an id, or leads out of the folder.
    """

    def __init__(self, runs: Path, run: str) -> None:
        self.run = check_id(run, "run")
        self._root = Path(runs) / run
        if not self._root.resolve().is_relative_to(Path(runs).resolve()):
            raise AssayError(f"{run} is a link that leads elsewhere", where="runs", fix="remove the link")

    def folder(self, case: str, rollout: str) -> Path:
        """Where an episode lies, or will.

        Raises
        ------
        AssayError
            A name is not an id; names of folders come from nothing else.
        """
        found = self._root / check_id(case, "case") / check_id(rollout, "rollout")
        if not found.resolve().is_relative_to(self._root.resolve()):
            raise AssayError(f"{case} is a link that leads elsewhere", where="runs", fix="remove the link")
        return found

    def save(self, rollout: str, trajectory: Trajectory, score: Score, operator: Operator) -> RolloutId:
        """Store an episode: all three files, or none.

        Storing the same again, as a resumed run does, changes nothing.

        Raises
        ------
        AssayError
            Another episode lies there, or the folder cannot be written.
        """
        place = RolloutId(trajectory.case, rollout)
        folder = self.folder(*place)
        contents = {
            "trajectory": trajectory.as_dict(),
            "score": score.as_dict(),
            "metadata": self._metadata(place, trajectory, score, operator),
        }
        texts = {f"{name}.json": wire_text(value) + "\n" for name, value in contents.items()}
        if folder.exists():
            _check_same(folder, texts)
            return place
        with new_folder(folder) as staged:
            for name, text in texts.items():
                (staged / name).write_text(text, encoding="utf-8")
        return place

    def _metadata(
        self, place: RolloutId, trajectory: Trajectory, score: Score, operator: Operator
    ) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "run": self.run,
            "case": place.case,
            "rollout": place.rollout,
            "stage": trajectory.stage,
            "policy": trajectory.policy,
            "operator": operator.as_dict(),
            "reward": score.reward,
            "active_caps": list(score.active_caps),
            "prompt_hash": trajectory.prompt_hash,
            "tool_schema_hash": trajectory.tool_schema_hash,
            "trajectory_hash": content_hash(trajectory.as_dict()),
            "stop": trajectory.stop,
            "repairs": dict(trajectory.repairs),
            **trajectory.audit.as_dict(),
        }

    def load(self, case: str, rollout: str) -> Stored:
        """A stored episode.

        Raises
        ------
        DataError
            It is not there, or a file is damaged.
        """
        folder = self.folder(case, rollout)
        return Stored(**{name: _read(folder / f"{name}.json") for name in _FILES})

    def rollouts(self) -> Iterator[RolloutId]:
        """The stored episodes, sorted by case and rollout."""
        for file in sorted(self._root.glob("[!.]*/[!.]*/metadata.json")):
            yield RolloutId(file.parent.parent.name, file.parent.name)


def _check_same(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != text.encode():
            raise AssayError(
                f"{folder.parent.name}/{folder.name} holds another episode",
                where=name,
                fix="choose another rollout or run; what is stored is never replaced",
            )


def _read(file: Path) -> Mapping[str, Any]:
    where = "/".join(file.parts[-3:])
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError("there is no such episode", where=where, fix="see which the run has") from error
    except (OSError, ValueError) as error:
        raise DataError("the file cannot be read", where=where, fix="restore it, or run again") from error
    if not isinstance(value, dict):
        raise DataError("the file is not a JSON object", where=where, fix="restore it, or run again")
    return value
