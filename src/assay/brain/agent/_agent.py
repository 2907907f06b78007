"""The session: ask the policy, run what it proposed to its end, record it, ask again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.base import Operator, folder_lock
from assay.brain._fingerprint import TrialId, fingerprint
from assay.brain._flight import Job, job_id
from assay.brain._platform import Platform
from assay.brain._require import require_choices, require_fields
from assay.brain._result import JobResult, Proposal
from assay.brain._run_inputs import config_hash
from assay.brain._settings import SimulationRequest
from assay.brain._trials import DESK, trial_draft
from assay.brain.agent import _records as records
from assay.brain.agent._answer import creative_answer, improvement_answer
from assay.brain.agent._criteria import level_of, unmet
from assay.brain.agent._flip import flip_of
from assay.brain.agent._held import Held, held_figures
from assay.brain.agent._inputs import session_inputs
from assay.brain.agent._knowledge import SessionKnowledge
from assay.brain.agent._reasons import RUN_BUSY
from assay.brain.agent._report import begun_of, session_report
from assay.brain.agent._runner import Finished, GivenUp, Runner
from assay.brain.agent._state import State
from assay.brain.agent._stops import cannot_go_on, limit_of, nothing_to_run
from assay.brain.agent._types import (
    Creative,
    Improvement,
    KnowledgeEntry,
    NewDirection,
    Policy,
    Research,
    SessionReport,
    Status,
    StopReason,
    Task,
)
from assay.brain.agent._vet import Vet
from assay.config import BrainSettings
from assay.errors import AssayError, ProviderError, Refusal
from assay.ledger import Draft, Run
from assay.llm import CALL_BUDGET_EXHAUSTED, MONEY_BUDGET_EXHAUSTED, TOKEN_BUDGET_EXHAUSTED

Observer = Callable[[Status], None]
Critic = Callable[[Status], str | None]
"""Is asked after each round: a critique that steers the next, an empty text to go on, None to stop."""
Keep = Callable[[Sequence[JobResult]], None]
"""Takes results that are recorded, round by round; the same ones again after a resume."""

LOADED: Final = 20
"""Entries of the knowledge base that a session begins with, at most."""
_BUDGETS: Final = (CALL_BUDGET_EXHAUSTED, MONEY_BUDGET_EXHAUSTED, TOKEN_BUDGET_EXHAUSTED)


class Interrupted(Exception):
    """The user stopped the session between two rounds."""


class Agent:
    """A session on a platform, as a state machine over rounds.

    Parameters
    ----------
    platform, policy : where it simulates, and who decides.
    run : of the ledger; all that the session knows is a fold over its records.
    folder : of the run; ``slots.json`` lies in it.
    knowledge : what earlier sessions learned; None = no knowledge base.
    observer : is told how the session stands, again and again.
    critic : is asked after each round.
    tokens : tokens used so far, for the observer.
    keep : is handed the results of each round once they are recorded.
    held : figures of the year that is kept from the agent; asked when the session has ended, for its report.
    inputs : what else the session runs on, by name with a hash; a resume is held to it.
    operator : who acts.
    """

    def __init__(
        self,
        platform: Platform,
        policy: Policy,
        settings: BrainSettings,
        run: Run,
        folder: Path,
        *,
        knowledge: SessionKnowledge | None = None,
        observer: Observer | None = None,
        critic: Critic | None = None,
        tokens: Callable[[], int] | None = None,
        keep: Keep | None = None,
        held: Held | None = None,
        inputs: Mapping[str, str] | None = None,
        operator: Operator | None = None,
    ) -> None:
        self._platform, self._policy, self._settings = platform, policy, settings
        self._run, self._folder = run, folder
        self._knowledge, self._observer, self._critic = knowledge, observer, critic
        self._tokens, self._keep, self._held = tokens, keep, held
        self._inputs = dict(inputs or {})
        self._operator = operator or Operator.system(f"brain-{policy.name}")
        self._state = State(settings.agent)
        self._last_word: Improvement | None = None

    def start(self, task: Task) -> SessionReport:
        """Begin a session and let it come to its end, or to where it has to pause.

        Raises
        ------
        Refusal
            ``bad_settings``, ``unknown_data``; ``run_exists``; ``run_busy``; ``damaged_state``.
        """
        require_choices(self._platform, task.settings)
        if task.data_set:
            require_fields(self._platform, task.data_set)
        known = self._known(f"{task.idea} {task.expression} {task.critique}")
        body = records.begun(task, self._platform, self._policy.name, self._settings.agent, known)
        with self._alone():
            inputs = self._all_inputs(task)
            self._run.start(DESK, self._operator, config_hash(inputs), inputs)
            self._append(body)
            return self._guarded()

    def resume(self) -> SessionReport:
        """Go on with a session that was paused, stopped or killed, as if it had not been.

        Raises
        ------
        Refusal
            ``inputs_changed``, ``run_ended``, ``unknown_run``, ``not_a_session``, ``nothing_begun``,
            ``run_busy``, ``damaged_state``.
        """
        begun_of(self._run)
        with self._alone():
            entries = [entry.body for entry in self._run.entries(kind="round")]
            self._state = State.of(entries, self._settings.agent)
            first = next(self._run.entries(kind="run_start")).body
            inputs = self._all_inputs(self._state.asked_for)
            self._run.resume(Operator.from_dict(first["operator"]), config_hash(inputs), inputs)
            return self._guarded()

    def _all_inputs(self, task: Task) -> dict[str, str]:
        agent = self._settings.agent
        return session_inputs(self._platform, task, self._policy.name, agent, self._inputs)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        with folder_lock(self._folder, 0.0, RUN_BUSY):
            yield

    def _guarded(self) -> SessionReport:
        """Play, and record how the run ends; what may pass pauses it."""
        try:
            self._play()
        except ProviderError as error:
            return self._stopped("paused", _what_to_do(error))
        except Interrupted:
            return self._stopped("interrupted", "the user stopped it")
        except KeyboardInterrupt:
            return self._stopped("interrupted", "")
        except Refusal as refusal:
            if refusal.reason in _BUDGETS:
                return self._stopped("paused", _what_to_do(refusal))
            self._run.stop("stopped")
            raise
        except BaseException:
            self._run.stop("failed")
            raise
        self._run.stop("finished")
        return session_report(self._run)

    def _stopped(self, stop: StopReason, message: str) -> SessionReport:
        self._run.stop("stopped")
        return replace(session_report(self._run), stop=stop, message=message)

    def _play(self) -> None:
        self._keep_knowledge()
        self._keep_results(self._state.results)
        if self._state.phase == "done":
            return
        self._vet = Vet(self._platform, self._state.task.data_set)
        self._runner = Runner(self._platform, self._settings, self._folder, self._tell)
        self._look_round()
        while (stop := self._next()) is None:
            self._runner.run(list(self._state.opened.waiting()), self._record)
            self._append(records.done(self._state.round))
            self._keep_results(self._state.latest)
            self._tell(f"round {self._state.round} is done")
        self._end(stop)

    def _next(self) -> StopReason | None:
        """Open the next round, unless one is open; a stop where there is to be none."""
        return None if self._state.open is not None else limit_of(self._state) or self._asked()

    def _look_round(self) -> None:
        """Discovery and research, as far as they are not done."""
        if self._state.phase == "discovery":
            self._tell("")
            idea = self._policy.discover()
            self._append(records.idea(idea, self._known(idea)))
        if self._state.phase == "research":
            self._tell("")
            self._append(records.researched(self._research()))

    def _research(self) -> Research:
        task = self._state.task
        if not task.data_set:
            return self._policy.research(self._state.briefing())
        fields = tuple(info.id for info in require_fields(self._platform, task.data_set))
        hypotheses = (task.idea,) if task.idea else ()
        return Research(f"the fields of {task.data_set}, as the user asked", hypotheses, fields)

    def _asked(self) -> StopReason | None:
        """Ask the policy for the next round and record what was taken of it."""
        self._hear_critique()
        if self._state.phase == "creative":
            answer = self._created()
            body = creative_answer(self._state, answer, self._vet, self._learned(()))
        else:
            better = self._policy.improve(self._state.briefing())
            if better.converged:
                stop = self._converged()
                if stop is not None:
                    self._learned(better.knowledge)
                    self._last_word = better
                    return stop
            body = improvement_answer(self._state, better, self._vet, self._learned(better.knowledge))
        self._append(body)
        self._keep_knowledge()
        return None

    def _created(self) -> Creative:
        """The policy's new directions; a given expression is the first one."""
        task = self._state.task
        if self._state.round or not task.expression:
            return self._policy.create(self._state.briefing())
        request = SimulationRequest(settings=task.settings, regular=task.expression)
        proposal = Proposal(request, rationale=task.critique, origin="given")
        return Creative(
            (NewDirection(task.idea or "the given expression", (proposal,)),), "the given expression"
        )

    def _known(self, about: str) -> tuple[KnowledgeEntry, ...]:
        """What earlier sessions learned of it, the most relevant first."""
        return () if self._knowledge is None else self._knowledge.search(about)[:LOADED]

    def _keep_knowledge(self) -> None:
        """Write what is recorded; what the file has already is passed over."""
        if self._knowledge is not None:
            self._knowledge.commit(self._state.added)

    def _keep_results(self, results: Sequence[JobResult]) -> None:
        if self._keep is not None and results:
            self._keep(results)

    def _learned(self, entries: Iterable[KnowledgeEntry]) -> tuple[KnowledgeEntry, ...]:
        return () if self._knowledge is None else self._knowledge.take(entries)

    def _hear_critique(self) -> None:
        if self._critic is None or not self._state.round or self._state.critique:
            return
        said = self._critic(self._status(""))
        if said is None:
            raise Interrupted
        if said:
            self._append(records.critique(self._state.round, said))

    def _converged(self) -> StopReason | None:
        """What the policy's word that it is done leads to: a stop, or None when it is overruled."""
        self._ask_for_pending()
        best = self._state.best
        if best is not None and not unmet(best, self._settings.agent):
            return "converged"
        return "forced" if self._state.overrides >= self._settings.agent.converge_overrides else None

    def _ask_for_pending(self) -> None:
        """Ask once more for the checks that alone stand between the best alpha and the criteria."""
        best = self._state.best
        if best is None or best.alpha is None or not best.pending:
            return
        if all(name.endswith(" pending") for name in unmet(best, self._settings.agent)):
            checks = self._platform.check(best.alpha)
            if checks and checks != best.checks:
                self._append(records.checked(self._state.round, replace(best, checks=checks)))

    def _record(self, outcome: Finished | GivenUp) -> Job | None:
        """Record a job's outcome: the result, its trial, and the flip that follows, in one piece."""
        number = self._state.round
        if isinstance(outcome, GivenUp):
            self._append(records.given_up(number, outcome.job, outcome.message))
            return None
        mark = fingerprint(outcome.result.proposal.request.regular)
        found = replace(outcome.result, round=number, fingerprint=mark)
        drafts = []
        if found.status == "completed":
            ledger, data = self._run.ledger, self._platform.data
            drafts.append(trial_draft(ledger, found, outcome.pnl, data=data, run=self._run.id))
        else:
            # what looked right here and failed there may use what the platform has taken away
            self._vet.programs.forget(found.proposal.request.regular)
        flip = self._flip(found)
        series = drafts[0].body["series"] if drafts else None
        body = records.result(number, found, flip, series)
        self._run.append_many([*drafts, Draft("round", body)])
        self._state.apply(body)
        return flip

    def _flip(self, found: JobResult) -> Job | None:
        proposal = flip_of(found, self._settings.agent)
        if proposal is None or self._state.remaining <= 0:
            return None
        name = job_id(self._state.numbered + 1)
        known = TrialId.of(proposal.request) in self._state.keys
        return None if known or self._vet.problem(proposal) else Job(name, proposal, self._state.round)

    def _end(self, stop: StopReason) -> None:
        best = self._state.best
        missing = ("simulation",) if best is None else unmet(best, self._settings.agent)
        level = level_of(best, self._settings.agent)
        learned = self._learned(())
        figures = {} if self._held is None else held_figures(self._state, self._held)
        number, last = self._state.round, self._last_word
        message = nothing_to_run(self._state) if cannot_go_on(self._state) else ""
        self._append(records.ended(number, stop, level, missing, figures, learned, last, message))
        self._keep_knowledge()
        self._tell(f"ended: {stop}")

    def _append(self, body: records.Body) -> None:
        self._run.append("round", body)
        self._state.apply(body)

    def _tell(self, message: str) -> None:
        if self._observer is not None:
            self._observer(self._status(message))

    def _status(self, message: str) -> Status:
        state = self._state
        return Status(
            phase=state.phase,
            round=state.round,
            slots=self._runner.views(),
            queue=self._runner.queued,
            background=self._runner.background,
            directions=tuple(state.directions.values()),
            best=state.best,
            simulations=state.simulations,
            budget=self._settings.agent.simulations,
            quota=self._platform.quota(),
            tokens=0 if self._tokens is None else self._tokens(),
            message=message,
        )


def _what_to_do(error: AssayError) -> str:
    return f"{error.message} ({error.fix})" if error.fix else error.message
