"""An evolution played again from its record, in a folder of its own, and held against what it left."""

from __future__ import annotations

from pathlib import Path

from assay.base import atomic_write, new_folder
from assay.errors import AssayError
from assay.evolve._run import config_hash, operator_of, play_evolution
from assay.evolve._setup import EvolveSetup
from assay.ledger import Ledger
from assay.llm import ReplayProvider, read_calls
from assay.tools import ledger_sink
from assay.tools.agent import FaithfulSink, FollowingLedger, Replayed, compared


def replay_evolution(setup: EvolveSetup, ledger: Ledger, runs: Path, run_id: str, to: Path) -> Replayed:
    """Play a finished run again: replies come from its record, tools and judge do their work anew.

    They do it on a copy of the ledger as it stood when the run began; the workspace's ledger is only read,
    and gets neither trials nor looks. The new folder ``to`` gets that ``ledger/``, the canonical export
    ``export.jsonl`` and the run's folder below ``runs/``.

    Raises
    ------
    Refusal
        ``inputs_changed``, ``unknown_run``, ``not_an_evolution``.
    AssayError
        The run has not finished, or ``to`` exists already.
    ReplayMiss
        The run would ask a model something that it did not ask.
    """
    operator = operator_of(ledger, run_id)
    if ledger.run(run_id).state().stopped != "finished":
        raise AssayError(f"the run {run_id!r} has not finished", where="run", fix="resume it first")
    inputs = setup.inputs()
    with new_folder(to) as staged:
        copy = FollowingLedger.at_start(ledger, run_id, staged / "ledger")
        run = copy.run(run_id)
        run.resume(operator, config_hash(inputs), inputs)
        calls = list(read_calls([e.body for e in ledger.run(run_id).entries(kind="llm_call")], ledger))
        sink = FaithfulSink(ledger_sink(run), calls)
        policy = setup.policy(sink, replay=ReplayProvider(calls))
        play_evolution(setup, run, staged / "runs", operator=operator, policy=policy, rounds={})
        run.stop("finished")
        again, first = copy.export(run_id), ledger.export(run_id)
        atomic_write(staged / "export.jsonl", again)
        folders = (runs / run_id, staged / "runs" / run_id)
        return compared(run_id, exports=(first, again), folders=folders)
