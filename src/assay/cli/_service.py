"""``assay service``: serve backtests over HTTP, to agents that may not see the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._output import DataName, Json, print_json, say

if TYPE_CHECKING:
    from assay.config import Secret


def service_app() -> typer.Typer:
    """``assay service``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Serve backtests over HTTP: the client sends a formula and the id of a spec, never dates.",
    )
    app.callback()(_group)
    app.command("serve")(serve)
    return app


def _group() -> None:
    """Keeps ``serve`` a command of its own name though it is the only one."""


def serve(
    token_file: Annotated[
        Path, typer.Option(help="File with the token for the search period.", metavar="FILE")
    ],
    data: DataName = None,
    score_token_file: Annotated[
        Path | None, typer.Option(help="File with the token that may ask for rewards, too.", metavar="FILE")
    ] = None,
    spec: Annotated[
        list[Path] | None, typer.Option(help="Register this gated spec. May be repeated.", metavar="FILE")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to bind to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to bind to.", min=1, max=65535)] = 8001,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Allow another address than the loopback.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Answer requests that name this host, too. May be repeated.", metavar="HOST"),
    ] = None,
    rate: Annotated[int, typer.Option(help="Requests a minute, for each token.", min=1)] = 120,
    waiting: Annotated[int, typer.Option(help="Requests that may be at work or wait.", min=1)] = 4,
    time_limit: Annotated[float, typer.Option(help="Seconds that one request may work.", min=0.001)] = 60.0,
    memory_limit: Annotated[int, typer.Option(help="MiB that the work may take (Linux).", min=256)] = 4096,
    as_json: Json = False,
) -> None:
    """Serve a data set of a workspace until interrupted. Needs the extra 'server'."""
    from assay.cli._dataset import find_dataset
    from assay.cli._files import read_text
    from assay.config import find_workspace
    from assay.service import LOOPBACK, ServiceSettings, Tokens, read_token
    from assay.service import serve as run

    tokens: dict[str, Secret] = {"search": read_token(token_file)}
    if score_token_file is not None:
        tokens["score"] = read_token(score_token_file)
    settings = ServiceSettings(
        data=find_dataset(data, find_workspace()),
        tokens=Tokens(tokens),
        specs=tuple(read_text(file, "--spec") for file in spec or ()),
        hosts=(*LOOPBACK, *(name.lower() for name in allow_host or ())),
        allow_remote=allow_remote,
        rate=rate,
        waiting=waiting,
        time_limit=time_limit,
        memory_limit=memory_limit * 2**20,
    )
    url = f"http://{host}:{port}"
    if as_json:
        print_json({"data": settings.data.name, "url": url})
    else:
        say(f"serving {settings.data.name} on {url}")
    run(settings, host=host, port=port)
