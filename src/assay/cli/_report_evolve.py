"""``assay report evolve`` and ``assay report eval-window-report``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from assay.cli._output import DataName, Json

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.evolve import EvolutionRecord, EvolveSetup
    from assay.ledger import Ledger
    from assay.llm import ToolCall
    from assay.tools import Outcome

EVOLVER: Final = "evolver"
DIFFERENT: Final = 1


def evolve(
    spec: Annotated[
        Path,
        typer.Argument(help="A gated spec, as 'report extract --out' writes it.", metavar="SPEC"),
    ],
    data: DataName = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="What changes the formula: sampler, which needs no model, or a role of assay.toml; default: "
            "the role evolver where it has a model, else the sampler.",
            metavar="NAME",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sampler.", min=0)] = 0,
    run_id: Annotated[
        str | None,
        typer.Option("--run", help="Id of the run; default: the next free evolve-N.", metavar="ID"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run of --run, which was broken off.")
    ] = False,
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay",
            help="Play the finished run of --run again in this new folder, and compare.",
            metavar="DIR",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Change the formula of an admitted spec, never what its report fixed, and say whether it got better.

    At most 4 backtests on the search period, each a trial. The best of them is held once against the seed on
    the hidden score period; one rounded number comes back. A replay works on a copy of the ledger and
    needs no network; exit code 1 when it differs.
    """
    from assay.base import check_id
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.errors import AssayError, Refusal

    workspace = need_workspace()
    if run_id is not None:
        check_id(run_id, "run")
    setup = _setup(workspace, spec, data, policy, seed)
    if (resume or replay is not None) and run_id is None:
        raise AssayError("no run is named", where="--run", fix="name the run")
    ledger = need_ledger(workspace, create=not resume and replay is None)
    asked = _Asked(spec, setup, workspace, ledger, run_id or _next_id(ledger, workspace), as_json)
    if replay is not None:
        return asked.replay(replay)
    while True:
        try:
            asked.play(resume=resume)
            break
        except Refusal as refusal:
            # another process may have taken the id first
            if run_id is not None or refusal.reason.code != "run_exists":
                raise
            asked = replace(asked, run=_next_id(ledger, workspace))
    asked.tell()
    return 0


