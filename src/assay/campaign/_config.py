from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.base import did_you_mean
from assay.campaign._settings import (
    MECHANISMS,
    MECHANISMS_ZH,
    CampaignConfig,
    ContextSettings,
    FileSettings,
    GateSettings,
    PoolSettings,
    QuotaSettings,
    RoleBackends,
    RoundSettings,
    StopSettings,
)
from assay.errors import ConfigProblems, Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from assay.campaign._models import CampaignFile

_SHOWN = 60


def load_config(path: Path) -> CampaignConfig:
    """See :meth:`CampaignConfig.load`."""
    return parse_config(read_text(path), where=str(path), folder=path.parent)


def parse_config(text: str, *, where: str, folder: Path) -> CampaignConfig:
    """The campaign that a ``campaign.toml`` with this text describes.

    Raises
    ------
    ConfigProblems
        The text is not TOML, or keys or values are not valid; every problem is listed.
    """
    return _checked(read_toml(text, where), where, folder)


def read_config(path: Path) -> tuple[CampaignConfig | None, list[Problem]]:
    """What a file describes, and its problems: the entries that are not valid are as if they were not there,
    so that the rest can be looked at too. Without a config nothing of it can be.
    """
    try:
        raw = read_toml(read_text(path), str(path))
    except ConfigProblems as error:
        return None, list(error.problems)
    try:
        return _checked(raw, str(path), path.parent), []
    except ConfigProblems as error:
        problems = list(error.problems)
    left = {name: _without(name, table, problems) for name, table in raw.items()}
    try:
        return _checked(left, str(path), path.parent), problems
    except ConfigProblems as error:
        # a table whose other keys do not fit the defaults either; that is no fault of the file
        spoilt = {item.where.partition(".")[0] for item in error.problems}
    left = {name: table for name, table in left.items() if name not in spoilt}
    try:
        return _checked(left, str(path), path.parent), problems
    except ConfigProblems:
        return None, problems


def _without(name: str, table: Any, problems: Iterable[Problem]) -> Any:
    """A table without the keys that have a problem, in whatever depth."""
    if not isinstance(table, Mapping):
        return table
    faulty = [re.split(r"[.\[]", item.where) for item in problems]
    return {key: value for key, value in table.items() if [name, key] not in [place[:2] for place in faulty]}


def config_of(data: Mapping[str, Any], *, where: str, folder: Path) -> CampaignConfig:
    """The campaign that :meth:`CampaignConfig.as_dict` wrote.

    Raises
    ------
    ConfigProblems
        Keys or values are not valid.
    """
    tables = {name: _set(value) for name, value in data.items() if isinstance(value, Mapping)}
    mechanisms = {name: {"description": text} for name, text in data.get("mechanisms", {}).items()}
    admission = data.get("admission", {})
    tables["admission"] = {name: "off" if value is None else value for name, value in admission.items()}
    stop = tables.get("stop", {})
    if isinstance(stop.get("deadline"), str):
        stop["deadline"] = datetime.fromisoformat(stop["deadline"])
    own = _set({name: value for name, value in data.items() if not isinstance(value, Mapping)})
    return _checked({**tables, "campaign": own, "mechanisms": mechanisms}, where, folder)


def _set(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}


def _checked(raw: Mapping[str, Any], where: str, folder: Path) -> CampaignConfig:
    from pydantic import ValidationError

    from assay.campaign._models import CampaignFile

    problems: list[Problem] = []
    table = CampaignFile()
    try:
        table = CampaignFile.model_validate(raw)
    except ValidationError as error:
        problems += [problem_of(detail) for detail in error.errors(include_url=False)]
    problems += _cross_checks(raw)
    if problems:
        raise ConfigProblems(problems, where=where)
    return _build(table, folder)


def read_text(path: Path) -> str:
    """The text of a file of a campaign.

    Raises
    ------
    ConfigProblems
        It is missing, unreadable or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        problem = Problem(
            path.name, f"cannot be read: {error.strerror or error}", "check path and permissions"
        )
    except UnicodeDecodeError:
        problem = Problem(path.name, "is not UTF-8", "save the file as UTF-8")
    raise ConfigProblems([problem], where=str(path))


def read_toml(text: str, where: str) -> dict[str, Any]:
    """The data of a TOML text.

    Raises
    ------
    ConfigProblems
        It is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Problem("the file", f"not valid TOML: {error}", "mend this line")
    except (ValueError, RecursionError):
        problem = Problem(
            "the file", "cannot be read: nested too deeply, or a number is too long", "shorten it"
        )
    raise ConfigProblems([problem], where=where)


