"""``assay certificate``: read a certificate, and prove that it is as it was made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from assay.cli._dataset import could_be_path
from assay.cli._output import Json, print_json, say
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.ledger import Ledger

Target = Annotated[
    str,
    typer.Argument(
        metavar="CERTIFICATE",
        help="A JSON file, or the first 6 or more hex digits of a content hash that the ledger has.",
    ),
]
_NO = 1
_WORDS = {"not_run": "not in the rule", "not_applicable": "does not apply"}
"""Outcomes of a criterion in words, where the name of the outcome does not say it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``not_checked`` says that there was nothing to compare with."""

    name: str
    outcome: Literal["passed", "failed", "not_checked"]
    detail: str

    def as_dict(self) -> dict[str, str]:
        return {"check": self.name, "outcome": self.outcome, "detail": self.detail}


def certificate_app() -> typer.Typer:
    """``assay certificate``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Certificates: read one, or prove that it is as it was made.",
    )
    app.command("show")(show)
    app.command("verify")(verify)
    return app


def show(target: Target, as_json: Json = False) -> None:
    """Show what a certificate says; with --json all of it. For a person: it may name hidden dates."""
    certificates = read_certificates(target)
    if as_json:
        print_json(certificates[0] if len(certificates) == 1 else certificates)
        return
    for number, certificate in enumerate(certificates):
        if number:
            say("")
        for line in certificate_lines(certificate):
            say(line)


def verify(target: Target, as_json: Json = False) -> None:
    """Check a certificate: its form, its hash, and in a workspace its record and the data that it names.

    Exit code 2 where it is damaged, 1 where this workspace does not know it or holds other data.
    """
    from assay.config import find_workspace

    workspace = find_workspace()
    results = []
    for certificate in read_certificates(target):
        checks = list(_own_checks(certificate, as_json=as_json))
        if workspace is not None:
            for check in _workspace_checks(certificate, workspace):
                checks.append(check)
                _tell(check, as_json=as_json)
        failed = [check.name for check in checks if check.outcome == "failed"]
        if not as_json:
            say(f"{certificate['content_hash']}: " + ("not confirmed" if failed else "verified"))
        results.append(
            {
                "content_hash": certificate["content_hash"],
                "verified": not failed,
                "checks": [check.as_dict() for check in checks],
            }
        )
    if as_json:
        print_json(results[0] if len(results) == 1 else results)
    if not all(result["verified"] for result in results):
        raise typer.Exit(_NO)


def read_certificates(target: str) -> list[dict[str, Any]]:
    """The certificates of a file (a batch has several), or the one of a hash in the workspace's ledger.

    Raises
    ------
    DataError
        The file cannot be read, or holds no certificates.
    Refusal
        The ledger has no certificate, or several, of this hash.
    """
    path = Path(target) if could_be_path(target) else None
    looks_like_path = "/" in target or target.endswith(".json")
    if path is not None and (looks_like_path or path.exists()):
        return _from_file(path)
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.library import find_certificate, read_document

    ledger = need_ledger(need_workspace())
    return [read_document(ledger, find_certificate(ledger, target))]


def _from_file(path: Path) -> list[dict[str, Any]]:
    from assay.cli._files import read_text

    text = read_text(path, "certificate")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise DataError(
            f"{path} is not JSON: {what}", where="certificate", fix="give a certificate as Assay wrote it"
        ) from error
    listed = found if isinstance(found, list) else [found]
    if not listed or not all(isinstance(item, dict) for item in listed):
        raise DataError(
            f"{path} holds no certificate", where="certificate", fix="give a certificate as Assay wrote it"
        )
    return listed


