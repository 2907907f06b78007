"""``assay brain serve``: the local simulator over HTTP."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from assay.cli._output import DataName, Json, print_json, printable, say

if TYPE_CHECKING:
    from assay.brain.simulator import Login

USER = "local"
CONCURRENT = {"user": 3, "consultant": 8}
"""Simulations that may run at once, by the level of the account."""


def serve(
    data: DataName = None,
    host: Annotated[str, typer.Option(help="Address to bind to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to bind to.", min=1, max=65535)] = 8003,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Allow another address than the loopback.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Answer requests that name this host, too. May be repeated.", metavar="HOST"),
    ] = None,
    level: Annotated[
        Literal["user", "consultant"] | None,
        typer.Option(help="Level of the account; by default that of assay.toml."),
    ] = None,
    concurrent: Annotated[
        int | None,
        typer.Option(help="Simulations at once; 3, for consultants 8.", min=1, max=100),
    ] = None,
    poll_delay: Annotated[
        float | None,
        typer.Option(help="Seconds a simulation takes at least, and of Retry-After.", min=0.0, max=3600.0),
    ] = None,
    session_seconds: Annotated[
        float | None, typer.Option(help="Seconds after which a session expires.", min=1.0, max=86400.0)
    ] = None,
    daily: Annotated[int | None, typer.Option(help="Simulations a day.", min=1, max=10**9)] = None,
    workers: Annotated[int, typer.Option(help="Simulations that are computed at once.", min=1, max=64)] = 2,
    memory: Annotated[
        bool, typer.Option("--memory", help="Keep the account in memory, not in the workspace.")
    ] = False,
    persona: Annotated[
        bool, typer.Option("--persona", help="A person completes each sign-in in a browser.")
    ] = False,
    expire_after: Annotated[
        int | None, typer.Option(help="Fault: a session expires after so many requests.", min=1)
    ] = None,
    fault_5xx: Annotated[
        float,
        typer.Option("--fault-5xx", help="Fault: share answered by a 5xx.", min=0.0, max=1.0),
    ] = 0.0,
    fault_drop: Annotated[
        float, typer.Option(help="Fault: share whose connection breaks.", min=0.0, max=1.0)
    ] = 0.0,
    fault_stale: Annotated[
        float, typer.Option(help="Fault: share answered as without a session.", min=0.0, max=1.0)
    ] = 0.0,
    fault_429: Annotated[
        float, typer.Option("--fault-429", help="Fault: share that begins a storm of 429.", min=0.0, max=1.0)
    ] = 0.0,
    fault_slow: Annotated[
        float, typer.Option(help="Fault: seconds that every reply takes longer.", min=0.0, max=3600.0)
    ] = 0.0,
    poll_reviews: Annotated[
        int,
        typer.Option(
            help="Looks at a record set or correlations that find it not ready yet: 200, empty, Retry-After.",
            min=0,
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of ids and faults.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Serve a local simulator of BRAIN until interrupted. Needs the extra 'server'.

    The account is that of BRAIN_USERNAME and BRAIN_PASSWORD where both are set; else a password is drawn and
    shown. One line a request goes to standard error.
    """
    from dataclasses import replace

    from assay.base import require

    for module in ("fastapi", "uvicorn"):
        require(module, extra="server")
    from assay.brain.simulator import FaultSettings, FaultyWire, Wire, open_account
    from assay.cli._brain_place import only_data
    from assay.cli._dataset import open_with_settings
    from assay.config import BrainSimulatorSettings, find_workspace
    from assay.service.brain_sim import BrainSimSettings, check_host
    from assay.service.brain_sim import serve as run
    from assay.web import LOOPBACK

    guard = BrainSimSettings(
        hosts=(*LOOPBACK, *(name.lower() for name in allow_host or ())),
        allow_remote=allow_remote,
        on_request=lambda line: typer.echo(printable(line), err=True),
    )
    check_host(host, guard)
    faults = FaultSettings(
        error=fault_5xx,
        drop=fault_drop,
        stale=fault_stale,
        throttle=fault_429,
        slow=fault_slow,
        pending=poll_reviews,
        seed=seed,
    )
    workspace = find_workspace()
    if data is None and workspace is not None:
        data = only_data(workspace)
    panel, data_settings = open_with_settings(data)
    known = BrainSimulatorSettings() if workspace is None else workspace.brain.simulator
    given: dict[str, Any] = {
        "level": level,
        "concurrent": concurrent or (CONCURRENT[level] if level is not None else None),
        "retry_after": poll_delay,
        "session_seconds": session_seconds,
        "daily_simulations": daily,
    }
    settings = replace(known, **{name: value for name, value in given.items() if value is not None})
    login, shown = _login()
    account = open_account(
        None if memory else workspace,
        panel,
        settings,
        plan=None if data_settings is None else data_settings.periods,
        login=login,
        seed=seed,
        workers=workers,
        patience=0.2,
        persona=persona,
        session_requests=expire_after,
    )
    url = f"http://{host}:{port}"
    password = login.password.reveal() if shown else None
    if as_json:
        print_json({"data": panel.name, "password": password, "url": url, "username": login.username})
    else:
        say(f"serving {panel.name} as a local BRAIN ({settings.level}) on {url}")
        say(_hint(login, shown))
        say(f'the client uses it with base_url = "{url}" in [brain.client] of assay.toml')
    try:
        run(FaultyWire(Wire(account), faults), guard, host=host, port=port)
    finally:
        account.close()


def _login() -> tuple[Login, bool]:
    """Who may sign in, and whether the password is to be shown."""
    from assay.brain.client import Credentials
    from assay.brain.simulator import Login
    from assay.config import Secret
    from assay.errors import ProviderAuth

    try:
        given = Credentials.load()
    except ProviderAuth:
        return Login(USER, Secret(secrets.token_urlsafe(12))), True
    return Login(given.username.reveal(), given.password), False


def _hint(login: Login, shown: bool) -> str:
    if not shown:
        return "sign in with BRAIN_USERNAME and BRAIN_PASSWORD of this environment"
    return f"sign in with BRAIN_USERNAME={login.username} BRAIN_PASSWORD={login.password.reveal()}"