def problem_of(detail: ErrorDetails) -> Problem:
    """A fault that pydantic found, in words, with the nearest key that there is."""
    place = tuple(part for part in detail["loc"] if part != "[key]")
    where = _dotted(place)
    if detail["type"] == "extra_forbidden":
        return unknown_name(where, str(place[-1]), _keys_at(place[:-1]))
    if detail["type"] == "missing":
        return Problem(where, "is required", "add it")
    if detail["loc"][-1:] == ("[key]",):
        return Problem(where, "cannot be a name here", "use a-z, 0-9, '_' and '-', at most 64")
    wanted = "input should be a table" if detail["type"] in ("model_type", "dict_type") else detail["msg"]
    return Problem(where, f"is {repr(detail['input'])[:_SHOWN]}", wanted[:1].lower() + wanted[1:])


def unknown_name(where: str, name: str, known: Iterable[str], what: str = "key") -> Problem:
    """That a name is not known, with those near to it."""
    known = tuple(known)
    close = did_you_mean(name, known)
    fix = f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(known)[:400]}"
    return Problem(where, f"no such {what}", fix)


def _keys_at(place: tuple[int | str, ...]) -> tuple[str, ...]:
    from assay.campaign._models import CampaignFile, MechanismTable

    if not place:
        return tuple(CampaignFile.model_fields)
    if place[0] == "mechanisms":
        return tuple(MechanismTable.model_fields)
    found = CampaignFile.model_fields[str(place[0])].annotation
    return tuple(getattr(found, "model_fields", ()))


def _dotted(place: Iterable[int | str]) -> str:
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        shown = part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"'
        text += f".{shown}" if text else shown
    return text


def _cross_checks(raw: Mapping[str, Any]) -> list[Problem]:
    """What several keys say together; keys that are not valid by themselves are left to the models."""
    problems: list[Problem] = []
    slots, each = _whole(raw, "quota", "slots", 12), _whole(raw, "quota", "min_per_type", 1)
    given = raw.get("mechanisms")
    types = len(given) if isinstance(given, dict) and given else len(MECHANISMS)
    if slots is not None and each is not None and types * each > slots:
        message = f"{types} mechanism types times {each} are {types * each} slots; a round has {slots}"
        problems.append(Problem("quota.min_per_type", message, "lower it, or raise quota.slots"))
    context = _table(raw, "context")
    themes = context.get("theme_correlation") is not None
    if context.get("send_back_repeats") is True and not themes:
        problems.append(_needs_themes("context.send_back_repeats"))
    if _table(raw, "round").get("picked_parents") is True:
        if not themes:
            problems.append(_needs_themes("round.picked_parents"))
        if context.get("feedback") is False:
            message = "needs context.feedback: without it every direction is new"
            problems.append(Problem("round.picked_parents", message, "switch one of the two"))
    return problems


def _needs_themes(where: str) -> Problem:
    return Problem(where, "needs the tried trials", "set context.theme_correlation, for example 0.7")


def _table(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = raw.get(name, {})
    return found if isinstance(found, Mapping) else {}


def _whole(raw: Mapping[str, Any], table: str, name: str, default: int) -> int | None:
    found = _table(raw, table).get(name, default)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _build(table: CampaignFile, folder: Path) -> CampaignConfig:
    from assay.judge.training import AdmissionRule

    own = {name: item.description for name, item in table.mechanisms.items()}
    mechanisms = own or (MECHANISMS_ZH if table.campaign.language == "zh" else MECHANISMS)
    pools, context = table.pools, table.context.model_dump()
    return CampaignConfig(
        **table.campaign.model_dump(),
        mechanisms=MappingProxyType(dict(mechanisms)),
        roles=RoleBackends(**table.roles.model_dump()),
        files=FileSettings(**{name: _path(value) for name, value in table.files.model_dump().items()}),
        pools=PoolSettings(tuple(pools.reference), _path(pools.reference_file), _path(pools.known_file)),
        quota=QuotaSettings(**table.quota.model_dump()),
        round=RoundSettings(**table.round.model_dump()),
        context=ContextSettings(**{**context, "seed_directions": tuple(context["seed_directions"])}),
        stop=StopSettings(**table.stop.model_dump()),
        gate=GateSettings(**table.gate.model_dump()),
        admission=AdmissionRule(**_switched(table.admission.model_dump())),
        folder=folder,
    )


def _switched(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if value == "off" else value for name, value in table.items()}


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)
