"""A recorded run, done again from its calls, its snapshot and its seed, in another folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, Final

from assay.base import Clock, check_id
from assay.campaign._campaign import POOLS, Campaign, CampaignSetup, pools_name
from assay.campaign._pools import Pools
from assay.campaign._ports import Count
from assay.campaign._prepare import Problems, prepare
from assay.campaign._reasons import NOT_A_CAMPAIGN
from assay.campaign._records import DESK, DONE
from assay.campaign._resume import Recorded
from assay.campaign._settings import CampaignConfig
from assay.campaign._snapshot import RunSnapshot, recorded_config
from assay.campaign._state import STATE
from assay.campaign._stop import Stop
from assay.campaign._types import History
from assay.config import Workspace
from assay.errors import AssayError, ConfigProblems, Refusal
from assay.ledger import Ledger, Run
from assay.llm import ReplayProvider

SetupMaker = Callable[[CampaignConfig, RunSnapshot, Pools, ReplayProvider], CampaignSetup]

_SHOWN: Final = 300


@dataclass(frozen=True)
class Difference:
    """The first place at which two runs differ: the line of the export or the file, and both contents."""

    where: str
    recorded: str
    again: str


@dataclass(frozen=True)
class Replayed:
    """What a replay found.

    Parameters
    ----------
    rounds : that were done again.
    records : lines of the canonical export that were compared.
    difference : None where both are equal.
    whole : False where the run has not come to its end; then what it recorded of a round that was dropped or
        broken off was left aside.
    folder : of the replay.
    """

    rounds: int
    records: int
    difference: Difference | None
    whole: bool
    folder: Path

    @property
    def equal(self) -> bool:
        """Whether the replay gave the same, byte for byte."""
        return self.difference is None


def replay(workspace: Workspace, run_id: str, to: Path) -> Replayed:
    """Do a recorded run again, with the snapshot that it took, whatever the config's files say now.

    No service is asked, and the workspace's ledger gets no record: neither trials nor looks are added.

    Parameters
    ----------
    to : a new folder for the ledger and the files of the replay.

    Raises
    ------
    Refusal
        ``unknown_run``; ``not_a_campaign``.
    AssayError, ConfigProblems
        The folder exists, or something that the run worked with is gone.
    ReplayMiss
        The run asks something else than it has recorded.
    """

    def setup(
        config: CampaignConfig, snapshot: RunSnapshot, pools: Pools, provider: ReplayProvider
    ) -> CampaignSetup:
        problems = Problems()
        made = prepare(config, workspace, problems, replayed=provider, snapshot=snapshot, pools=pools)
        if made is None:
            raise ConfigProblems(problems.all, where="replay")
        return made

    return replay_run(Ledger.open(workspace.ledger_dir), workspace.runs_dir, run_id, to, setup)


def need_campaign(run: Run) -> None:
    """Refuse a run that is no campaign.

    Raises
    ------
    Refusal
        ``unknown_run``; ``not_a_campaign``.
    """
    desk = run.state().desk
    if desk != DESK:
        raise Refusal(NOT_A_CAMPAIGN, f"the run {run.id!r} is one of the desk {desk!r}", where="run")


def replay_run(
    ledger: Ledger, runs: Path, run_id: str, to: Path, setup: SetupMaker, *, clock: Clock | None = None
) -> Replayed:
    """See :func:`replay`; ``setup`` makes what the run worked with, from its recorded parts."""
    check_id(run_id, "id of a run")
    source, folder = ledger.run(run_id), runs / run_id
    need_campaign(source)
    recorded = Recorded.read(source)
    if to.exists():
        raise AssayError(f"{to} exists already", where=str(to), fix="name a new folder")
    bodies = _rounds(source)
    provider = ReplayProvider((*recorded.settled, *recorded.earlier))
    config, snapshot = recorded_config(folder), RunSnapshot.open(folder)
    to.mkdir(parents=True)
    again = Ledger.create(to / "ledger")
    end = recorded.stop if recorded.ended else None
    parts = [(hashes, len(list(group))) for hashes, group in groupby(body["pools"] for body in bodies)]
    parts = parts or [(started_pools(source), 0)]
    done = 0
    for place, (hashes, count) in enumerate(parts):
        done += count
        made = setup(config, snapshot, kept_pools(folder, hashes), provider)
        last = place == len(parts) - 1
        campaign = Campaign(
            made,
            again,
            to / "runs",
            run_id,
            clock=clock,
            limits=_limits(done, end) if last else _no_limit,
            halt=_never if last else _pause(done + 1),
            counts=_counts(bodies),
        )
        if place:
            campaign.resume(accept_changed_pools=True)
        else:
            campaign.run()
    return _compared(source, again.run(run_id), folder, to, recorded)


def _limits(done: int, end: Stop | None) -> Callable[[History], Stop | None]:
    """A replay ends where the record does."""
    stop = end or Stop("max_rounds", "the record ends here")
    return lambda history: stop if len(history.rounds) >= done else None


def _no_limit(_: History) -> Stop | None:
    return None


def _never(_: int, __: str) -> Stop | None:
    return None


def _pause(number: int) -> Callable[[int, str], Stop | None]:
    """Breaks off before a round, for the pools to be changed."""
    stop = Stop("deadline", "the pools change here")
    return lambda asked, _: stop if asked == number else None


def _rounds(run: Run) -> list[dict[str, Any]]:
    return [entry.body for entry in run.entries(kind="round") if entry.body["outcome"] == DONE]


def started_pools(run: Run) -> dict[str, str]:
    """Hashes of the pools that a run was started with, by name."""
    inputs = next(run.entries(kind="run_start")).body["inputs"]
    return {name.partition(":")[2]: value for name, value in inputs.items() if name.startswith("pool:")}


def _counts(bodies: list[dict[str, Any]]) -> dict[int, Count]:
    return {body["number"]: Count(**body["ledger_n"]) for body in bodies if body["ledger_n"] is not None}


def kept_pools(folder: Path, hashes: Mapping[str, str]) -> Pools:
    """The copy of the pools with these hashes that a run's folder holds.

    Raises
    ------
    AssayError
        It is missing or was altered.
    """
    path = folder / POOLS / pools_name(hashes)
    try:
        found = Pools.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AssayError(
            f"the copy of the pools cannot be read: {error}", where=str(path), fix="put it back"
        ) from error
    if found.hashes != dict(hashes):
        raise AssayError("the copy of the pools was altered", where=str(path), fix="put it back")
    return found


def _compared(source: Run, again: Run, folder: Path, to: Path, recorded: Recorded) -> Replayed:
    left, right = source.export().splitlines(), again.export().splitlines()
    if not recorded.ended:
        left, right = _upto_last_round(left), _upto_last_round(right)
    difference = _first_difference(left, right)
    if difference is None and recorded.ended:
        difference = _files_differ(folder, to / "runs" / source.id)
    return Replayed(len(recorded.history.rounds), len(left), difference, recorded.ended, to)


def _upto_last_round(lines: list[bytes]) -> list[bytes]:
    done = [place for place, line in enumerate(lines) if _is_done(line)]
    return lines[: done[-1] + 1] if done else []


def _is_done(line: bytes) -> bool:
    record: dict[str, Any] = json.loads(line)
    return bool(record["kind"] == "round" and record["body"]["outcome"] == DONE)


def _first_difference(left: list[bytes], right: list[bytes]) -> Difference | None:
    for number, (one, other) in enumerate(zip_longest(left, right, fillvalue=b""), 1):
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            start = max(0, at - _SHOWN // 3)
            shown = [text[start : start + _SHOWN].decode("utf-8", "replace") for text in (one, other)]
            return Difference(f"record {number} of the export", *shown)
    return None


def _files_differ(one: Path, other: Path) -> Difference | None:
    for name in sorted({*_names(one), *_names(other)}):
        left, right = _content(one / name), _content(other / name)
        if left != right:
            return Difference(name, left[:_SHOWN], right[:_SHOWN])
    return None


def _names(folder: Path) -> list[str]:
    versions = (*folder.glob("memory/*.md"), *folder.glob("trial_graph/*.json"))
    found = [folder / STATE, folder / "memory.md", *versions]
    return [path.relative_to(folder).as_posix() for path in found if path.is_file()]


def _content(path: Path) -> str:
    if not path.is_file():
        return "(no such file)"
    text = path.read_text(encoding="utf-8")
    if path.name != STATE:
        return text
    # another commit may well give the same
    data = {name: value for name, value in json.loads(text).items() if name != "commits"}
    return json.dumps(data, sort_keys=True)
