"""``assay backtest``: a formula under the terms of a spec, here or through a service; tokens for both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import DataName, DialectName, Json, print_json, say
from assay.cli._progress import note
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.spec import GatedSpec

Spec = Annotated[Path | None, typer.Option("--spec", help="A gated spec, whose terms hold.", metavar="FILE")]


def backtest_app() -> typer.Typer:
    """``assay backtest``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Backtest a formula under the terms of a spec; check the service; make tokens.",
    )
    for command in (run, smoke, token):
        app.command()(command)
    return app


def run(
    expression: Annotated[
        str | None, typer.Argument(help="Formula; without it, that of the spec.", metavar="EXPRESSION")
    ] = None,
    spec: Spec = None,
    data: DataName = None,
    dialect: DialectName = "report",
    endpoint: Annotated[
        str | None, typer.Option(help="Ask this service instead of judging here.", metavar="URL")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="File with the token for the service.", metavar="FILE")
    ] = None,
    period: Annotated[
        str, typer.Option(help="search; through a service also score, where the token may.")
    ] = "search",
    as_json: Json = False,
) -> int:
    """Backtest a formula after costs: long-only, under a spec's terms or the house defaults.

    Without --endpoint it is judged here, on the search period, and counts as a trial of this workspace.
    """
    from assay.cli._backtest_run import run_here, run_there
    from assay.cli._formulas import known_dialect

    gated = None if spec is None else read_spec(spec)
    if expression is None and gated is None:
        raise typer.BadParameter("give a formula, or --spec")
    formula = expression.strip() if expression is not None else ""
    spoken = known_dialect(dialect)
    if expression is None and gated is not None:
        formula, spoken = gated.spec.expr, "report"
    if endpoint is None:
        if period != "search" or token_file is not None:
            raise AssayError(
                "here only the search period is judged, without a token",
                where="--period" if period != "search" else "--token-file",
                fix="add --endpoint, or use 'assay judge --period', which asks before it opens hidden dates",
            )
        answer = run_here(formula, spoken, gated, data)
    else:
        if gated is None or token_file is None:
            raise AssayError(
                "a service wants a spec and a token",
                where="--endpoint",
                fix="add --spec FILE and --token-file FILE",
            )
        answer = run_there(formula, spoken, gated, endpoint, token_file, period)
    turned = gated is not None and gated.direction == "negative" and answer.body.get("period") == "search"
    if turned and not as_json:
        say(f"judged as -({formula}): the direction of the spec is negative")
    return show(answer.status, answer.body, as_json=as_json)


def smoke(as_json: Json = False) -> int:
    """Check that backtests work, on a small simulated market in a folder that is removed again."""
    from assay.cli._backtest_run import run_smoke

    found = run_smoke()
    if as_json:
        print_json(found)
    else:
        say("SIMULATED DATA: nothing here says anything about a real market.")
        for step in found["steps"]:
            say(f"{'ok' if step['ok'] else 'FAILED':6}  {step['name']}: {step['result']}")
    return 0 if found["ok"] else 1


def token(
    to: Annotated[
        Path | None, typer.Option(help="Write a bearer token into this new file.", metavar="FILE")
    ] = None,
    sealed: Annotated[
        bool, typer.Option("--eval", help="Issue a token that opens the sealed period. For a person.")
    ] = False,
    uses: Annotated[int, typer.Option(help="How often an --eval token opens it.", min=1, max=1000)] = 1,
    data: DataName = None,
    by: Annotated[str, typer.Option("--by", help="Who issues it: your name, for the record.")] = "user",
    as_json: Json = False,
) -> None:
    """Make a token: for the service (--to), or one that opens the sealed period (--eval), told once.

    Of an --eval token the ledger gets the hash, who issued it, and each use.
    """
    from assay.service import new_token, write_token

    if (to is None) is not sealed:
        raise typer.BadParameter("give --to FILE for a bearer token, or --eval for the sealed period")
    if to is not None:
        write_token(to, new_token())
        if as_json:
            print_json({"file": str(to)})
        else:
            say(f"a new token is in {to}; only you may read it")
        return
    issued = issue_sealed(data, uses, by)
    if as_json:
        print_json({"token": issued, "uses": uses})
        return
    say(issued)
    note(f"opens the sealed period {uses} times; it is shown only now")


def issue_sealed(data: str | None, uses: int, by: str) -> str:
    """A token for the sealed period of a data set of the workspace here."""
    from assay.base import Operator
    from assay.cli._dataset import find_dataset
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.judge import issue_eval_token

    workspace = need_workspace()
    name = find_dataset(data, workspace).name
    plan = workspace.settings(name).periods
    if plan is None or plan.eval is None:
        raise AssayError(
            f"no eval period is set for {name!r}", where="--data", fix="set eval in assay.toml first"
        )
    ledger = need_ledger(workspace, create=True)
    return issue_eval_token(ledger, data=name, uses=uses, operator=Operator.human(by))


def read_spec(path: Path) -> GatedSpec:
    """The gated spec in a file.

    Raises
    ------
    Refusal
        ``spec_altered``, ``spec_not_admitted``.
    DataError
        The file cannot be read.
    """
    from assay.cli._files import read_text
    from assay.spec import GatedSpec

    return GatedSpec.from_json(read_text(path, "--spec"))


def show(status: int, body: dict[str, Any], *, as_json: bool) -> int:
    """Show an answer; the exit code is 2 for an error of the formula or request, 3 for the environment."""
    code = 0 if status == 200 else 3 if body.get("source") == "environment" else 2
    if as_json:
        print_json(body)
    elif code:
        note(f"error: {body['message']}")
        details = body.get("details") or {}
        if "column" in details:
            note(f"  where: line {details['line']}, column {details['column']}")
        if details.get("did_you_mean"):
            note(f"  did you mean: {', '.join(details['did_you_mean'])}")
        note(f"  what to do: {body['fix']}")
    elif body["period"] == "score":
        say(f"reward {body['reward']:.2f}")
    elif body["period"] == "eval":
        say(f"sealed period: IR {body['candidate']['ir']}, {body['candidate']['days']} days")
    else:
        if body["simulated"]:
            say("SIMULATED DATA: nothing here says anything about a real market.")
        say(body["sentence"])
        for name, value in body["figures"].items():
            say(f"  {name:14} {'undefined' if value is None else format(value, '.4g')}")
        for warning in body["warnings"]:
            say(f"  note: {warning}")
    return code