def eval_window_report(
    pairs: Annotated[
        Path,
        typer.Option("--input", help='JSON lines {"spec_id", "seed", "evolved"}; formulas.', metavar="PAIRS"),
    ],
    endpoint: Annotated[
        str, typer.Option(help="Address of the backtest service: http://127.0.0.1:8001.", metavar="URL")
    ],
    out: Annotated[Path, typer.Option(help="The report: Markdown, or JSON where it ends in .json.")],
    token_file: Annotated[
        Path, typer.Option("--token-file", help="File with the service's token.", metavar="FILE")
    ],
    eval_token_file: Annotated[
        Path | None,
        typer.Option(
            "--eval-token-file", help="File with the token that a person issued for eval.", metavar="FILE"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Open the sealed window for evolved factors and their seeds: medians, and the share that got better.

    Each pair costs one use of the second token, and a charged look for each formula that was not opened
    before. Without the token the service answers eval_sealed, and nothing is written.
    """
    import json

    from assay.base import atomic_write
    from assay.cli._files import check_distinct, check_writable, read_text
    from assay.cli._output import print_json, say, without_nan
    from assay.evolve import HttpWindows, markdown, read_pairs, window_reports
    from assay.service import read_token

    check_writable(out, "--out")
    check_distinct({"--out": out}, pairs, token_file, *filter(None, [eval_token_file]))
    listed = read_pairs(read_text(pairs, "--input"))
    eval_token = None if eval_token_file is None else read_token(eval_token_file)
    with HttpWindows(endpoint, token=read_token(token_file), eval_token=eval_token) as service:
        reports = window_reports(listed, service)
    content = {report.window: report.as_dict() for report in reports}
    text = markdown(reports)
    if out.suffix.lower() == ".json":
        text = json.dumps(without_nan(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    atomic_write(out, text)
    if as_json:
        print_json(content)
    else:
        say(markdown(reports))
        say(f"wrote {out}")


@dataclass(frozen=True)
class _Asked:
    """One run that was asked for."""

    spec: Path
    setup: EvolveSetup
    workspace: Workspace
    ledger: Ledger
    run: str
    as_json: bool

    def play(self, *, resume: bool) -> None:
        """Start or resume the run; what stops it says how it goes on."""
        from assay.cli._runs import check_new_run, check_unfinished, played
        from assay.evolve import resume_evolution, start_evolution

        again = f"assay report evolve {self.spec} --run {self.run} --resume"
        if resume:
            check_unfinished(
                self.ledger, self.run, "nothing is left to do in it; for more, start a run with another id"
            )
        else:
            check_new_run(self.ledger, self.run)
        act = resume_evolution if resume else start_evolution
        self._announce()
        with played(self.ledger, self.run, again):
            act(self.setup, self.ledger, self.workspace.runs_dir, self.run, watch=self._watch())

    def replay(self, to: Path) -> int:
        """Play the run again, and say whether it is the same."""
        from assay.cli._output import print_json, say
        from assay.cli._progress import slow_notice
        from assay.evolve import replay_evolution

        with slow_notice():
            found = replay_evolution(self.setup, self.ledger, self.workspace.runs_dir, self.run, to)
        if self.as_json:
            print_json({**asdict(found), "equal": found.equal, "folder": str(to)})
        elif found.equal:
            say(f"equal: {found.records} records and {found.files} files of {self.run}, byte for byte")
        else:
            say(f"different: {found.difference}")
        return 0 if found.equal else DIFFERENT

    def tell(self) -> None:
        """The summary, from what the run has stored."""
        from assay.cli._output import print_json, say
        from assay.evolve import EvolutionRecord
        from assay.tools import TrajectoryStore

        store = TrajectoryStore(self.workspace.runs_dir, self.run)
        record = EvolutionRecord.load(store, self.setup.gated.spec_id)
        if self.as_json:
            print_json(_plain(record, simulated=self.setup.panel.manifest.simulated))
            return
        for line in _summary(record):
            say(line)

    def _announce(self) -> None:
        from assay.cli._output import say
        from assay.cli._progress import note

        role, panel = self.setup.role_settings(), self.setup.panel
        who = "the sampler (no model)" if role is None else f"{self.setup.role} on {role.backend}"
        simulated = ", simulated" if panel.manifest.simulated else ""
        text = f"run {self.run}: {self.setup.gated.spec_id}, {who}, data {panel.name}{simulated}"
        (note if self.as_json else say)(text)

    def _watch(self) -> Callable[[int, ToolCall, Outcome], None]:
        from assay.cli._output import say
        from assay.cli._progress import note

        show = note if self.as_json else say
        return lambda step, call, outcome: show(_told(step, call, outcome))


def _setup(workspace: Workspace, file: Path, data: str | None, policy: str | None, seed: int) -> EvolveSetup:
    from assay.cli._dataset import open_with_settings
    from assay.cli._files import read_text
    from assay.config import load_secrets
    from assay.evolve import EvolveSetup
    from assay.spec import GatedSpec

    gated = GatedSpec.from_json(read_text(file, "SPEC"))
    panel, own = open_with_settings(data or workspace.default_data or _only(workspace))
    return EvolveSetup.of(
        gated,
        panel,
        own,
        workspace=workspace,
        secrets=load_secrets(workspace.root),
        role=_role(workspace, policy),
        random=seed,
    )


def _only(workspace: Workspace) -> str:
    from assay.cli._dataset import known_datasets
    from assay.errors import AssayError

    known = known_datasets(workspace)
    if len(known) == 1:
        return known[0]
    offer = f"there are: {', '.join(known)}" if known else "make one with 'assay data simulate'"
    raise AssayError("no data set is named", where="--data", fix=offer)


def _role(workspace: Workspace, policy: str | None) -> str | None:
    """The role that acts, None for the sampler."""
    from assay.base import did_you_mean
    from assay.config import LLM_ROLES
    from assay.errors import AssayError
    from assay.evolve import SAMPLER

    if policy is None:
        configured = workspace.llm.roles.get("evolver")
        return None if configured is None else EVOLVER
    if policy == SAMPLER:
        return None
    if policy not in LLM_ROLES:
        near = did_you_mean(policy, (SAMPLER, *LLM_ROLES))
        fix = f"did you mean {near[0]!r}?" if near else f"use {SAMPLER}, or one of {', '.join(LLM_ROLES)}"
        raise AssayError(f"there is no policy {policy!r}", where="--policy", fix=fix)
    return policy


def _next_id(ledger: Ledger, workspace: Workspace) -> str:
    with ledger.index() as index:
        taken = set(index.runs())
    number = 1
    while f"evolve-{number}" in taken or (workspace.runs_dir / f"evolve-{number}").exists():
        number += 1
    return f"evolve-{number}"


def _told(step: int, call: ToolCall, outcome: Outcome) -> str:
    from assay.tools import Ok, Refused, outcome_name

    face = outcome.face()
    more = ""
    if isinstance(face, Refused):
        more = f"{face.reason}: {face.message}"
    elif isinstance(face, Ok) and "ir" in face.result:
        more = f"IR {_figure(face.result['ir'])}  {face.result['formula']}"
    elif isinstance(face, Ok):
        problem = face.result.get("problem")
        more = str(face.result["formula"]) if problem is None else f"not ok: {problem['message']}"
    return f"turn {step:>3}  {call.name[:60]:<22} {outcome_name(outcome):<8} {more}".rstrip()


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.3f}"


def _plain(record: EvolutionRecord, *, simulated: bool) -> dict[str, Any]:
    best = None if record.best is None else record.best.model_dump(mode="json")
    pair = None
    if record.best is not None:
        pair = {"spec_id": record.case, "seed": record.seed_formula, "evolved": record.best.expr}
    return {
        **asdict(record),
        "best": best,
        "candidates": [item.as_dict() for item in record.candidates],
        "pair": pair,
        "simulated": simulated,
    }


def _better(delta: float) -> str:
    """The delta that the score period gave, in words."""
    word = "better" if delta > 0 else "worse" if delta < 0 else "no better"
    difference = "after-cost IR minus that of the better of the seed and the references"
    return f"{delta:+.2f}, {word}, on score: {difference}"


def _delta(record: EvolutionRecord) -> str:
    """What the score period said; the minimum that stands for a failure is no difference of IRs."""
    if record.delta is None:
        return f"not read ({record.unscored})"
    if record.best is None:
        return f"{record.delta:+.2f}, the minimum: there is no winner"
    if "hidden_gate_cap" in record.caps:
        return (
            f"{record.delta:+.2f}, the minimum, given as a hidden check on score failed: no difference of IRs"
        )
    return _better(record.delta)


def _summary(record: EvolutionRecord) -> list[str]:
    from assay.cli._agent_run import shown_answer

    rate = record.audit["illegal_tool_call_rate"]
    best = "none: nothing but the seed could be scored" if record.best is None else record.best.expr
    reward = "none" if record.reward is None else f"{record.reward:.3f}"
    capped = "".join(f", {name}" for name in record.caps)
    return [
        "",
        f"seed       {record.seed_formula}  IR {_figure(record.seed.ir)} on search",
        f"best       {best}",
        f"delta      {_delta(record)}",
        f"reward     {reward}{capped}",
        f"calls      {record.audit['tool_calls']}, illegal {'none' if not rate else f'{rate:.0%}'}",
        f"answer     {shown_answer(record.answer)}",
    ]
