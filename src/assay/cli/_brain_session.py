"""What ``assay brain agent`` and ``chat`` do: they open things, and tell what came of it."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.cli._brain_check import check_expressions, check_idea
from assay.cli._brain_live import view_of
from assay.cli._brain_outcome import Outcome
from assay.cli._brain_place import option_of, session_place
from assay.cli._brain_report import summary_lines, write_report
from assay.cli._files import check_text
from assay.cli._output import print_json, say
from assay.cli._progress import note, slow_notice
from assay.cli._runs import check_new_run, check_unfinished
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.brain import JobResult
    from assay.brain.agent import Held, SessionReport, Status, Task
    from assay.brain.client import BlockingClient
    from assay.brain.search import ResultStore
    from assay.cli._brain_policy import Deciders
    from assay.config import BrainSettings, Workspace
    from assay.ledger import Ledger, Run

DIFFERENT: Final = 1
PAUSED: Final = 3
INTERRUPTED: Final = 130
_STOP: Final = "stop"


@dataclass(frozen=True, slots=True)
class Wish:
    """The command line. ``settings`` are region, universe, delay and neutralization."""

    idea: str | None
    data_set: str
    expression: str
    critique: str
    resume: str | None
    replay: str | None
    run: str | None
    policy: str
    seed: int
    simulations: int | None
    rounds: int | None
    settings: tuple[str | None, str | None, int | None, str | None]

    def check(self) -> None:
        """Refuse what cannot be kept, or does not go together."""
        if self.idea is not None:
            check_idea(self.idea)
        check_text(self.critique, "--critique")
        task = (self.idea, self.data_set, self.expression, self.critique)
        for name, given in (("--resume", self.resume), ("--replay", self.replay)):
            if given is not None and any(task):
                raise AssayError(
                    "a session that is recorded has its task already",
                    where=name,
                    fix="leave --idea, --dataset-id, --expression and --critique out",
                )
        recorded = self.resume or self.replay
        changed = (self.simulations, self.rounds, *self.settings)
        if recorded is not None and (self.policy != "auto" or any(value is not None for value in changed)):
            raise AssayError(
                "a session that is recorded keeps its policy, limits and settings",
                where="--resume" if self.resume is not None else "--replay",
                fix="leave --policy, --simulations, --rounds and the settings of simulations out",
            )
        if self.resume is not None and (self.run or self.replay):
            raise AssayError(
                "a session that goes on is no new one", where="--resume", fix="leave --run and --replay out"
            )
        if self.critique and not self.expression:
            raise AssayError(
                "a critique is of an expression", where="--critique", fix="give --expression with it"
            )


def play(wish: Wish, local: bool, data: str | None, folder: Path | None, *, chat: bool, as_json: bool) -> int:
    """Start a session or go on with one, and tell of it; 3 where it had to pause."""
    from assay.cli._brain_platform import open_platform

    wish.check()
    recorded = wish.resume or wish.replay
    place = session_place(folder, data, local=local, new=recorded is None, run=recorded)
    with slow_notice(), closing(open_platform(local, place.data, place.workspace.root)) as platform:
        session = _Session(wish, place.workspace, platform, as_json=as_json, chat=chat)
        report = session.play()
    session.show(report)
    if report.stop == "paused":
        return PAUSED
    if session.difference(report):
        return DIFFERENT
    return INTERRUPTED if report.stop == "interrupted" and not report.message else 0


class _Session:
    """One session of a command, with all that it needs."""

    def __init__(
        self, wish: Wish, workspace: Workspace, platform: BlockingClient, *, as_json: bool, chat: bool
    ) -> None:
        from assay.brain.agent import KnowledgeBase, SessionKnowledge

        self._wish, self._workspace, self._platform = wish, workspace, platform
        self._as_json, self._chat = as_json, chat
        self._ledger = _ledger(workspace, create=wish.resume is None)
        self.run_id = wish.resume or self._new_id()
        agent = workspace.brain.agent
        base = KnowledgeBase(self._knows() / "knowledge_base.json")
        self._knowledge = SessionKnowledge(base, agent.knowledge_per_round, agent.knowledge_per_session)

    @property
    def folder(self) -> Path:
        return self._workspace.runs_dir / self.run_id

    @property
    def _run(self) -> Run:
        return self._ledger.run(self.run_id)

    def play(self) -> SessionReport:
        """Play it to its end, or to where it pauses; its results are kept, and its report is written."""
        from assay.brain.search import RESULTS_NAME, ResultStore

        # opened before anything is paid for, so that a damaged file is told in time
        with ResultStore(self._workspace.brain_dir / RESULTS_NAME) as store:
            report = self._played(store)
        write_report(report, self.folder)
        return report

    def _played(self, store: ResultStore) -> SessionReport:
        from assay.brain.agent import Agent

        self._check_run()
        wish, platform = self._wish, self._platform
        settings, deciders = self._settings(), self._deciders()
        task = None if wish.resume is not None else deciders.task or self._task()

        def keep(results: Sequence[JobResult]) -> None:
            """Put results beside those of other sessions and batches; what is there already stays once."""
            name, digest = platform.name, platform.data.digest
            store.put(results, platform=name, digest=digest, run=self.run_id, agent=deciders.name)

        title = f"session {self.run_id} on {platform.name}{' (simulated)' if platform.simulated else ''}"
        with view_of(title, deciders.name, settings.agent, plain=self._as_json or self._chat) as view:
            made = Agent(
                platform,
                deciders.policy,
                settings,
                self._run,
                self.folder,
                knowledge=self._knowledge,
                observer=view.tell,
                critic=self._critic if self._chat else None,
                tokens=deciders.tokens,
                keep=keep,
                held=held_of(platform),
                inputs=deciders.inputs,
                operator=deciders.operator,
            )
            report = made.resume() if task is None else made.start(task)
        keep(report.results)  # with the answers to checks that came last
        return report

    def _check_run(self) -> None:
        """Refuse an id that is taken, and a session that has ended, whose page may have been lost."""
        if self._wish.resume is None:
            check_new_run(self._ledger, self.run_id)
            return
        page = f"assay brain report {self.run_id}{option_of(self._workspace)}"
        fix = f"see what came of it: {page}; for more, start a new session"
        check_unfinished(self._ledger, self.run_id, fix)

    def _task(self) -> Task:
        """What the command line asks for; an expression that cannot work is refused, and nothing recorded."""
        from assay.brain.agent import Task, usual_settings

        wish = self._wish
        names = ("region", "universe", "delay", "neutralization")
        given = dict(zip(names, wish.settings, strict=True))
        settings = usual_settings(self._platform.choices(), **given)
        if wish.expression:
            given_one = Outcome(wish.expression)
            check_expressions(self._platform, [given_one], settings)
            if given_one.failure is not None:
                raise given_one.failure
        # without it the policy would discover an idea, which need not be one for this data set
        idea = wish.idea or (f"what {wish.data_set} holds" if wish.data_set and not wish.expression else "")
        return Task(idea, wish.data_set, wish.expression, wish.critique, settings)

    def difference(self, report: SessionReport) -> str:
        """How a replay differs from its record; empty where it does not, or none was asked for."""
        from assay.brain.agent import first_difference, session_report

        if self._wish.replay is None:
            return ""
        return first_difference(session_report(self._ledger.run(self._wish.replay)), report)

    def show(self, report: SessionReport) -> None:
        """Say what came of it, and where things lie."""
        from assay.brain.agent import report_json

        if self._as_json:
            print_json({**report_json(report), "folder": str(self.folder)})
        else:
            for line in summary_lines(report):
                say(line)
            say(f"files      {self.folder}/: report.html, report.json")
            if self._wish.replay is not None:
                differs = self.difference(report)
                say(
                    f"replay     {f'different: {differs}' if differs else f'the same as {self._wish.replay}'}"
                )
        if report.stop in ("paused", "interrupted"):
            where = option_of(self._workspace)
            local = " --local" if self._platform.name.startswith("local:") else ""
            note(f"to go on: assay brain agent --resume {self.run_id}{local}{where}")

    def _knows(self) -> Path:
        """Where the knowledge base lies. A replay has one of its own, as the record says what was learned."""
        from assay.cli._brain_policy import REPLAY

        resumed = {} if self._wish.resume is None else self._run.inputs()
        replays = self._wish.replay is not None or resumed.get("policy") == REPLAY
        return self.folder / "knowledge" if replays else self._workspace.brain_dir

    def _new_id(self) -> str:
        from assay.base import check_id

        if self._wish.run is not None:
            return check_id(self._wish.run, "run")
        with self._ledger.index() as index:
            taken = set(index.runs())
        number = 1
        while f"brain-{number}" in taken or (self._workspace.runs_dir / f"brain-{number}").exists():
            number += 1
        return f"brain-{number}"

    def _settings(self) -> BrainSettings:
        """Those of the workspace with the limits of the command line; one that goes on keeps its own."""
        from assay.brain.agent import session_settings

        brain, wish = self._workspace.brain, self._wish
        recorded = wish.resume or wish.replay
        if recorded is not None:
            return replace(brain, agent=session_settings(self._ledger.run(recorded)))
        limits = {"simulations": wish.simulations, "rounds": wish.rounds}
        given = {name: value for name, value in limits.items() if value is not None}
        return replace(brain, agent=replace(brain.agent, **given))

    def _deciders(self) -> Deciders:
        from assay.cli._brain_policy import REPLAY, deciders

        recorded = self._run if self._wish.resume is not None else None
        return deciders(
            self._wish.policy if self._wish.replay is None else f"{REPLAY}:{self._wish.replay}",
            self._wish.seed,
            self._workspace,
            self._platform,
            self._settings().agent,
            self._knowledge,
            self._run,
            recorded=recorded,
        )

    def _critic(self, status: Status) -> str | None:
        """What the person at the terminal says of the round."""
        note(f"round {status.round} is done; a critique steers the next, empty goes on, 'stop' stops")
        while True:
            sys.stderr.write("> ")
            sys.stderr.flush()
            try:
                line = sys.stdin.readline()
            except UnicodeDecodeError:
                note("that was no valid UTF-8; write it once more")
                continue
            said = line.strip()
            return None if not line or said.lower() == _STOP else said


def held_of(platform: BlockingClient) -> Held | None:
    """What asks the simulator for the held days; the real platform has none, nor has one that holds none."""
    from assay.brain.simulator import LocalPlatform, held

    if not isinstance(platform, LocalPlatform):
        return None
    market = platform.account.market
    if market.held_rows.start >= market.held_rows.stop:
        return None
    return lambda request: held(market, request).stats


def _ledger(workspace: Workspace, *, create: bool) -> Ledger:
    from assay.cli._workspace import need_ledger

    return need_ledger(workspace, create=create)