def certificate_lines(certificate: dict[str, Any]) -> list[str]:
    """What a certificate says, as lines for a terminal.

    Raises
    ------
    DataError
        It is not a certificate.
    """
    from assay.judge import verify_certificate

    verify_certificate(certificate)
    body = certificate["body"]
    identity, data, decision = body["identity"], body["data"], body["decision"]
    source = "simulated, nothing in it is real" if data["simulated"] else data["source"]
    lines = [
        f"{identity['name']}: {decision['status']}",
        f"  {decision['sentence']}",
        f"  formula: {identity['text']}" + (f" ({identity['dialect']})" if identity["dialect"] else ""),
        f"  fingerprint: {identity['fingerprint'] or 'none: given as values'}",
        f"  data: {data['panel']} ({source}), universe {data['universe'] or 'all'}, period {data['period']}",
        f"  signals: {data['first_signal']} to {data['last_signal']}, last label {data['last_label']}",
        f"  record: {data['record']}",
    ]
    if data["hidden_opened"]:
        lines.append(f"  hidden periods opened: {', '.join(data['hidden_opened'])}")
    lines.append("  checks:")
    lines += [
        f"    {_WORDS.get(criterion['outcome'], criterion['outcome']):<16} {criterion['name']}: "
        f"{criterion['detail']}"
        for criterion in decision["criteria"]
    ]
    lines += [f"  warning: {warning}" for warning in body["warnings"]]
    lines.append(f"  made with: {', '.join(f'{name} {known}' for name, known in body['software'].items())}")
    lines.append(f"  content hash: {certificate['content_hash']}")
    return lines


def _own_checks(certificate: dict[str, Any], *, as_json: bool) -> tuple[Check, ...]:
    """What the certificate alone tells; damage is an error."""
    from assay.judge import verify_certificate

    try:
        verify_certificate(certificate)
    except DataError as error:
        failed = "content hash" if error.where == "content_hash" else "form"
        _tell(Check(failed, "failed", error.message), as_json=as_json)
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"this is not a certificate: {error}",
            where="certificate",
            fix="use a certificate as Assay wrote it",
        ) from error
    checks = (
        Check("form", "passed", "keeps to the published schema"),
        Check("content hash", "passed", "the body has the hash that it states"),
    )
    for check in checks:
        _tell(check, as_json=as_json)
    return checks


def _workspace_checks(certificate: dict[str, Any], workspace: Workspace) -> list[Check]:
    from assay.cli._workspace import has_ledger, need_ledger

    if not has_ledger(workspace):
        return [
            Check("record", "not_checked", "this workspace has no ledger"),
            _data_check(certificate, workspace),
        ]
    return [_record_check(certificate, need_ledger(workspace)), _data_check(certificate, workspace)]


def _record_check(certificate: dict[str, Any], ledger: Ledger) -> Check:
    """A damaged ledger is an error, not an answer."""
    from assay.library import read_document, recorded_certificates

    recorded = recorded_certificates(ledger).get(certificate["content_hash"])
    if recorded is None:
        return Check("record", "failed", "the ledger of this workspace has no record of it")
    if read_document(ledger, recorded) != certificate:
        return Check("record", "failed", f"what line {recorded.line} of the ledger names is not the same")
    return Check("record", "passed", f"line {recorded.line} of the ledger")


def _data_check(certificate: dict[str, Any], workspace: Workspace) -> Check:
    from assay.judge import data_digest
    from assay.market import open_panel

    name = certificate["body"]["data"]["panel"]
    folder = workspace.data_dir / Path(name).name
    if not folder.is_dir():
        return Check("data", "not_checked", f"the workspace has no data set {name}")
    try:
        found = data_digest(open_panel(folder, check_hashes=True))
    except AssayError as error:
        return Check("data", "failed", error.message)
    if found != certificate["body"]["data"]["sha256"]:
        return Check("data", "failed", f"data set {name} has changed since, or is another one")
    return Check("data", "passed", f"data set {name} is the one that was judged on")


def _tell(check: Check, *, as_json: bool) -> None:
    if not as_json:
        say(f"{check.outcome.replace('_', ' '):<12} {check.name}: {check.detail}")
