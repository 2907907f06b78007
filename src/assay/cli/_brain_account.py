"""``assay brain login`` and ``status``: the account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform
from assay.cli._output import Json, print_json, say
from assay.cli._progress import note

if TYPE_CHECKING:
    from assay.brain.client import BlockingClient, Session


def login(
    expiry: Annotated[
        int | None,
        typer.Option(help="Seconds that the session is to last; by default as the platform says.", min=1),
    ] = None,
    end: Annotated[bool, typer.Option("--end", help="End the session instead, and forget it.")] = False,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """Sign in, and say who the account is and what it may do.

    The account is BRAIN_USERNAME and BRAIN_PASSWORD of the environment or of '.env'. A biometric sign-in is
    shown as a link, and waited for. In a workspace the session is kept for the commands that follow.
    """
    with open_platform(local, data, workspace, person=True) as platform:
        if end:
            kept = platform.logout()
            if as_json:
                print_json({"platform": platform.name, "session": None, "ended": kept is None})
            elif kept is None:
                say(f"signed out of {platform.name}")
            else:
                say(f"the session with {platform.name} is forgotten here; there it lasts until it expires")
                note(f"the platform did not end it: {kept.message}")
            return
        session = platform.login(expiry)
        if as_json:
            print_json({"platform": platform.name, "session": _session_data(session)})
            return
        say(f"signed in to {platform.name}")
        for line in _session_lines(session):
            say(line)


def status(
    local: Local = False, data: LocalData = None, workspace: InWorkspace = None, as_json: Json = False
) -> None:
    """Say what is known of session, quota, slots and cached lists. It never signs in to the real platform."""
    with open_platform(local, data, workspace) as platform:
        session = platform.login() if local else platform.session()
        if as_json:
            print_json(_status_data(platform, session))
            return
        say(f"platform   {platform.name}{', simulated' if platform.simulated else ''}")
        for line in _session_lines(session) if session else ("session    none; sign in: assay brain login",):
            say(line)
        say(f"slots      {platform.slots} simulations at once")
        say(f"quota      {_quota_words(platform)}")
        if platform.rates:
            say(
                "requests   "
                + ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in platform.rates.items())
            )
        listed = [one for one in platform.cached if one.kind != "quota"]
        say(f"cached     {len(listed)} lists" if listed else "cached     nothing")
        for one in listed:
            asked = ", ".join(f"{key} {value}" for key, value in one.query.items())
            query = f" for {asked}" if asked else ""
            say(f"           {one.kind}: {one.items} items{query}, of {one.fetched}")


def _session_lines(session: Session) -> tuple[str, ...]:
    hours, minutes = divmod(int(session.expires // 60), 60)
    return (
        f"session    of {session.user}, for {hours} h {minutes:02d} min",
        f"may        {', '.join(session.permissions) or 'what every user may'}",
    )


def _session_data(session: Session | None) -> dict[str, Any] | None:
    if session is None:
        return None
    return {
        "user": session.user,
        "seconds_left": session.expires,
        "permissions": list(session.permissions),
    }


def _quota_words(platform: BlockingClient) -> str:
    told = platform.last_quota
    if told is None:
        return "the platform has not said; it does when a simulation is started"
    quota, when = told
    left = "unknown" if quota.remaining is None else str(quota.remaining)
    limit = "" if quota.limit is None else f" of {quota.limit}"
    return f"{left}{limit} simulations left for the day, as told at {when}"


def _status_data(platform: BlockingClient, session: Session | None) -> dict[str, Any]:
    told = platform.last_quota
    quota = None if told is None else {**told[0].wire(), "told": told[1]}
    cached = [
        {"kind": one.kind, "query": one.query, "items": one.items, "fetched": one.fetched}
        for one in platform.cached
        if one.kind != "quota"
    ]
    return {
        "platform": platform.name,
        "simulated": platform.simulated,
        "session": _session_data(session),
        "slots": platform.slots,
        "quota": quota,
        "requests": platform.rates,
        "cached": cached,
    }
