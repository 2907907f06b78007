"""What ``assay agent`` does: it opens the workspace, and tells what the library does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli._output import console, print_json, printable, say
from assay.cli._progress import note, slow_notice
from assay.cli._runs import check_known_run, check_new_run, check_unfinished, played
from assay.cli._workspace import need_ledger, need_workspace
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.ledger import Ledger
    from assay.llm import Estimate, ToolCall
    from assay.tools import Outcome
    from assay.tools.agent import AgentRequest, AgentSetup, AgentSummary

RESEARCHER = "researcher"
_AGAIN = "assay agent resume {}"
DIFFERENT = 1
_CALLED, _IDEA, _ANSWER = 60, 40, 2_000
_STATES = {
    "open": "going on, or killed",
    "stopped": "stopped; it can be resumed",
    "failed": "failed; it can be resumed",
}
_TURNS = 12
"""Turns of a run that names neither turns nor calls."""


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """The command line of ``assay agent run``."""

    idea: str
    data: str | None
    role: str | None
    explorer: bool
    seed: int
    turns: int | None
    calls: int | None
    tokens: int | None
    money: float | None
    seconds: float | None
    run: str | None
    estimate: bool
    as_json: bool


def run_agent(options: AgentOptions) -> None:
    """Start a run and tell of it; with ``estimate``, say what it may take."""
    from assay.base import check_id
    from assay.tools.agent import estimate_run, start_run

    workspace = need_workspace()
    if options.run is not None:
        check_id(options.run, "run")
    setup = _setup(workspace, _request(workspace, options))
    if options.estimate:
        _show_estimate(setup, estimate_run(setup), as_json=options.as_json)
        return
    ledger = need_ledger(workspace, create=True)
    run_id = options.run or _next_id(ledger, workspace.runs_dir)
    check_new_run(ledger, run_id)
    _announce(setup, run_id, as_json=options.as_json)
    with played(ledger, run_id, _AGAIN.format(run_id)):
        start_run(setup, ledger, workspace.runs_dir, run_id, watch=_line(as_json=options.as_json))
    _show_summary(workspace, ledger, run_id, as_json=options.as_json)


def resume_agent(run_id: str, *, as_json: bool) -> None:
    """Go on with a run and tell of it."""
    from assay.tools.agent import read_request, resume_run

    workspace = need_workspace()
    ledger = need_ledger(workspace)
    _check_known(ledger, run_id)
    request = read_request(ledger, run_id)
    more = "for more, start a new run"
    check_unfinished(ledger, run_id, f"see what came of it: assay agent show {run_id}; {more}")
    setup = _setup(workspace, request)
    recorded = sum(1 for _ in ledger.run(run_id).entries(kind="tool_call"))
    _announce(setup, run_id, as_json=as_json)
    watch = _line(as_json=as_json, recorded=recorded)
    with played(ledger, run_id, _AGAIN.format(run_id)):
        resume_run(setup, ledger, workspace.runs_dir, run_id, watch=watch)
    _show_summary(workspace, ledger, run_id, as_json=as_json)


def replay_agent(run_id: str, to: Path, *, as_json: bool) -> int:
    """Play a run again and say whether it is the same."""
    from assay.tools.agent import read_request, replay_run

    workspace = need_workspace()
    ledger = need_ledger(workspace)
    _check_known(ledger, run_id)
    setup = _setup(workspace, read_request(ledger, run_id))
    with slow_notice():
        found = replay_run(setup, ledger, workspace.runs_dir, run_id, to)
    if as_json:
        print_json({**asdict(found), "equal": found.equal, "folder": str(to)})
    elif found.equal:
        say(f"equal: {found.records} records and {found.files} files of {run_id}, byte for byte")
    else:
        say(f"different: {found.difference}")
    return 0 if found.equal else DIFFERENT


def list_agents(*, as_json: bool) -> None:
    """List the runs of agents."""
    from assay.cli._workspace import has_ledger
    from assay.tools.agent import agent_runs

    workspace = need_workspace()
    found = agent_runs(need_ledger(workspace)) if has_ledger(workspace) else []
    if as_json:
        print_json([asdict(item) for item in found])
        return
    if not found:
        say("no agent has run here; begin with: assay agent run IDEA")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("run", "state", "policy", "data"):
        table.add_column(name)
    table.add_column("trials", justify="right")
    table.add_column("idea")
    for item in found:
        idea = item.idea if len(item.idea) <= _IDEA else item.idea[: _IDEA - 1] + "\u2026"
        cells = (item.run, item.state, item.policy, item.data, str(item.trials), idea)
        table.add_row(*(printable(cell) for cell in cells))
    console().print(table)


def show_agent(run_id: str, *, as_json: bool) -> None:
    """Tell a run call by call, and what it came to if it has ended."""
    from assay.tools.agent import agent_calls, agent_runs, summary_of

    workspace = need_workspace()
    ledger = need_ledger(workspace)
    _check_known(ledger, run_id)
    calls = agent_calls(ledger, run_id)
    found = next(item for item in agent_runs(ledger) if item.run == run_id)
    ended = found.state == "finished"
    summary = summary_of(ledger, workspace.runs_dir, run_id) if ended else None
    if as_json:
        made = [asdict(call) for call in calls]
        told = None if summary is None else asdict(summary)
        print_json({**asdict(found), "calls": made, "summary": told})
        return
    say(f"run {run_id}: {found.policy}, data {found.data}, {_STATES.get(found.state, found.state)}")
    say(f"idea: {found.idea}")
    for call in calls:
        say(_call_line(call.turn, call.tool, call.arguments, call.outcome, call.answer))
    for reason, count in Counter(call.reason for call in calls if call.reason).most_common():
        say(f"{'reason':<10} {reason}, {count} {'time' if count == 1 else 'times'}")
    if summary is None:
        say(f"what it came to is told when it has ended: assay agent resume {run_id}")
        return
    for line in _summary_lines(summary):
        say(line)
    reward = summary.reward
    say(f"reward     {'none: nobody scored it' if reward is None else f'{reward:g}'}")


def _check_known(ledger: Ledger, run_id: str) -> None:
    from assay.tools.agent import agent_runs

    check_known_run(ledger, run_id, lambda: [item.run for item in agent_runs(ledger)], "assay agent list")


def _request(workspace: Workspace, options: AgentOptions) -> AgentRequest:
    from assay.tools import Budget
    from assay.tools.agent import AgentRequest

    data = options.data or workspace.default_data
    if data is None:
        from assay.cli._dataset import known_datasets

        known = known_datasets(workspace)
        if len(known) != 1:
            offer = f"there are: {', '.join(known)}" if known else "make one with 'assay data simulate'"
            raise AssayError("no data set is named", where="--data", fix=offer)
        data = known[0]
    limits = {name: getattr(options, name) for name in ("calls", "tokens", "money", "seconds")}
    budget = Budget(turns=_turns(options), **limits)
    return AgentRequest(options.idea, data, _role(workspace, options), options.seed, budget)


def _turns(options: AgentOptions) -> int:
    """As many as were asked for, else enough to make the calls and then to answer."""
    return options.turns or max(_TURNS, (options.calls or 0) + 1)


def _role(workspace: Workspace, options: AgentOptions) -> str | None:
    """The role that acts, None for the explorer."""
    from assay.base import did_you_mean
    from assay.config import LLM_ROLES

    if options.explorer:
        if options.role is not None:
            raise AssayError(
                "both --role and --explorer are given", where="--explorer", fix="give one of the two"
            )
        return None
    if options.role is None:
        configured = workspace.llm.roles.get(RESEARCHER)
        needs_model = configured is not None and (
            workspace.llm.backends[configured.backend].kind not in ("rules", "sampler")
        )
        return RESEARCHER if needs_model else None
    if options.role not in LLM_ROLES:
        near = did_you_mean(options.role, LLM_ROLES)
        fix = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(LLM_ROLES)}"
        raise AssayError(f"there is no role {options.role!r}", where="--role", fix=fix)
    return options.role


def _setup(workspace: Workspace, request: AgentRequest) -> AgentSetup:
    from assay.cli._dataset import open_with_settings
    from assay.config import load_secrets
    from assay.tools.agent import AgentSetup

    panel, settings = open_with_settings(request.data)
    secrets = load_secrets(workspace.root)
    setup = AgentSetup.of(request, panel, settings, workspace=workspace, secrets=secrets)
    setup.inputs("")  # refuses an unknown role before anything is written
    return setup


def _next_id(ledger: Ledger, runs: Path) -> str:
    with ledger.index() as index:
        taken = set(index.runs())
    number = 1
    while f"agent-{number}" in taken or (runs / f"agent-{number}").exists():
        number += 1
    return f"agent-{number}"


def _announce(setup: AgentSetup, run_id: str, *, as_json: bool) -> None:
    role = setup.role
    who = "the explorer (no model)" if role is None else f"{setup.request.role} on {role.backend}"
    panel = setup.view.panel
    simulated = ", simulated" if panel.manifest.simulated else ""
    text = f"run {run_id}: {who}, data {panel.name}{simulated}, at most {setup.request.budget.turns} turns"
    note(text) if as_json else say(text)


def _line(*, as_json: bool, recorded: int = 0) -> Callable[[int, ToolCall, Outcome], None]:
    """What tells of each call as it is made; with JSON on standard error.

    The first ``recorded`` calls of a run that goes on come from its record, and are marked so.
    """
    left = recorded

    def told(step: int, call: ToolCall, outcome: Outcome) -> None:
        nonlocal left
        text = _told(step, call, outcome)
        if left > 0:
            left -= 1
            text += "  (from the record)"
        note(text) if as_json else typer.echo(printable(text))

    return told


def _told(step: int, call: ToolCall, outcome: Outcome) -> str:
    from assay.tools import outcome_name

    return _call_line(step, call.name, call.arguments, outcome_name(outcome), outcome.face().as_dict())


def _call_line(turn: int, tool: str, arguments: str, outcome: str, answer: Mapping[str, Any]) -> str:
    """A call of a tool in one line: a refusal with its reason, a score with its formula."""
    more = ""
    if "reason" in answer:
        more = f"{answer['reason']}: {answer['message']}"
    elif "rank_ic" in answer.get("result", {}):
        more = f"RankIC {_figure(answer['result']['rank_ic'])}  {arguments}"
    name = tool if len(tool) <= _CALLED else tool[:_CALLED] + "\u2026"
    return f"turn {turn:>3}  {name:<18} {outcome:<8} {more}".rstrip()


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.4f}"


def _show_estimate(setup: AgentSetup, found: Estimate, *, as_json: bool) -> None:
    if as_json:
        print_json({"role": setup.request.role, **asdict(found)})
        return
    if setup.role is None:
        say("the explorer uses no model: no calls, no tokens, no money")
        return
    say(f"at most {found.calls} calls of {setup.role.model or setup.role.backend}, if every turn is used:")
    say(f"  input   about {found.input_tokens:,} tokens")
    say(f"  output  about {found.output_tokens:,} tokens")
    names = [model or f"the model of {setup.role.backend}" for model in found.unpriced]
    unpriced = f"unknown: no price for {', '.join(names)}"
    say(f"  money   {unpriced if found.money is None else f'about {found.money:.4f}'}")
    for name in found.exceeded:
        say(f"  beyond the limit of [llm.budget]: {name}")


def _show_summary(workspace: Workspace, ledger: Ledger, run_id: str, *, as_json: bool) -> None:
    from assay.tools.agent import summary_of

    found = summary_of(ledger, workspace.runs_dir, run_id)
    if as_json:
        print_json(asdict(found))
        return
    for line in _summary_lines(found):
        say(line)


def _summary_lines(found: AgentSummary) -> list[str]:
    rate = "none" if found.illegal_rate is None else f"{found.illegal_rate:.0%}"
    n = f"unknown ({found.incomplete})" if found.n is None else f"{found.n}"
    lines = [
        "",
        f"ended      {found.stop} after {found.turns} turns",
        f"calls      {found.calls}, of them refused {found.refused}, failed {found.failed}",
        f"illegal    {found.illegal} (rate {rate})",
        f"trials     {found.trials_added} added; N on this data is {n}",
    ]
    if found.tokens:
        money = "unknown: no price in assay.toml" if found.money is None else f"{found.money:.4f}"
        lines.append(f"model      {found.tokens:,} tokens, money {money}")
    if found.repairs:
        mended = ", ".join(f"{name} {count}" for name, count in found.repairs.items())
        lines.append(f"repairs    {mended}")
    if found.best is None:
        lines.append("best       none: no formula was scored")
    else:
        best: Any = found.best
        lines.append(f"best       {best.expression}")
        lines.append(f"           RankIC {best.rank_ic:+.4f} over {best.horizon} bars on the search period")
        lines.append("           picked from all that were tried; to prove it: assay judge")
    lines.append(f"answer     {shown_answer(found.answer)}")
    lines.append(f"files      runs/{found.run}/")
    return lines


def shown_answer(answer: str) -> str:
    """What a policy said last, as far as a terminal should be filled with it."""
    if len(answer) <= _ANSWER:
        return answer or "none"
    return f"{answer[:_ANSWER]}\u2026 ({len(answer):,} characters; whole in trajectory.json)"
