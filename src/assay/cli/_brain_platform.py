"""Which platform a command of ``assay brain`` works on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from assay.cli._progress import note
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.brain.client import BlockingClient
    from assay.config import Workspace

Local = Annotated[
    bool,
    typer.Option("--local", help="The local simulator on a stored data set: no account, no key, no network."),
]
LocalData = Annotated[
    str | None, typer.Option("--data", help="Data set of --local: a name or a path.", metavar="NAME")
]
InWorkspace = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        help="Folder of the workspace; by default that of the current folder.",
        metavar="DIR",
    ),
]


def open_platform(
    local: bool, data: str | None = None, workspace: Path | None = None, *, person: bool | None = None
) -> BlockingClient:
    """The platform that the options name, as a context; with ``local`` the simulator in this process.

    The real one takes its account from the environment or ``.env``, and keeps lists and session in the
    workspace, where there is one. ``person``: one is there to sign in with a browser; by default where the
    input is a terminal.

    Raises
    ------
    AssayError
        ``data`` without ``local``; ``workspace`` is none.
    DataError
        There is no such data set, or it is too short.
    ProviderAuth
        There are no credentials.
    Refusal
        ``host_not_allowed``; ``account_busy`` where another process works on the local account.
    """
    place, data = place_of(local, data, workspace)
    if local:
        return _local(data, place)
    if data is not None:
        raise AssayError(
            "a data set is named for the real platform, which has its own",
            where="--data",
            fix="add --local, or leave --data out",
        )
    return _remote(place, sys.stdin.isatty() if person is None else person)


def place_of(local: bool, data: str | None, folder: Path | None) -> tuple[Workspace | None, str | None]:
    """The workspace of a command, and the data set of ``local``.

    Without a workspace, and with no data set named, ``local`` works where a session of the agent would:
    in ``./assay-brain``, which is made.
    """
    from assay.cli._brain_place import NEW_PLACE, session_place

    found = workspace_of(folder)
    made = (Path(NEW_PLACE) / "assay.toml").is_file()
    if found is None and not made and not (local and data is None):
        return None, data
    place = session_place(folder, data, local=local, new=True)
    return place.workspace, place.data


def workspace_of(folder: Path | None) -> Workspace | None:
    """The workspace that ``folder``, or else the current folder, lies in."""
    from assay.config import find_workspace

    found = find_workspace(folder)
    if found is None and folder is not None:
        raise AssayError(
            f"{folder} lies in no workspace", where="--workspace", fix="name a folder with an assay.toml"
        )
    return found


def _local(data: str | None, workspace: Workspace | None) -> BlockingClient:
    from assay.brain.simulator import local_platform
    from assay.cli._dataset import open_dataset
    from assay.config import find_data_settings

    panel = open_dataset(data, workspace, check_hashes=True)
    settings = None if panel.folder is None else find_data_settings(panel.folder, panel.name)
    plan = None if settings is None else settings.periods
    return local_platform(workspace, panel, plan=plan)


def _remote(workspace: Workspace | None, person: bool) -> BlockingClient:
    from assay.brain.client import BlockingClient, BrainClient, Credentials
    from assay.config import OFFICIAL_URL, BrainClientSettings

    settings = BrainClientSettings() if workspace is None else workspace.brain.client
    credentials = Credentials.load(Path.cwd() if workspace is None else workspace.root)
    host = urlsplit(settings.base_url).netloc
    folder = None if workspace is None else workspace.brain_dir
    slug = host.replace(":", "-")
    client = BrainClient(
        settings,
        credentials,
        on_biometric=show_biometric if person else None,
        cache=None if folder is None else folder / "cache" / slug,
        session_file=None if folder is None else folder / "session" / f"{slug}.json",
        note=note,
    )
    official = settings.base_url.rstrip("/") == OFFICIAL_URL
    # what is served elsewhere is a simulator, and nothing on the wire says whether its market is invented
    return BlockingClient(client, "BRAIN" if official else f"BRAIN at {host}", simulated=not official)


def show_biometric(url: str) -> None:
    """Say where a person has to sign in."""
    note(f"the platform wants a biometric sign-in; open this in a browser, and complete it: {url}")
    note("waiting until it is done")
