"""``assay mcp``: the tools for agents outside, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._output import DataName, Json, print_json, printable, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from assay.base import Operator
    from assay.mcp import Attached, NameStyle

AllowRecord = Annotated[
    bool,
    typer.Option("--allow-record", help="Let the agent record a candidate of its own, with citations."),
]
Dotted = Annotated[
    bool,
    typer.Option("--dotted-names", help="Name tools group.verb, not group_verb, which all clients take."),
]


def mcp_app() -> typer.Typer:
    """``assay mcp``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Serve the tools to agents outside, over the Model Context Protocol.",
    )
    app.command("serve")(serve)
    app.command("catalogue")(catalogue)
    return app


def serve(
    data: DataName = None,
    workspace: Annotated[
        Path | None,
        typer.Option(help="Folder of the workspace; by default that of the current folder.", metavar="DIR"),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Research report that the tools report.* read.", metavar="FILE")
    ] = None,
    http: Annotated[
        bool,
        typer.Option("--http", help="Serve streamable HTTP on the loopback, not stdio."),
    ] = False,
    port: Annotated[int, typer.Option(help="Port for --http.", min=1, max=65535)] = 8002,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token for --http; make one: assay backtest token.", metavar="FILE"),
    ] = None,
    rate: Annotated[int, typer.Option(help="Requests a minute over --http.", min=1)] = 6000,
    at_once: Annotated[int, typer.Option(help="Requests over --http that may be at work.", min=1)] = 64,
    allow_record: AllowRecord = False,
    model: Annotated[
        str | None, typer.Option(help="The model that calls; with --artifact. Needed for --allow-record.")
    ] = None,
    artifact: Annotated[
        str | None, typer.Option(help="What exactly runs: the model's version, or the hash of its weights.")
    ] = None,
    dotted_names: Dotted = False,
    as_json: Json = False,
) -> None:
    """Serve the tools until the client goes away, or until interrupted. Needs the extra 'server'.

    Without --data it is the default data set of the workspace, or a simulated market, which says so. Without
    --model an agent is known by the name that its client gives itself.
    """
    from assay.base import require

    require("mcp", extra="server")
    attached = _attached(workspace, data, report, allow_record=allow_record)
    operator = _operator(model, artifact, needed=allow_record)
    attached.check()
    server = _server(attached, operator, "dotted" if dotted_names else "underscore")
    name = "a simulated market" if attached.data is None else attached.data.name
    if http:
        _serve_http(server, name, port, token_file, rate, at_once, as_json=as_json)
        return
    from assay.cli._progress import note
    from assay.mcp import serve_stdio

    note(f"serving {name} to the client on standard input")
    serve_stdio(server)


def catalogue(allow_record: AllowRecord = False, dotted_names: Dotted = False, as_json: Json = False) -> None:
    """List the tools that agents are served, with the reasons that each may refuse with."""
    from assay.base import require
    from assay.mcp import bare_surface
    from assay.mcp import catalogue as catalogue_of

    require("mcp", extra="server")
    registry = bare_surface(allow_record=allow_record)
    found = catalogue_of(registry, "dotted" if dotted_names else "underscore")
    if as_json:
        print_json(found)
        return
    for tool in found["tools"]:
        say(printable(f"{tool['name']:<32} {tool['description']}"))
        reasons = [item["code"] for item in tool["_meta"]["assay/reasons"]]
        say(f"{'':<32} refuses: {', '.join(reasons) or 'nothing but the common reasons'}")
    say(f"common reasons: {', '.join(item['code'] for item in found['common_reasons'])}")


def _attached(
    workspace: Path | None, data: str | None, report: Path | None, *, allow_record: bool
) -> Attached:
    from assay.cli._dataset import find_dataset
    from assay.config import find_data_place, find_workspace
    from assay.mcp import Attached

    here = find_workspace(workspace)
    if here is None and workspace is not None:
        raise AssayError(
            f"{workspace} lies in no workspace", where="--workspace", fix="name a folder with an assay.toml"
        )
    named = data is not None or (here is not None and here.default_data is not None)
    folder = find_dataset(data, here) if named else None
    place = None if folder is None else find_data_place(folder, folder.name)
    # what is tried on a data set is counted where it lies
    return Attached(here if place is None else place.workspace, folder, report, allow_record)


def _operator(model: str | None, artifact: str | None, *, needed: bool) -> Operator | None:
    from assay.base import Operator

    if model is None and artifact is None and not needed:
        return None
    if model is None or artifact is None:
        why = "what is recorded names the model that did it" if needed else "an agent is both"
        raise AssayError(
            f"--model and --artifact are not both given: {why}",
            where="--model",
            fix="give both, such as --model claude --artifact claude-2026-01-01",
        )
    return Operator.agent(model, artifact)


def _server(attached: Attached, operator: Operator | None, names: NameStyle) -> Server:
    from assay.mcp import LateOffer, build_server, catalogued

    offer = LateOffer(catalogued(allow_record=attached.allow_record), attached.open)
    return build_server(offer, operator=operator, names=names)


def _serve_http(
    server: Server, name: str, port: int, token_file: Path | None, rate: int, at_once: int, *, as_json: bool
) -> None:
    from assay.mcp import HttpSettings, http_app
    from assay.web import read_token, run_app

    if token_file is None:
        raise AssayError(
            "no token is set for --http",
            where="--token-file",
            fix="make one: assay backtest token --to FILE",
        )
    settings = HttpSettings(token=read_token(token_file), rate=rate, at_once=at_once)
    url = f"http://127.0.0.1:{port}/mcp"
    if as_json:
        print_json({"data": name, "url": url})
    else:
        say(f"serving {name} on {url}")
    run_app(http_app(server, settings), host="127.0.0.1", port=port)
