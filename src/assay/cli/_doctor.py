"""``assay doctor``: whether everything that Assay needs is there. It changes nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli._output import Json, print_json, say

_PROBLEMS = 1


def doctor(
    no_network: Annotated[
        bool, typer.Option("--no-network", help="Do not ask whether the services of models answer.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Examine installation, disk, workspace, data, ledger, keys and model services. Writes nothing.

    Exit code 1 where something has to be mended; notes alone give 0. 'assay data doctor' examines the bars
    of a data set.
    """
    from assay.cli._doctor_checks import examine

    findings = []
    for finding in examine(network=not no_network):
        findings.append(finding)
        if not as_json:
            for line in finding.lines():
                say(line)
    problems = sum(finding.outcome == "problem" for finding in findings)
    if as_json:
        print_json({"problems": problems, "findings": [finding.as_dict() for finding in findings]})
    else:
        say("everything is in order" if not problems else f"{problems} to be mended")
    if problems:
        raise typer.Exit(_PROBLEMS)
