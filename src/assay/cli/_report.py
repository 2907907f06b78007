"""``assay report``: from a research report to a factor with evidence, or to a refusal with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._output import DataName, Json
from assay.cli._report_evolve import eval_window_report, evolve

Report = Annotated[Path, typer.Argument(help="A report: PDF, Markdown or text.", metavar="FILE")]
Backend = Annotated[
    str,
    typer.Option(
        help="What reads: rules, which needs no model, or a role of assay.toml, such as extractor.",
        metavar="NAME",
    ),
]
Predictions = Annotated[
    Path,
    typer.Argument(
        help='JSON lines {"case_id", "prediction"}, with "mode", "rollout" and "audit" where they apply.',
        metavar="PREDICTIONS",
    ),
]
Cases = Annotated[
    Path | None,
    typer.Option(
        "--cases", help="An exported batch of cases instead of the shipped gold set.", metavar="DIR"
    ),
]
Split = Annotated[
    str | None, typer.Option(help="Only this side of the split: train or holdout.", metavar="NAME")
]


def report_app() -> typer.Typer:
    """``assay report``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Take factors out of research reports, with evidence for every part, and score extractors.",
    )
    app.command("list")(list_factors)
    app.command("extract")(extract)
    app.command("validate")(validate)
    app.command("score")(score)
    app.command("holdout-report")(holdout_report)
    app.command("compare")(compare)
    app.command("inject")(inject)
    app.command("dry-run")(dry_run)
    app.command("evolve")(evolve)
    app.command("eval-window-report")(eval_window_report)
    return app


def list_factors(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A report; without one, the gold set is listed.", metavar="FILE", show_default=False
        ),
    ] = None,
    backend: Backend = "rules",
    write: Annotated[
        Path | None,
        typer.Option(help="Write the reports of the gold set into this new folder.", metavar="DIR"),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the factors that a report defines: name, pages, definition, whether they can be computed here.

    Without a file it lists the gold set that comes with Assay: reports written for it, in Chinese and
    English, to try things on.
    """
    from assay.cli._report_run import list_candidates, list_gold

    if file is None:
        list_gold(write, as_json=as_json)
    else:
        list_candidates(file, backend, write, as_json=as_json)


def extract(
    file: Report,
    target: Annotated[
        str | None, typer.Option(help="Which factor, where the report defines several.", metavar="NAME")
    ] = None,
    backend: Backend = "rules",
    data: DataName = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with the cited text highlighted to this file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write an admitted spec, with its verdict, to this file.")
    ] = None,
    allow_core: Annotated[
        bool,
        typer.Option(
            "--allow-core",
            help="Where all that stops a factor is an op outside the report dialect, offer its formula in "
            "the core dialect.",
        ),
    ] = False,
    as_json: Json = False,
) -> int:
    """Take one factor out of a report, with the words that state each part of it.

    The gate then judges the spec from its evidence alone. With a data set, the readings that the text allows
    are evaluated on the search period, each a trial. In a workspace the run is recorded. A formula that
    --allow-core offers stays refused, as the gate cannot judge it; 'assay judge' takes it. Exit codes: 0 a
    spec, 1 refused or contradictory, 2 bad input, 3 the model's service failed.
    """
    from assay.cli._report_run import ExtractRequest, run_extract

    return run_extract(ExtractRequest(file, target, backend, data, html, out, as_json, allow_core))


def validate(
    file: Report,
    spec: Annotated[
        Path,
        typer.Argument(
            help="A spec with its direction, as 'report extract --json' prints it.", metavar="SPEC"
        ),
    ],
    as_json: Json = False,
) -> int:
    """Hold a spec against a report: the gate, from the evidence that it cites. Exit code 1: not admitted."""
    from assay.cli._report_run import run_validate

    return run_validate(file, spec, as_json=as_json)


def score(
    predictions: Predictions,
    cases: Cases = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Score predictions against gold: success, grounding, refusals, illegal calls, by language and group."""
    from assay.cli._report_score import run_score

    run_score(predictions, cases, split, as_json=as_json)


def holdout_report(
    predictions: Predictions,
    out: Annotated[Path, typer.Option(help="The report: Markdown, or JSON where it ends in .json.")],
    cases: Cases = None,
    as_json: Json = False,
) -> None:
    """Write a report on the holdout cases, after checking that the splits do not leak."""
    from assay.cli._report_score import run_holdout

    run_holdout(predictions, out, cases, as_json=as_json)


def compare(
    before: Annotated[Path, typer.Option(help="Predictions of the one extractor.", metavar="PREDICTIONS")],
    after: Annotated[Path, typer.Option(help="Predictions of the other.", metavar="PREDICTIONS")],
    cases: Cases = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Compare two sets of predictions on the cases that both answer, in percentage points."""
    from assay.cli._report_score import run_compare

    run_compare(before, after, cases, split, as_json=as_json)


def inject(
    out: Annotated[
        Path | None, typer.Option(help="Write the negatives to this file, one JSON object a line.")
    ] = None,
    cases: Cases = None,
    as_json: Json = False,
) -> int:
    """Spoil gold by rule, and show what the verifier and the gate make of it: every family on every case.

    Exit code 1 when a negative scores over the gate, or is admitted by it where no gold is known.
    """
    from assay.cli._report_score import run_inject

    return run_inject(out, cases, as_json=as_json)


def dry_run(
    backend: Backend = "rules",
    mode: Annotated[
        str,
        typer.Option(
            help="What is shown: whole reports, the excerpts that gold cites, or both.", metavar="NAME"
        ),
    ] = "whole",
    cases: Cases = None,
    split: Split = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the predictions to this file, for 'report score'.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Extract every case of the gold set with a backend, and score it."""
    from assay.cli._report_score import DryRunRequest, run_dry

    run_dry(DryRunRequest(backend, mode, cases, split, out, as_json))
